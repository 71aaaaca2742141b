import {
  type AsoObject,
  CLUSTER_NAME_LABEL,
  type Frozen,
  getCondition,
  type Kind,
  type KubernetesObject,
} from "@capstan/api";
import { type Context, Failure, terminal, waiting } from "@capstan/runtime";
import { type AsoObjects, isAsoReady, isControlledBy } from "./aso-objects.ts";
import type { DesiredObject } from "./desired-object.ts";
import { applyPatches } from "./patches/apply-patches.ts";
import { decidePolicy, type PolicyDecision, type PolicyInput } from "./reconcile-policy.ts";
import { POLICY_ANNOTATION } from "../aso/scope.ts";

/** An object of Azure Service Operator that a controller of AKS keeps. */
export interface KeptObject {
  readonly kind: Kind<AsoObject>;
  readonly name: string;
  readonly clusterName: string;
  /** The condition of the reconciled object that reports this one. */
  readonly condition: string;
  /** Computes the spec from the object as it is. */
  readonly spec: (observed: Frozen<AsoObject> | undefined) => Readonly<Record<string, unknown>>;
  /** The patches of the user, and the field that has them. */
  readonly patches?: { readonly field: string; readonly texts: readonly string[] };
  readonly policy: Omit<PolicyInput, "observed">;
}

/** The object after a pass. */
export interface Kept {
  readonly object: Frozen<AsoObject>;
  readonly isBringYourOwn: boolean;
  readonly policy: PolicyDecision;
}

interface Keeper<T extends KubernetesObject> {
  readonly context: Context<T>;
  readonly aso: AsoObjects;
}

/** Applies an object, unless its user created it, and reports it in its condition. */
export async function keepObject<T extends KubernetesObject>(
  keeper: Keeper<T>,
  wanted: KeptObject,
): Promise<Kept> {
  const { context } = keeper;
  try {
    const kept = await apply(keeper, wanted);
    report(context, wanted, kept);
    return kept;
  } catch (error) {
    if (error instanceof Failure && error.failure !== "Conflict" && error.failure !== "NotFound") {
      const { reason, message, failure } = error;
      const severity = failure === "Terminal" ? "Error" : failure === "Waiting" ? "Info" : "Warning";
      context.setCondition({ type: wanted.condition, status: "False", severity, reason, message });
    }
    throw error;
  }
}

async function apply<T extends KubernetesObject>(
  { context, aso }: Keeper<T>,
  wanted: KeptObject,
): Promise<Kept> {
  const { kind, name, policy } = wanted;
  const observed = await aso.find(context, kind, name);
  if (observed && !isControlledBy(observed, context.object))
    return {
      object: observed,
      isBringYourOwn: true,
      policy: { policy: "skip", why: "its user created the object" },
    };
  if (observed?.metadata.deletionTimestamp !== undefined)
    throw waiting(
      "WaitingForDeletion",
      `${kind.kind} ${name} is being deleted; it is created again afterwards`,
    );
  const decision = decidePolicy({ ...policy, observed });
  const desired = patched(desiredObject(context, wanted, { observed, decision }), wanted);
  return { object: await aso.apply(context, kind, desired), isBringYourOwn: false, policy: decision };
}

function desiredObject<T extends KubernetesObject>(
  { object }: Context<T>,
  { kind, name, clusterName, spec }: KeptObject,
  {
    observed,
    decision,
  }: { readonly observed: Frozen<AsoObject> | undefined; readonly decision: PolicyDecision },
): DesiredObject {
  const { namespace = "" } = object.metadata as { readonly namespace?: string };
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: {
      name,
      namespace,
      labels: { [CLUSTER_NAME_LABEL]: clusterName },
      annotations: { [POLICY_ANNOTATION]: decision.policy },
    },
    spec: spec(observed),
  };
}

/** A patch that fails leaves the object as it is: nothing is applied. */
function patched(object: DesiredObject, { patches }: KeptObject): DesiredObject {
  if (!patches) return object;
  const result = applyPatches(object, patches.texts);
  if ("object" in result) return result.object;
  const { index, message } = result.problem;
  throw terminal("PatchFailed", `${patches.field}[${index}]: ${message}; the resource stays as it was`);
}

function report<T extends KubernetesObject>(
  context: Context<T>,
  { condition: type, kind, name }: KeptObject,
  { object }: Kept,
): void {
  if (isAsoReady(object)) {
    context.setCondition({ type, status: "True", reason: "Succeeded" });
    return;
  }
  const { reason, message, severity } = troubleOf(object);
  const what = message ?? `Azure Service Operator has not reconciled ${kind.kind} ${name} yet`;
  context.setCondition({ type, status: "False", severity, reason, message: what });
}

interface Trouble {
  readonly reason: string;
  readonly severity: "Info" | "Warning" | "Error";
  readonly message?: string | undefined;
}

/** Why an object is not ready, in the words of Azure Service Operator. A Ready of an older spec says nothing. */
function troubleOf({ status }: Frozen<AsoObject>): Trouble {
  const ready = getCondition(status?.conditions, "Ready");
  if (ready?.status !== "False") return { reason: "Reconciling", severity: "Info" };
  const { reason = "Reconciling", severity = "Info", message } = ready;
  return { reason, severity: severity === "Error" || severity === "Warning" ? severity : "Info", message };
}

/** Waits until Azure Service Operator has reconciled an object; its watch ends the wait. */
export function requireReady(
  { condition, kind, name }: Pick<KeptObject, "condition" | "kind" | "name">,
  { object }: Kept,
): void {
  if (isAsoReady(object)) return;
  const { reason, message = "Azure Service Operator has not reconciled it yet" } = troubleOf(object);
  throw waiting(reason, `${condition}: ${kind.kind} ${name} is not ready: ${message}`);
}
