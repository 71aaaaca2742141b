/** Whether Azure Service Operator may write to a resource. Pure. */
import { type AsoObject, type Frozen, getCondition, isJsonObject } from "@capstan/api";
import { isOwned, type Owner } from "../ownership-tags.ts";

/** The annotation that says whether Azure Service Operator may write to Azure. */
export const POLICY_ANNOTATION = "serviceoperator.azure.com/reconcile-policy";

/** What `serviceoperator.azure.com/reconcile-policy` says. */
export type ReconcilePolicy = "manage" | "skip" | "detach-on-delete";

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
  const { observed } = input;
  if (!observed) return { policy: "skip", why: "Azure is read before anything is written" };
  const why = whyManaged(observed, input);
  if (why !== undefined) return { policy: "manage", why };
  return isRead(observed)
    ? { policy: "skip", why: "the resource exists in Azure and does not have the tags of this cluster" }
    : { policy: "skip", why: "the resource has not been read yet" };
}

function whyManaged(
  observed: Frozen<AsoObject>,
  { owner, parent, isAdopted }: PolicyInput,
): string | undefined {
  if (observed.metadata.annotations?.[POLICY_ANNOTATION] === "manage")
    return "the resource is managed already";
  if (isMissing(observed)) return "the resource does not exist in Azure";
  if (!isRead(observed)) return undefined;
  if (isAdopted === true) return "an annotation asks for its adoption";
  if (hasTagsOf(observed, owner)) return "the resource has the tags of this cluster";
  return parent?.policy === "manage" ? "the resource that contains it is managed" : undefined;
}

/** Whether Azure Service Operator has looked for the resource and not found it. */
function isMissing({ status }: Frozen<AsoObject>): boolean {
  return getCondition(status?.conditions, "Ready")?.reason === "AzureResourceNotFound";
}

/** Whether Azure Service Operator has found the resource in Azure. */
function isRead({ status }: Frozen<AsoObject>): boolean {
  return status?.["id"] !== undefined;
}

function hasTagsOf({ status }: Frozen<AsoObject>, owner: Owner): boolean {
  const tags = status?.["tags"];
  return isJsonObject(tags) && isOwned({ tags }, owner);
}
