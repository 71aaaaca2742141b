import { type Cluster, deepEqual, ensureOwnerReference, type Frozen, ownerReferenceTo } from "@capstan/api";
import type { Client } from "@capstan/runtime";
import type { Pointer } from "./reference.ts";
import { type ObjectReader, resolve, type ResolvedReference } from "./resolve.ts";

/**
 * Makes the Cluster an owner of the templates that exist, as Cluster API does: they are deleted with the Cluster, and
 * `clusterctl move` takes them along. A template has no controller: several clusters may use it.
 */
export async function ownTemplates(
  reader: ObjectReader,
  cluster: Frozen<Cluster>,
  templates: readonly Pointer[],
): Promise<void> {
  for (const pointer of templates) await ownTemplate(reader.client, await resolve(reader, pointer), cluster);
}

async function ownTemplate(
  client: Client,
  resolved: ResolvedReference,
  cluster: Frozen<Cluster>,
): Promise<void> {
  if (resolved.state !== "found") return;
  const { resourceVersion, deletionTimestamp, ownerReferences: before } = resolved.object.metadata;
  const ownerReferences = ensureOwnerReference(before, ownerReferenceTo(cluster));
  if (deletionTimestamp !== undefined || deepEqual(ownerReferences, before)) return;
  const { kind, name } = resolved.target;
  const body = { metadata: { resourceVersion, ownerReferences } };
  await client.patch(kind, name, { type: "merge", body });
}
