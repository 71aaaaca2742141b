import {
  Cluster,
  CLUSTER_NAME_LABEL,
  formatTimestamp,
  type Frozen,
  getCondition,
  isPausedByAnnotation,
  Machine,
  type MachineHealthCheck,
  removeCondition,
  selectorMatches,
  selectorOf,
  setCondition,
  SKIP_REMEDIATION_ANNOTATION,
  type StandardConditionUpdate,
} from "@capstan/api";
import { again, type Context, Failure, next, type Outcome, withStandardConditions } from "@capstan/runtime";
import { clusterNameOf, ofCluster } from "../../contract/indexes.ts";
import { ownByCluster } from "../../contract/join-cluster.ts";
import type { WorkloadAccess } from "../../workload/workload-clusters.ts";
import type { WorkloadNodes } from "../../workload/nodes.ts";
import {
  HEALTH_CHECK_SUCCEEDED,
  type MachineConditions,
  machineConditionsOf,
  OWNER_REMEDIATED,
  writeMachineConditions,
} from "../../machines/conditions.ts";
import { decideBudget, type HealthVerdict, decideHealth, isJudged, type Target } from "./decide.ts";
import { isControlPlaneInitialized } from "../../contract/initialized.ts";

export interface MachineHealthCheckPorts {
  readonly workloads: Pick<WorkloadAccess, "get" | "onNodeChange">;
}

/** One pass over one MachineHealthCheck. */
export interface Scope {
  readonly context: Context<MachineHealthCheck>;
  readonly ports: MachineHealthCheckPorts;
}

// A workload cluster that answers again does not report it.
const RETRY_MS = 30_000;

/** Checks every machine that the check selects, and marks those that their owner replaces. */
export async function checkMachines(scope: Scope): Promise<Outcome> {
  const { context } = scope;
  const { object: check, cache } = context;
  const { namespace } = check.metadata;
  const cluster = cache.get(Cluster, { name: check.spec.clusterName, namespace });
  if (!cluster) return next;
  ownByCluster(check, cluster);
  const machines = targetsOf(context);
  const hasNodes =
    cluster.status?.initialization?.infrastructureProvisioned === true && isControlPlaneInitialized(cluster);
  const nodes = hasNodes ? await nodesOf(scope, cluster) : undefined;
  const time = { cluster, nowMs: context.env.clock.now() };
  const verdicts = machines.map((machine) => ({
    machine,
    verdict: isJudged(machine, cluster)
      ? decideHealth(check.spec, targetOf(machine, nodes), time)
      : ({ health: "healthy" } satisfies HealthVerdict),
  }));
  const isAllowed = report(context, verdicts);
  for (const { machine, verdict } of verdicts) await markMachine(context, machine, { verdict, isAllowed });
  const waits = verdicts.flatMap(({ verdict }) =>
    verdict.health === "waiting" ? [verdict.recheckAfterMs] : [],
  );
  if (hasNodes && !nodes) waits.push(RETRY_MS);
  return waits.length === 0 ? next : again(Math.min(...waits), "CheckingMachines");
}

