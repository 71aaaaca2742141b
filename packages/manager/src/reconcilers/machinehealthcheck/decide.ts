import {
  type Cluster,
  type Condition,
  CONTROL_PLANE_LABEL,
  deprecatedConditionsOf,
  formatDuration,
  type Frozen,
  getCondition,
  hasUpdateFailed,
  isUpdatingInPlace,
  type Machine,
  type MachineHealthCheck,
  type Node,
  REMEDIATE_MACHINE_ANNOTATION,
  scaledValue,
} from "@capstan/api";
import { isControlPlaneInitialized } from "../../contract/initialized.ts";

type CheckSpec = Frozen<MachineHealthCheck>["spec"];

/** The facts about one machine that a health check selects. */
export interface Target {
  readonly machine: Frozen<Machine>;
  /** Its Node; undefined when it has none, "unknown" while the workload cluster does not answer. */
  readonly node: Frozen<Node> | undefined | "unknown";
}

/** The verdict about a machine. A machine that waits is neither healthy nor unhealthy. */
export type HealthVerdict =
  | { readonly health: "healthy" }
  | { readonly health: "unhealthy"; readonly reason: string; readonly message: string }
  | { readonly health: "waiting"; readonly recheckAfterMs: number };

/** The time and the cluster of a health check. */
export interface CheckTime {
  readonly cluster: Frozen<Cluster>;
  readonly nowMs: number;
}

const DEFAULT_STARTUP_SECONDS = 600;
// Timestamps have whole seconds, so a timeout may seem to end up to a second early.
const TIMESTAMP_STEP_MS = 1_000;

/** Decides whether a machine is healthy. */
export function decideHealth(spec: CheckSpec, target: Target, time: CheckTime): HealthVerdict {
  const { machine } = target;
  const failed = failureOf(machine);
  if (failed) return failed;
  // An updater may stop the Node; how long it may take is limited by the timeout of the update.
  if (isUpdatingInPlace(machine)) return { health: "healthy" };
  const { nowMs } = time;
  const { unhealthyMachineConditions: rules = [] } = spec.checks ?? {};
  const byMachine = healthByConditions({
    of: "Machine",
    conditions: conditionsOf(machine),
    rules,
    nowMs,
  });
  if (byMachine.health === "unhealthy") return byMachine;
  return worse(byMachine, nodeHealth(spec, target, time));
}

/**
 * Whether a machine is judged at all. Workers wait until the control plane is initialized; the machine that initializes it
 * is judged before, because nothing else would replace it if it never joins.
 */
export function isJudged({ metadata: { labels } }: Frozen<Machine>, cluster: Frozen<Cluster>): boolean {
  if (cluster.status?.initialization?.infrastructureProvisioned !== true) return false;
  return isControlPlaneInitialized(cluster) || labels?.[CONTROL_PLANE_LABEL] !== undefined;
}

/** What needs no timeout: the request of a user, a failed update, and a permanent failure. */
function failureOf(machine: Frozen<Machine>): HealthVerdict | undefined {
  const { metadata, status } = machine;
  if (metadata.annotations?.[REMEDIATE_MACHINE_ANNOTATION] !== undefined) {
    const message = `A user asks for it with the annotation ${REMEDIATE_MACHINE_ANNOTATION}`;
    return { health: "unhealthy", reason: "HasRemediateMachineAnnotation", message };
  }
  if (hasUpdateFailed(machine)) return failedUpdate(status?.update);
  const { failureReason, failureMessage } = status?.deprecated?.v1beta1 ?? {};
  if (failureReason === undefined) return undefined;
  const message = failureMessage ?? failureReason;
  return { health: "unhealthy", reason: "MachineHasFailure", message };
}

function failedUpdate(update: NonNullable<Frozen<Machine>["status"]>["update"]): HealthVerdict {
  const { updater = "", message = "failed" } = update ?? {};
  return { health: "unhealthy", reason: "UpdateFailed", message: `Updater ${updater}: ${message}` };
}

function nodeHealth(spec: CheckSpec, { machine, node }: Target, time: CheckTime): HealthVerdict {
  if (node !== undefined && node !== "unknown") return healthOfNode(spec, node, time);
  // A workload cluster that does not answer hides the Nodes of machines that have one; the others still have a time limit.
  if (!machine.status?.nodeRef) return startupHealth(spec, machine, time);
  if (node === "unknown") return { health: "healthy" };
  const message = `Node ${machine.status.nodeRef.name} no longer exists`;
  return { health: "unhealthy", reason: "NodeNotFound", message };
}

function healthOfNode({ checks }: CheckSpec, { status }: Frozen<Node>, { nowMs }: CheckTime): HealthVerdict {
  const { unhealthyNodeConditions: rules = [] } = checks ?? {};
  return healthByConditions({ of: "Node", conditions: status?.conditions ?? [], rules, nowMs });
}

