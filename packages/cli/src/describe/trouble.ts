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
export function hasTrouble(object: Reporter): boolean {
  return troubleOf(object) !== undefined;
}

/**
 * The condition for which a user must do something. An object that is being created, scaled or rolled out is not ready
 * either, and needs only time. Conditions of v1beta2 do not tell these apart; the severities of v1beta1 do.
 */
export function troubleOf(object: Reporter): Frozen<Condition> | undefined {
  const { conditions = NONE } = object.status ?? {};
  const older = olderConditionsOf(object) ?? NONE;
  const failed = falseOne(conditions, "Reconciled") ?? lostConnection(conditions) ?? older.find(isTrouble);
  const hasSeverities = older !== conditions || older.some(({ severity }) => severity !== undefined);
  return failed ?? (hasSeverities || !isInitialized(object) ? undefined : unready(conditions));
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

// Cluster API reports these with the severity Warning, also when a cluster is created.
const STEPS: ReadonlySet<string> = new Set([
  "NotEnoughAvailable",
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
