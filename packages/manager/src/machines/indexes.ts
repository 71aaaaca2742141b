import { type Frozen, Machine } from "@capstan/api";
import { type CacheReader, index, type ObjectName } from "@capstan/runtime";
import { providerKey } from "../workload/nodes.ts";

const BY_PROVIDER_ID = "provider-id";

/** The index over Machines by their provider id. */
export const machinesByProviderID = index(Machine, BY_PROVIDER_ID, ({ spec }) =>
  spec.providerID === undefined ? [] : [providerKey(spec.providerID)],
);

/** The machines of a Cluster with one of the provider ids; needs `machinesByProviderID`. */
export function machinesWith(
  cache: CacheReader,
  cluster: ObjectName,
  providerIDs: readonly string[],
): readonly Frozen<Machine>[] {
  return providerIDs
    .flatMap((id) => cache.list(Machine, { index: BY_PROVIDER_ID, value: providerKey(id) }))
    .filter(
      ({ metadata, spec }) => spec.clusterName === cluster.name && metadata.namespace === cluster.namespace,
    );
}
