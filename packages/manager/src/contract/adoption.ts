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

/** Who refers to an object, and the cluster it belongs to. */
export interface Adopter {
  readonly owner: Frozen<KubernetesObject>;
  readonly clusterName: string;
}

/** What is to be done so that an object shows whose it is. */
export type Adoption =
  | { readonly do: "keep"; readonly why: string }
  | { readonly do: "patch"; readonly body: object; readonly why: string }
  | { readonly do: "refuse"; readonly why: string };

/** Decides how an object that is referred to comes to show its owner and its cluster. */
export function decideAdoption(object: Frozen<ContractObject>, { owner, clusterName }: Adopter): Adoption {
  const { metadata } = object;
  const wanted = controllerReferenceTo(owner);
  const other = controllerOf(object);
  if (other && !isSameOwner(other, wanted)) {
    return { do: "refuse", why: `it already belongs to ${other.kind} ${other.name}` };
  }
  if (metadata.deletionTimestamp !== undefined) return { do: "keep", why: "it is being deleted" };
  const ownerReferences = ensureOwnerReference(metadata.ownerReferences, wanted);
  const isLabelled = metadata.labels?.[CLUSTER_NAME_LABEL] === clusterName;
  if (isLabelled && deepEqual(ownerReferences, metadata.ownerReferences)) {
    return { do: "keep", why: "it shows its owner and its cluster" };
  }
  const { resourceVersion } = metadata;
  const body = {
    metadata: { resourceVersion, ownerReferences, labels: { [CLUSTER_NAME_LABEL]: clusterName } },
  };
  return { do: "patch", body, why: "it does not show its owner or its cluster yet" };
}

/** Makes an object show whose it is, if there is one. Throws a Failure when it is somebody else's. */
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
