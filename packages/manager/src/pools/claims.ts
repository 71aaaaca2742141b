import { AzureMachinePoolMachine, type Frozen } from "@capstan/api";
import type { CacheReader } from "@capstan/runtime";
import { machineResourceName } from "@capstan/plan";
import { providerKey } from "../workload/nodes.ts";
import { poolNameOf } from "./machines-of-pool.ts";

/** The index of machines by the keys of their provider ids. */
export const BY_PROVIDER_ID = "provider-id";

/** A resource that claims to represent an instance. */
export interface Claim {
  readonly machine: Frozen<AzureMachinePoolMachine>;
  readonly isHandMade: boolean;
}

/** The claim of a resource. The pool names its own resources after their instances, so each instance has one. */
export function claimOf(machine: Frozen<AzureMachinePoolMachine>): Claim {
  const instanceID = machine.spec.providerID.split("/").at(-1) ?? "";
  return {
    machine,
    isHandMade: machine.metadata.name !== machineResourceName(poolNameOf(machine), instanceID),
  };
}

/** If several resources of a pool claim one instance, the first in this order has it: the one that the pool has created. */
export function inOrderOfClaims<T extends Claim>(claims: readonly T[]): readonly T[] {
  const handMade = claims.filter(({ isHandMade }) => isHandMade);
  const byName = handMade.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  return [...claims.filter(({ isHandMade }) => !isHandMade), ...byName];
}

/** The name of the resource that has this one's instance, if it is another one; then Node and instance belong to that. */
export function precedingName(
  machine: Frozen<AzureMachinePoolMachine>,
  cache: CacheReader,
): string | undefined {
  const { name, namespace } = machine.metadata;
  const value = providerKey(machine.spec.providerID);
  const claimants = cache.list(AzureMachinePoolMachine, { index: BY_PROVIDER_ID, value });
  // Every pass over every machine gets here, and there is hardly ever a second claim.
  if (claimants.length === 1 && claimants[0]?.metadata.name === name) return undefined;
  const rivals = claimants.filter(
    (one) => one.metadata.namespace === namespace && poolNameOf(one) === poolNameOf(machine),
  );
  const [first] = inOrderOfClaims(rivals.map(claimOf));
  return first && nameOf(first) !== name ? nameOf(first) : undefined;
}

function nameOf({ machine }: Claim): string {
  return machine.metadata.name;
}
