import { type Cluster, CONTROL_PLANE_LABEL, type Frozen, Machine } from "@capstan/api";
import { isExternallyManaged } from "../contract/contract-object.ts";
import { ofCluster } from "../contract/indexes.ts";
import { type ObjectReader, resolve } from "../contract/resolve.ts";

/**
 * Whether no machine can serve the API of a cluster any more, as Cluster API judges it: its control plane is being deleted, or
 * has no machine left. One that runs elsewhere has no machines here. The caller indexes Machines by cluster.
 */
export async function isControlPlaneGone(reader: ObjectReader, cluster: Frozen<Cluster>): Promise<boolean> {
  const reference = cluster.spec.controlPlaneRef;
  const { namespace = "" } = cluster.metadata;
  // Without a reference users run the API server.
  if (!reference) return false;
  const resolved = await resolve(reader, { reference, field: "spec.controlPlaneRef", namespace });
  if (resolved.state === "found") {
    if (resolved.object.metadata.deletionTimestamp !== undefined) return true;
    if (isExternallyManaged(resolved.object)) return false;
  }
  return !ofCluster(reader.cache, Machine, cluster.metadata).some(
    ({ metadata: { labels, deletionTimestamp } }) =>
      labels?.[CONTROL_PLANE_LABEL] !== undefined && deletionTimestamp === undefined,
  );
}
