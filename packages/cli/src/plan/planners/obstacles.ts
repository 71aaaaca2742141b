import type { Host } from "./planner.ts";
import { formatDuration, type Frozen, parseDuration, Pod, selectorMatches, selectorOf } from "@capstan/api";
import { PodDisruptionBudget } from "@capstan/apiserver";
import { createClient, Failure } from "@capstan/runtime";
import { connectToWorkload, type WorkloadCluster } from "../../cluster/workload-connection.ts";
import type { PoolParts } from "./pool-parts.ts";

/** Something in the workload cluster that would hold up the drain of machines; printed like a block of a pool. */
export interface Obstacle {
  readonly controller: "azuremachinepoolmachine";
  readonly object: { readonly kind: string; readonly namespace: string; readonly name: string };
  readonly reason: "DisruptionBudget";
  /** The machines whose drain would wait. */
  readonly targets: readonly string[];
  readonly why: string;
}

/** The obstacles of a workload cluster, or why it could not be queried. */
export interface ObstacleReport {
  readonly obstacles: readonly Obstacle[];
  /** Whether no machine of the pool runs a pod that a drain would evict; undefined if that is not known. */
  readonly hasNoPods?: boolean;
  readonly note?: string;
}

// A workload cluster that does not answer must not prevent a plan.
const PATIENCE_MS = 10_000;

/** Finds disruption budgets that allow no eviction now and have pods on the machines of a pool. */
export async function findObstacles(
  host: Host,
  management: Pick<WorkloadCluster, "client" | "home">,
  parts: PoolParts,
): Promise<ObstacleReport> {
  if (parts.machines.every(({ status }) => status?.nodeRef === undefined)) return { obstacles: [] };
  const stop = new AbortController();
  const tooLate = host.env.clock.sleep(PATIENCE_MS, stop.signal).then(
    () => notQueried(`it did not answer within ${PATIENCE_MS / 1000} s`),
    () => notQueried("the answer came first"),
  );
  try {
    return await Promise.race([askWorkload(host, management, parts), tooLate]);
  } finally {
    stop.abort();
  }
}

async function askWorkload(
  { env }: Host,
  management: Pick<WorkloadCluster, "client" | "home">,
  parts: PoolParts,
): Promise<ObstacleReport> {
  const { clusterName: name } = parts.machinePool.spec;
  const { namespace = "default" } = parts.machinePool.metadata;
  try {
    const transport = await connectToWorkload({ ...management, name, namespace });
    try {
      const workload = createClient({ transport, env, fieldManager: "capstan-cli" });
      const [budgets, pods] = await Promise.all([workload.list(PodDisruptionBudget), workload.list(Pod)]);
      return { obstacles: obstaclesOf(parts, budgets, pods), hasNoPods: !hasPodsToEvict(parts, pods) };
    } finally {
      await transport.close();
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return notQueried(error.message);
  }
}

/** A drain leaves pods of DaemonSets and static pods where they are. */
function hasPodsToEvict({ machines }: Pick<PoolParts, "machines">, pods: readonly Frozen<Pod>[]): boolean {
  const nodes = new Set(machines.map(({ status }) => status?.nodeRef?.name));
  return pods.some(
    ({ metadata: { ownerReferences = [] }, spec }) =>
      nodes.has(spec?.nodeName ?? "") &&
      !ownerReferences.some(({ kind }) => kind === "DaemonSet" || kind === "Node"),
  );
}

function notQueried(why: string): ObstacleReport {
  return { obstacles: [], note: `the workload cluster was not queried for disruption budgets: ${why}` };
}

/** The time limit of a drain; undefined if it is unlimited. */
export function drainPatience({
  pool,
  machinePool,
}: Pick<PoolParts, "pool" | "machinePool">): string | undefined {
  const { nodeDrainTimeoutSeconds = 0 } = machinePool.spec.template.spec.deletion ?? {};
  const timeout = pool.spec.nodeDrainTimeout ?? formatDuration(nodeDrainTimeoutSeconds * 1000);
  return parseDuration(timeout) > 0 ? timeout : undefined;
}

/** The disruption budgets that allow no eviction, each with the machines that its pods run on. */
export function obstaclesOf(
  parts: Pick<PoolParts, "pool" | "machinePool" | "machines">,
  budgets: readonly Frozen<PodDisruptionBudget>[],
  pods: readonly Frozen<Pod>[],
): readonly Obstacle[] {
  const machineOf = new Map(
    parts.machines.map(({ metadata, status }) => [status?.nodeRef?.name, metadata.name]),
  );
  const limit = drainPatience(parts);
  const patience = `a drain waits ${limit === undefined ? "until it allows one" : `for up to ${limit}`}`;
  return budgets.flatMap((budget) => {
    if (budget.status?.disruptionsAllowed !== 0) return [];
    const held = pods.filter((pod) => isCovered(pod, budget) && machineOf.has(pod.spec?.nodeName ?? ""));
    if (held.length === 0) return [];
    const targets = [...new Set(held.flatMap(({ spec }) => machineOf.get(spec?.nodeName) ?? []))].sort();
    const { name, namespace = "default" } = budget.metadata;
    const names = held.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort();
    const more = names.length > NAMED_AT_MOST ? ` and ${names.length - NAMED_AT_MOST} more` : "";
    return [
      {
        controller: "azuremachinepoolmachine" as const,
        object: { kind: PodDisruptionBudget.kind, namespace, name },
        reason: "DisruptionBudget" as const,
        targets,
        why: `PodDisruptionBudget ${namespace}/${name} allows no eviction now; it protects ${names.slice(0, NAMED_AT_MOST).join(", ")}${more}; ${patience}`,
      },
    ];
  });
}

// One pod is enough to hold up a drain; a few show which application it is.
const NAMED_AT_MOST = 3;

function isCovered(pod: Frozen<Pod>, { metadata, spec }: Frozen<PodDisruptionBudget>): boolean {
  const { namespace, labels = {} } = pod.metadata;
  if (namespace !== metadata.namespace || !spec?.selector) return false;
  return selectorMatches(selectorOf(spec.selector), labels);
}
