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

/**
 * Whether a user must do something about an object. An object that is being created, scaled or rolled out is not ready
 * either, and needs only time. Conditions of v1beta2 do not tell these apart; the severities of v1beta1 do.
 */
export function hasTrouble(object: Reporter): boolean {
  const { conditions = NONE } = object.status ?? {};
  const older = olderConditionsOf(object) ?? NONE;
  const hasFailed = isFalse(conditions, "Reconciled") || hasLostConnection(conditions);
  if (hasFailed || older.some(isTrouble)) return true;
  const hasSeverities = older !== conditions || older.some(({ severity }) => severity !== undefined);
  return !hasSeverities && isUnreadyAgain(object, conditions);
}

/** Without severities, what has been ready once is in trouble when it is not. */
function isUnreadyAgain(object: Reporter, conditions: readonly Frozen<Condition>[]): boolean {
  return isInitialized(object) && ["Ready", "Available"].some((type) => isFalse(conditions, type));
}

function isFalse(conditions: readonly Frozen<Condition>[], type: string): boolean {
  return getCondition(conditions, type)?.status === "False";
}

const NONE: readonly Condition[] = [];

/** Mere progress has the severity Info. */
export function isTrouble({ status, severity, reason = "" }: Frozen<Condition>): boolean {
  return status === "False" && severity !== undefined && severity !== "Info" && !STEPS.has(reason);
}

// Cluster API reports these with the severity Warning, also when a cluster is created.
const STEPS: ReadonlySet<string> = new Set([
  "NotEnoughAvailable",
  "RollingUpdateInProgress",
  "ScalingDown",
  "ScalingUp",
  "WaitingForAvailableMachines",
]);

/** A control plane that has answered once, and does not answer now. */
function hasLostConnection(conditions: readonly Frozen<Condition>[]): boolean {
  const initialized = getCondition(conditions, "ControlPlaneInitialized");
  return initialized?.status === "True" && isFalse(conditions, "RemoteConnectionProbe");
}

function isInitialized({ status }: Reporter): boolean {
  const { initialization } = status ?? {};
  const steps = Object.values(Object(initialization) as object);
  return steps.length > 0 && steps.every((step) => step === true);
}
