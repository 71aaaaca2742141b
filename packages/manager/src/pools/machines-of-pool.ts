/** Which machines belong to which pool. */
import { AzureMachinePoolMachine, controllerOf, type Frozen } from "@capstan/api";
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
  return controllerOf(machine)?.name ?? labels?.[MACHINE_POOL_LABEL] ?? "";
}
