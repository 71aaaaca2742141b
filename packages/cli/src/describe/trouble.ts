import { type Condition, type Frozen, getCondition, olderConditionsOf } from "@capstan/api";

/** An object of any kind and of any provider. */
export interface Reporter {
  readonly status?:
    | {
        readonly conditions?: readonly Frozen<Condition>[];
        readonly initialization?: unknown;
        readonly deprecated?: { readonly v1beta1?: { readonly conditions?: readonly Frozen<Condition>[] } };
      }
    | undefined;
}

/** Whether a user must do something about an object. */
export function hasTrouble(object: Reporter, nowMs: number): boolean {
  return troubleOf(object, nowMs) !== undefined;
}

/**
 * The condition for which a user must do something. An object that is being created, scaled or rolled out is not ready
 * either, and needs only time. Conditions of v1beta2 do not tell these apart; the severities of v1beta1 do.
 */
export function troubleOf(object: Reporter, nowMs: number): Frozen<Condition> | undefined {
  const { conditions = NONE } = object.status ?? {};
  const older = olderConditionsOf(object) ?? NONE;
  const failed = older.find((condition) => isTrouble(condition) && !isStarting(condition, nowMs));
  const hasSeverities = older !== conditions || older.some(({ severity }) => severity !== undefined);
  return (
    failedPass(conditions, older) ??
    lostConnection(conditions) ??
    failed ??
    (hasSeverities || !isInitialized(object) ? undefined : unready(conditions))
  );
}

/** A pass that could not do its work; one that only waits has the severity Info. */
function failedPass(
  conditions: readonly Frozen<Condition>[],
  older: readonly Frozen<Condition>[],
): Frozen<Condition> | undefined {
  const failed = falseOne(conditions, "Reconciled");
  return older.some(({ severity, reason }) => severity === "Info" && reason === failed?.reason)
    ? undefined
    : failed;
}

// What a kubelet and static pods report for a minute or two after a machine has booted.
const REASONS_OF_STARTS: ReadonlySet<string> = new Set([
  "ControlPlaneComponentsUnhealthy",
  "NodeConditionsFailed",
  "NotHealthy",
]);
// These repeat the reason of another condition, and not since when.
const SUMMARIES: ReadonlySet<string> = new Set(["ControlPlaneReady", "Ready"]);
const START_LIMIT_MS = 5 * 60_000;

function isStarting({ type, reason = "", lastTransitionTime }: Frozen<Condition>, nowMs: number): boolean {
  if (!REASONS_OF_STARTS.has(reason)) return false;
  return SUMMARIES.has(type) || nowMs - Date.parse(lastTransitionTime) < START_LIMIT_MS;
}

/** Without severities, what has been ready once is in trouble when it is not. */
function unready(conditions: readonly Frozen<Condition>[]): Frozen<Condition> | undefined {
  return falseOne(conditions, "Ready") ?? falseOne(conditions, "Available");
}

function falseOne(conditions: readonly Frozen<Condition>[], type: string): Frozen<Condition> | undefined {
  const condition = getCondition(conditions, type);
  return condition?.status === "False" ? condition : undefined;
}

const NONE: readonly Condition[] = [];

/** Mere progress has the severity Info. */
export function isTrouble({ status, severity, reason = "" }: Frozen<Condition>): boolean {
  return status === "False" && severity !== undefined && severity !== "Info" && !STEPS.has(reason);
}

// Reported as a warning or an error also while a cluster is created; the machines that this is about report why.
const STEPS: ReadonlySet<string> = new Set([
  "NotAvailable",
  "NotEnoughAvailable",
  "PreflightCheckFailed",
  "RollingUpdateInProgress",
  "ScalingDown",
  "ScalingUp",
  "WaitingForAvailableMachines",
]);

/** A control plane that has answered once, and does not answer now. */
function lostConnection(conditions: readonly Frozen<Condition>[]): Frozen<Condition> | undefined {
  const initialized = getCondition(conditions, "ControlPlaneInitialized");
  return initialized?.status === "True" ? falseOne(conditions, "RemoteConnectionProbe") : undefined;
}

function isInitialized({ status }: Reporter): boolean {
  const { initialization } = status ?? {};
  const steps = Object.values(Object(initialization) as object);
  return steps.length > 0 && steps.every((step) => step === true);
}
