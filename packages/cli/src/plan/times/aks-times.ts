import { type Frozen, intOrPercentProblem, isJsonObject, ManagedCluster, scaledValue } from "@capstan/api";
import { humanDuration } from "@capstan/apiserver/human-duration";
import { type Duration, RECORDED } from "@capstan/azure-sim";
import { type AksState, isNewer, type PlannedResource } from "@capstan/plan";
import { counted } from "../../render/amounts.ts";
import { NONE } from "./expected-times.ts";

/** What a change of one resource of AKS does to its nodes, and how long it takes. */
interface AksCourse {
  /** Nodes that AKS drains and replaces. */
  readonly replaced: number;
  readonly time: Duration;
}

// AKS adds a tenth of a pool's nodes at a time, if its upgradeSettings say nothing else.
const USUAL_SURGE = "10%";

/** The course of a change; undefined if AKS has nothing to do. */
export function aksCourse(state: AksState, resource: PlannedResource): AksCourse | undefined {
  const { kind, name, desired, changes, problem } = resource;
  if (problem !== undefined || !desired) return undefined;
  const isCluster = kind === ManagedCluster.kind;
  if (
    isCluster &&
    changes.some(({ path, before }) => path === "spec.kubernetesVersion" && before !== undefined)
  )
    return { replaced: 0, time: timeOf("managedCluster.upgrade", 1) };
  if (!isCluster && isUpgraded(state, name)) return upgradeOf(desired.spec);
  if (changes.length === 0) return undefined;
  return { replaced: 0, time: timeOf(isCluster ? "managedCluster.update" : "agentPool.update", 1) };
}

/** Whether a pool gets a newer version, now or after its control plane. */
function isUpgraded({ pools, agentPools }: AksState, name: string): boolean {
  const pool = pools.find((one) => one.pool.metadata.name.toLowerCase() === name);
  const observed = agentPools.find(({ metadata }) => metadata.name === name);
  return isNewer(pool?.machinePool.spec.template.spec.version, versionOf(observed));
}

function versionOf(pool: AksState["agentPools"][number] | undefined): string | undefined {
  const { currentOrchestratorVersion } = (pool?.status ?? {}) as Frozen<{
    currentOrchestratorVersion?: unknown;
  }>;
  return typeof currentOrchestratorVersion === "string" ? currentOrchestratorVersion : undefined;
}

function upgradeOf({ count, upgradeSettings }: Readonly<Record<string, unknown>>): AksCourse {
  const nodes = typeof count === "number" ? count : 1;
  const given = isJsonObject(upgradeSettings) ? upgradeSettings["maxSurge"] : undefined;
  const isSurge = typeof given === "string" && intOrPercentProblem(given) === undefined;
  const atOnce = Math.max(1, scaledValue(isSurge ? given : USUAL_SURGE, nodes, "up"));
  return { replaced: nodes, time: timeOf("agentPool.upgradeBatch", Math.ceil(nodes / atOnce)) };
}

function timeOf(step: string, times: number): Duration {
  const { p50, p90 } = RECORDED[step] ?? NONE;
  return { p50: p50 * times, p90: p90 * times };
}

/** The course in lines. AKS publishes no times, and traffic has few of its upgrades. */
export function aksCourseLines(course: AksCourse | undefined): readonly string[] {
  if (!course) return [];
  const { replaced, time } = course;
  return [
    ...(replaced > 0
      ? [`AKS drains and replaces ${counted(replaced, "node")}, after the control plane`]
      : []),
    `about ${humanDuration(time.p50 * 1000)}, one run in ten takes longer than ${humanDuration(time.p90 * 1000)}; these times are assumed`,
  ];
}