function targetsOf({ object: check, cache }: Context<MachineHealthCheck>): readonly Frozen<Machine>[] {
  const selector = selectorOf(check.spec.selector);
  return ofCluster(cache, Machine, clusterNameOf(check))
    .filter(
      (machine) =>
        selectorMatches(selector, machine.metadata.labels ?? {}) &&
        machine.metadata.labels?.[CLUSTER_NAME_LABEL] === check.spec.clusterName &&
        !isPausedByAnnotation(machine) &&
        machine.metadata.annotations?.[SKIP_REMEDIATION_ANNOTATION] === undefined,
    )
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

async function nodesOf({ ports }: Scope, cluster: Frozen<Cluster>): Promise<WorkloadNodes | undefined> {
  try {
    return await (await ports.workloads.get(cluster)).nodes();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return undefined;
  }
}

function targetOf(machine: Frozen<Machine>, nodes: WorkloadNodes | undefined): Target {
  if (!nodes) return { machine, node: "unknown" };
  const { providerID } = machine.spec;
  return { machine, node: providerID === undefined ? undefined : nodes.of(providerID)[0] };
}

interface CheckedMachine {
  readonly machine: Frozen<Machine>;
  readonly verdict: HealthVerdict;
}

/** Writes the numbers to the status; returns whether machines may be replaced. */
function report(context: Context<MachineHealthCheck>, verdicts: readonly CheckedMachine[]): boolean {
  const { object: check } = context;
  const expectedMachines = verdicts.length;
  const currentHealthy = verdicts.filter(({ verdict }) => verdict.health === "healthy").length;
  const { isAllowed, allowed, message } = decideBudget(check.spec, expectedMachines, currentHealthy);
  const { generation } = check.metadata;
  check.status = {
    ...check.status,
    expectedMachines,
    currentHealthy,
    remediationsAllowed: allowed,
    targets: verdicts.map(({ machine }) => machine.metadata.name),
    ...(generation !== undefined && { observedGeneration: generation }),
  };
  const type = "RemediationAllowed";
  context.setCondition(
    isAllowed
      ? { type, status: "True", reason: "RemediationAllowed" }
      : { type, status: "False", severity: "Warning", reason: "TooManyUnhealthy", message },
  );
  return isAllowed;
}

/** A verdict that is not open any more. */
type JudgedHealth = Exclude<HealthVerdict, { readonly health: "waiting" }>;

interface Marking {
  readonly verdict: HealthVerdict;
  readonly isAllowed: boolean;
}

/** Writes the verdict to the conditions of a machine, if it is another one than before. */
async function markMachine(
  context: Context<MachineHealthCheck>,
  machine: Frozen<Machine>,
  marking: Marking,
): Promise<void> {
  const { name, deletionTimestamp } = machine.metadata;
  const { verdict } = marking;
  if (deletionTimestamp !== undefined || verdict.health === "waiting") return;
  const { isAllowed } = marking;
  const conditions = markedConditions(
    machineConditionsOf(machine),
    { verdict, isAllowed },
    context.env.clock.now(),
  );
  const isWritten = await writeMachineConditions(context.client, machine, conditions);
  if (!isWritten || verdict.health !== "unhealthy") return;
  const message = `Machine ${name} is unhealthy: ${verdict.message}`;
  context.event({ type: "Warning", reason: "MachineMarkedUnhealthy", message });
}

/** The reasons of v1beta2 that differ from those of v1beta1. */
const STANDARD_REASONS: Readonly<Record<string, string>> = {
  HasRemediateMachineAnnotation: "HasRemediateAnnotation",
  NodeNotFound: "NodeDeleted",
};

function markedConditions(
  { deprecated, standard }: MachineConditions,
  { verdict, isAllowed }: { readonly verdict: JudgedHealth; readonly isAllowed: boolean },
  nowMs: number,
): MachineConditions {
  const type = HEALTH_CHECK_SUCCEEDED;
  const lastTransitionTime = formatTimestamp(nowMs);
  const updated = (update: StandardConditionUpdate): MachineConditions["standard"] =>
    withStandardConditions(standard, [update], nowMs);
  if (verdict.health === "healthy") {
    const healthy = { type, status: "True", lastTransitionTime } as const;
    const known = updated({ type, status: "True", reason: HEALTH_CHECK_SUCCEEDED, message: "" });
    return {
      deprecated: removeCondition(
        setCondition(deprecated, { ...healthy, reason: "Healthy" }),
        OWNER_REMEDIATED,
      ),
      standard: removeCondition(known, OWNER_REMEDIATED),
    };
  }
  const { reason, message } = verdict;
  const failed = { type, status: "False", severity: "Warning", reason, message, lastTransitionTime } as const;
  const standardReason = STANDARD_REASONS[reason] ?? reason;
  const marked = {
    deprecated: setCondition(deprecated, failed),
    standard: updated({ type, status: "False", reason: standardReason, message }),
  };
  return isAllowed ? waitingForOwner(marked, nowMs) : marked;
}

/** Asks the owner of a machine to replace it. An owner that has answered keeps its answer. */
function waitingForOwner({ deprecated, standard }: MachineConditions, nowMs: number): MachineConditions {
  const type = OWNER_REMEDIATED;
  const waiting = { type, status: "False", reason: "WaitingForRemediation" } as const;
  const isAsked = getCondition(standard, type)?.status === "False";
  const update = { ...waiting, message: "The owner of the machine has not replaced it yet" };
  return {
    deprecated: setCondition(deprecated, {
      ...waiting,
      severity: "Warning",
      lastTransitionTime: formatTimestamp(nowMs),
    }),
    standard: isAsked ? standard : withStandardConditions(standard, [update], nowMs),
  };
}
