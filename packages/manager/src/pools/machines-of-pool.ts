/** Which machines belong to which pool. */
import {
  AzureMachinePool,
  AzureMachinePoolMachine,
  type Frozen,
  groupOf,
  type OwnerReference,
  ownerReferenceTo,
} from "@capstan/api";
import { type CacheReader, index, keyOf, type ObjectName } from "@capstan/runtime";
import { MACHINE_POOL_LABEL } from "./well-known.ts";

const BY_POOL = "machines-of-pool";

/** The machines of a pool. */
export const machinesByPool = index(AzureMachinePoolMachine, BY_POOL, (machine) => [
  keyOf({ metadata: { name: poolNameOf(machine), namespace: machine.metadata.namespace } }),
]);

/**
 * The machines of a pool: those it owns, or whose label names it. Names are compared whole, never by prefix. Needs the index
 * `machinesByPool`.
 */
export function machinesOfPool(
  cache: CacheReader,
  pool: { readonly metadata: ObjectName },
): readonly Frozen<AzureMachinePoolMachine>[] {
  return cache.list(AzureMachinePoolMachine, { index: BY_POOL, value: keyOf(pool) });
}

/** The name of the pool that a machine belongs to. */
export function poolNameOf(machine: Frozen<AzureMachinePoolMachine>): string {
  const { labels } = machine.metadata;
  return poolReferenceOf(machine)?.name ?? labels?.[MACHINE_POOL_LABEL] ?? "";
}

/** The reference of a machine to its pool. */
export function poolReferenceOf({
  metadata,
}: Pick<Frozen<AzureMachinePoolMachine>, "metadata">): Frozen<OwnerReference> | undefined {
  return metadata.ownerReferences?.find(
    ({ kind, apiVersion }) =>
      kind === AzureMachinePool.kind && groupOf(apiVersion) === AzureMachinePool.group,
  );
}

/**
 * The reference to the pool that a machine gets. As with CAPZ it is not a controller's: beside Cluster API's own core a
 * Machine controls it.
 */
export function poolReferenceTo(pool: Frozen<AzureMachinePool>): OwnerReference {
  return { ...ownerReferenceTo(pool), blockOwnerDeletion: true };
}
