import {
  CLUSTER_NAME_LABEL,
  controllerOf,
  controllerReferenceTo,
  deepEqual,
  ensureOwnerReference,
  type Frozen,
  isSameOwner,
  type KubernetesObject,
} from "@capstan/api";
import { type Client, type Failure, terminal } from "@capstan/runtime";
import type { ContractObject } from "./contract-object.ts";
import type { ResolvedReference } from "./resolve.ts";

/** The owner of an object, and the cluster that it belongs to. */
export interface Adopter {
  readonly owner: Frozen<KubernetesObject>;
  readonly clusterName: string;
}

/** The decision about the metadata of a referenced object. */
export type Adoption =
  | { readonly do: "keep"; readonly why: string }
  | { readonly do: "patch"; readonly body: object; readonly why: string }
  | { readonly do: "refuse"; readonly why: string };

/** Decides how to set the owner reference and the cluster label of a referenced object. */
export function decideAdoption(object: Frozen<ContractObject>, { owner, clusterName }: Adopter): Adoption {
  const { metadata } = object;
  const desired = controllerReferenceTo(owner);
  const other = controllerOf(object);
  if (other && !isSameOwner(other, desired)) {
    return { do: "refuse", why: `it already belongs to ${other.kind} ${other.name}` };
  }
  if (metadata.deletionTimestamp !== undefined) return { do: "keep", why: "it is being deleted" };
  const ownerReferences = ensureOwnerReference(metadata.ownerReferences, desired);
  const isLabelled = metadata.labels?.[CLUSTER_NAME_LABEL] === clusterName;
  if (isLabelled && deepEqual(ownerReferences, metadata.ownerReferences)) {
    return { do: "keep", why: "it has its owner and its cluster" };
  }
  const { resourceVersion } = metadata;
  const body = {
    metadata: { resourceVersion, ownerReferences, labels: { [CLUSTER_NAME_LABEL]: clusterName } },
  };
  return { do: "patch", body, why: "it lacks its owner or its cluster" };
}

/** Sets the owner and the cluster label of an object, if it exists. Throws a Failure when it has another owner. */
export async function adopt(
  client: Client,
  resolved: ResolvedReference,
  adopter: Adopter & { readonly field: string },
): Promise<void> {
  if (resolved.state !== "found") return;
  const { kind, name } = resolved.target;
  const adoption = decideAdoption(resolved.object, adopter);
  if (adoption.do === "refuse") throw taken(resolved, adopter.field, adoption.why);
  if (adoption.do === "patch") await client.patch(kind, name, { type: "merge", body: adoption.body });
}

function taken({ target }: ResolvedReference, field: string, why: string): Failure {
  return terminal(
    "ReferencedObjectTaken",
    `${field} names ${target.text}, but ${why}; an object can have only one owner`,
  );
}
