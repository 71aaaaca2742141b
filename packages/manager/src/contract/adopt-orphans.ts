import {
  controllerOf,
  controllerReferenceTo,
  ensureOwnerReference,
  type Frozen,
  type Kind,
  type KubernetesObject,
  type LabelSelectorLike,
  selectorMatches,
  selectorOf,
} from "@capstan/api";
import type { Context } from "@capstan/runtime";

/** An object that others belong to by their labels. */
type Adopter = Frozen<KubernetesObject> & {
  readonly spec: { readonly clusterName: string; readonly selector: LabelSelectorLike };
};

type Orphan = Frozen<KubernetesObject> & { readonly spec: { readonly clusterName: string } };

/** Makes the adopter the controller of objects without one that its selector matches; returns whether there are any. */
export async function adoptOrphans(
  { client, event }: Pick<Context<KubernetesObject>, "client" | "event">,
  adopter: Adopter,
  { kind, orphans }: { readonly kind: Kind; readonly orphans: readonly Orphan[] },
): Promise<boolean> {
  const selector = selectorOf(adopter.spec.selector);
  const matching = orphans.filter(
    ({ metadata, spec }) =>
      metadata.deletionTimestamp === undefined &&
      spec.clusterName === adopter.spec.clusterName &&
      selectorMatches(selector, metadata.labels ?? {}),
  );
  for (const { metadata } of matching) {
    const { name, namespace, resourceVersion } = metadata;
    const ownerReferences = ensureOwnerReference(metadata.ownerReferences, controllerReferenceTo(adopter));
    const body = { metadata: { resourceVersion, ownerReferences } };
    await client.patch(kind, { name, namespace }, { type: "merge", body });
    event({ type: "Normal", reason: "SuccessfulAdopt", message: `Adopted ${kind.kind} ${name}` });
  }
  return matching.length > 0;
}

/** The value of an object in an index over objects without a controller: its namespace. */
export function orphanNamespaces(object: Frozen<KubernetesObject>): readonly string[] {
  return controllerOf(object) ? [] : [object.metadata.namespace ?? ""];
}
