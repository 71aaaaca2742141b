/** Whether Azure Service Operator may write to a resource. Pure. */
import { type AsoObject, type Frozen, getCondition, isJsonObject } from "@capstan/api";
import { isOwned, type Owner } from "../azure-cluster/tags.ts";
import { POLICY_ANNOTATION, type ReconcilePolicy } from "../aso/scope.ts";

/** The decision, and why. */
export interface PolicyDecision {
  readonly policy: Exclude<ReconcilePolicy, "detach-on-delete">;
  readonly why: string;
}

/** What the decision depends on. */
export interface PolicyInput {
  /** The object; undefined before it is created. */
  readonly observed: Frozen<AsoObject> | undefined;
  readonly owner: Owner;
  /** The user has said that a resource which exists already is to be taken over. */
  readonly isAdopted?: boolean;
  /** The decision for the resource that contains this one, where it has no tags of its own. */
  readonly parent?: PolicyDecision | undefined;
}

/**
 * Nothing in Azure is taken by accident: an object starts with `skip`, so that Azure Service Operator only reads, and
 * becomes `manage` when the resource does not exist, has our tags, or the user has said so.
 */
export function decidePolicy(input: PolicyInput): PolicyDecision {
  const { observed, isAdopted = false } = input;
  if (!observed) return { policy: "skip", why: "Azure is read before anything is written" };
  if (observed.metadata.annotations?.[POLICY_ANNOTATION] === "manage")
    return { policy: "manage", why: "the resource is managed already" };
  if (isAdopted) return { policy: "manage", why: "an annotation asks for its adoption" };
  return decideByAzure(observed, input);
}

function decideByAzure(
  { status }: Frozen<AsoObject>,
  { owner, parent }: Pick<PolicyInput, "owner" | "parent">,
): PolicyDecision {
  if (getCondition(status?.conditions, "Ready")?.reason === "AzureResourceNotFound")
    return { policy: "manage", why: "the resource does not exist in Azure" };
  if (status?.["id"] === undefined) return { policy: "skip", why: "the resource has not been read yet" };
  const { tags } = status;
  if (isJsonObject(tags) && isOwned({ tags }, owner))
    return { policy: "manage", why: "the resource has the tags of this cluster" };
  if (parent?.policy === "manage")
    return { policy: "manage", why: "the resource that contains it is managed" };
  return {
    policy: "skip",
    why: "the resource exists in Azure and does not have the tags of this cluster",
  };
}