const UNHEALTHY = {
  Machine: { health: "unhealthy", reason: "UnhealthyMachine" },
  Node: { health: "unhealthy", reason: "UnhealthyNode" },
} as const;

interface ConditionLike {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
}

interface ConditionCheck {
  readonly of: "Machine" | "Node";
  readonly conditions: readonly ConditionLike[];
  readonly rules: readonly {
    readonly type: string;
    readonly status: string;
    readonly timeoutSeconds: number;
  }[];
  readonly nowMs: number;
}

function healthByConditions({ of, conditions, rules, nowMs }: ConditionCheck): HealthVerdict {
  let verdict: HealthVerdict = { health: "healthy" };
  for (const { type, status, timeoutSeconds } of rules) {
    const condition = conditions.find((one) => one.type === type);
    if (condition?.status !== status) continue;
    const sinceMs = Date.parse(condition.lastTransitionTime ?? "");
    const leftMs = sinceMs + timeoutSeconds * 1000 - nowMs;
    if (leftMs > 0)
      verdict = worse(verdict, { health: "waiting", recheckAfterMs: leftMs + TIMESTAMP_STEP_MS });
    else {
      const message = `Condition ${type} of the ${of} has been ${status} for more than ${textOf(timeoutSeconds)}`;
      return { ...UNHEALTHY[of], message };
    }
  }
  return verdict;
}

/** A machine must become a Node in time; the time starts when the last of its preconditions was there. */
function startupHealth(spec: CheckSpec, machine: Frozen<Machine>, time: CheckTime): HealthVerdict {
  const seconds = spec.checks?.nodeStartupTimeoutSeconds ?? DEFAULT_STARTUP_SECONDS;
  if (seconds === 0) return { health: "healthy" };
  const since = [
    machine.metadata.creationTimestamp,
    trueSince(deprecatedConditionsOf(time.cluster), "InfrastructureReady"),
    trueSince(deprecatedConditionsOf(time.cluster), "ControlPlaneInitialized"),
    trueSince(deprecatedConditionsOf(machine), "InfrastructureReady"),
  ].flatMap((text) => (text === undefined ? [] : [Date.parse(text)]));
  const leftMs = Math.max(...since) + seconds * 1000 - time.nowMs;
  if (leftMs > 0) return { health: "waiting", recheckAfterMs: leftMs + TIMESTAMP_STEP_MS };
  const message = `The machine has not become a Node within ${textOf(seconds)}`;
  return { health: "unhealthy", reason: "NodeStartupTimeout", message };
}

function trueSince(conditions: readonly Readonly<Condition>[] | undefined, type: string): string | undefined {
  const condition = getCondition(conditions, type);
  return condition?.status === "True" ? condition.lastTransitionTime : undefined;
}

function worse(a: HealthVerdict, b: HealthVerdict): HealthVerdict {
  const rank = { healthy: 0, waiting: 1, unhealthy: 2 };
  if (a.health === "waiting" && b.health === "waiting") return a.recheckAfterMs < b.recheckAfterMs ? a : b;
  return rank[a.health] >= rank[b.health] ? a : b;
}

/** Whether unhealthy machines may be replaced, how many, and why not. */
export interface RemediationBudget {
  readonly isAllowed: boolean;
  readonly allowed: number;
  readonly message: string;
}

/** Decides by the number of machines that are not healthy; a disaster must not replace every machine. */
export function decideBudget(spec: CheckSpec, expected: number, healthy: number): RemediationBudget {
  const unhealthy = expected - healthy;
  const { unhealthyInRange: range, unhealthyLessThanOrEqualTo: limit = "100%" } =
    spec.remediation?.triggerIf ?? {};
  const [, low, high] = /^\[([0-9]+)-([0-9]+)\]$/.exec(range ?? "") ?? [];
  if (low !== undefined && high !== undefined) {
    const isAllowed = unhealthy >= Number(low) && unhealthy <= Number(high);
    const allowed = isAllowed ? Number(high) - unhealthy : 0;
    const message = `${unhealthy} of ${expected} machines are not healthy, outside of spec.remediation.triggerIf.unhealthyInRange ${range}`;
    return { isAllowed, allowed, message };
  }
  const most = scaledValue(limit, expected, "down");
  const message = `${unhealthy} of ${expected} machines are not healthy, more than spec.remediation.triggerIf.unhealthyLessThanOrEqualTo ${limit}`;
  return { isAllowed: unhealthy <= most, allowed: Math.max(most - unhealthy, 0), message };
}

/** Both sets of conditions: checks of v1beta1 name types of the older one. */
function conditionsOf(machine: Frozen<Machine>): readonly ConditionLike[] {
  return [...(machine.status?.conditions ?? []), ...(deprecatedConditionsOf(machine) ?? [])];
}

function textOf(seconds: number): string {
  return formatDuration(seconds * 1000);
}
