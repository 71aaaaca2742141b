import {
  type AsoObject,
  CLUSTER_NAME_LABEL,
  type Frozen,
  getCondition,
  type Kind,
  type KubernetesObject,
} from "@capstan/api";
import { type Context, failedCondition, Failure, terminal, waiting } from "@capstan/runtime";
import {
  ADOPT_ANNOTATION,
  adoptionChanges,
  applyPatches,
  decidePolicy,
  type DesiredObject,
  POLICY_ANNOTATION,
  type PolicyDecision,
  type PolicyInput,
} from "@capstan/plan";
import { type AsoObjects, isAsoReady, isControlledBy } from "./aso-objects.ts";

// CAPZ's name, so that either provider resumes what the other one has paused.
const PRE_PAUSE_ANNOTATION = "sigs.k8s.io/cluster-api-provider-azure-pre-pause-reconcile-policy";
const CREDENTIAL_ANNOTATION = "serviceoperator.azure.com/credential-from";

/** An object of Azure Service Operator that a controller of AKS keeps. */
export interface KeptObject {
  readonly kind: Kind<AsoObject>;
  readonly name: string;
  readonly clusterName: string;
  /** The condition of the reconciled object that reports this one. */
  readonly condition: string;
  /** Computes the spec from the object as it is. */
  readonly spec: (
    observed: Frozen<AsoObject> | undefined,
    decision: PolicyDecision,
  ) => Readonly<Record<string, unknown>>;
  /** The patches of the user, and the field that has them. */
  readonly patches?: { readonly field: string; readonly texts: readonly string[] };
  readonly policy: Omit<PolicyInput, "observed">;
  /** The Secret with the credentials for Azure, by its name. */
  readonly credentialFrom?: string | undefined;
  /** Set where a resource that exists and is not ours is an error: the spec that it would have after its adoption. */
  readonly adoptedSpec?: (observed: Frozen<AsoObject>) => Readonly<Record<string, unknown>>;
}

/** The object after a pass. */
export interface Kept {
  readonly object: Frozen<AsoObject>;
  readonly isBringYourOwn: boolean;
  readonly policy: PolicyDecision;
  /** Fields that the server does not keep as they are applied. */
  readonly unkept: readonly string[];
}

interface Keeper<T extends KubernetesObject> {
  readonly context: Context<T>;
  readonly aso: AsoObjects;
}

/** Applies an object, unless its user created it, and reports it in its condition. */
export async function keepObject<T extends KubernetesObject>(
  keeper: Keeper<T>,
  resource: KeptObject,
): Promise<Kept> {
  const { context } = keeper;
  try {
    const kept = await apply(keeper, resource);
    report(context, resource, kept);
    return kept;
  } catch (error) {
    if (error instanceof Failure && error.failure !== "Conflict" && error.failure !== "NotFound")
      context.setCondition(failedCondition(resource.condition, error));
    throw error;
  }
}

async function apply<T extends KubernetesObject>(
  { context, aso }: Keeper<T>,
  resource: KeptObject,
): Promise<Kept> {
  const { kind, name, policy } = resource;
  const observed = await resumed(context, kind, await aso.find(context, kind, name));
  if (observed && !isControlledBy(observed, context.object))
    return {
      object: observed,
      isBringYourOwn: true,
      policy: { policy: "skip", why: "its user created the object" },
      unkept: [],
    };
  if (observed?.metadata.deletionTimestamp !== undefined)
    throw waiting(
      "WaitingForDeletion",
      `${kind.kind} ${name} is being deleted; it is created again afterwards`,
    );
  const decision = decidePolicy({ ...policy, observed });
  const { adoptedSpec } = resource;
  if (adoptedSpec && observed && isForeign({ object: observed, policy: decision })) {
    const adopted = { ...resource, spec: () => adoptedSpec(observed) };
    const object = patched(desiredObject(context, adopted, { observed, decision }), resource);
    const changes = adoptionChanges(object, observed.status);
    throw terminal("ClusterNotAdopted", notAdopted(resource, decision, changes));
  }
  const desired = patched(desiredObject(context, resource, { observed, decision }), resource);
  return { ...(await aso.apply(context, kind, desired)), isBringYourOwn: false, policy: decision };
}

/** Whether the resource exists in Azure and is only read, because it is not ours. */
export function isForeign({ object, policy }: Pick<Kept, "object" | "policy">): boolean {
  return policy.policy === "skip" && object.status?.["id"] !== undefined;
}

function notAdopted({ kind, name }: KeptObject, { why }: PolicyDecision, changes: readonly string[]): string {
  const effect = changes.length === 0 ? "would change nothing" : `would change ${changes.join(", ")}`;
  return `${kind.kind} ${name}: ${why}; adoption ${effect} in Azure; to adopt it, set the annotation ${ADOPT_ANNOTATION}: "true"`;
}

/**
 * After a pause the policy is decided again, by what Azure says of the resource: the annotation with the policy from before
 * it is only a note, which other clients can write.
 */
async function resumed<T extends KubernetesObject>(
  { client, object: owner }: Context<T>,
  kind: Kind<AsoObject>,
  observed: Frozen<AsoObject> | undefined,
): Promise<Frozen<AsoObject> | undefined> {
  const before = observed?.metadata.annotations?.[PRE_PAUSE_ANNOTATION];
  if (!observed || before === undefined || !isControlledBy(observed, owner)) return observed;
  const { name, namespace } = observed.metadata;
  const annotations = { [PRE_PAUSE_ANNOTATION]: null };
  return await client.patch(
    kind,
    { name, namespace },
    { type: "merge", body: { metadata: { annotations } } },
  );
}

/** Makes Azure Service Operator leave a resource alone while its owner is paused. */
export async function pauseObject<T extends KubernetesObject>(
  { context, aso }: Keeper<T>,
  kind: Kind<AsoObject>,
  name: string,
): Promise<void> {
  const observed = await aso.find(context, kind, name);
  if (!observed || !isControlledBy(observed, context.object)) return;
  const { annotations, namespace } = observed.metadata;
  const before = annotations?.[POLICY_ANNOTATION] ?? "manage";
  if (before === "skip" && annotations?.[PRE_PAUSE_ANNOTATION] !== undefined) return;
  const body = {
    metadata: { annotations: { [POLICY_ANNOTATION]: "skip", [PRE_PAUSE_ANNOTATION]: before } },
  };
  await context.client.patch(kind, { name, namespace }, { type: "merge", body });
}

function desiredObject<T extends KubernetesObject>(
  { object }: Context<T>,
  { kind, name, clusterName, spec, credentialFrom }: KeptObject,
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
      annotations: {
        [POLICY_ANNOTATION]: decision.policy,
        ...(credentialFrom !== undefined && { [CREDENTIAL_ANNOTATION]: credentialFrom }),
      },
    },
    spec: spec(observed, decision),
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
  const { reason, severity, message } = ready;
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
