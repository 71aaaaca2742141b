import { lastPart, machineIdIn } from "../../machine-id.ts";
import type { Truth } from "../../world/truth.ts";
import type { Invariant } from "../invariant.ts";
import { PoolLookup, type PoolRecord } from "./pool-lookup.ts";

/** I5, I13 and half of I22: Azure and the management cluster agree. */
export const oneResourcePerInstance: Invariant = {
  name: "one-resource-per-instance",
  says: "no two AzureMachinePoolMachines have the same instance, and at rest each instance has its machine, and each machine its instance",
  watch: (truth) => {
    const poolLookup = new PoolLookup(truth);
    return {
      happened: ({ happening }) => {
        const isCreate = happening.kind === "write" && happening.verb === "create";
        if (!isCreate || happening.resource !== "azuremachinepoolmachines") return undefined;
        return twice(poolLookup.machines().map(({ spec }) => spec.providerID.toLowerCase()));
      },
      atRest: () => {
        for (const record of poolLookup.pools().filter(({ isLeaving }) => !isLeaving)) {
          const problem = differenceIn(truth, poolLookup, record);
          if (problem !== undefined) return problem;
        }
        return orphanIn(truth, poolLookup);
      },
    };
  },
};

function twice(ids: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (const id of ids) {
    if (seen.has(id)) return `two AzureMachinePoolMachines have the instance ${id}`;
    seen.add(id);
  }
  return undefined;
}

function differenceIn(truth: Truth, poolLookup: PoolLookup, { pool }: PoolRecord): string | undefined {
  const { scaleSets } = truth.azure.core.world;
  const set = [...scaleSets.sets.entries()].find(
    ([, { id }]) => lastPart(id).toLowerCase() === pool.metadata.name,
  )?.[1];
  const instances = set ? [...scaleSets.members(set.id).values()].map(({ machineId }) => machineId) : [];
  const machines = poolLookup
    .machines()
    .filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === pool.metadata.uid));
  const known = new Map(machines.map((one) => [machineIdIn(one.spec.providerID) ?? "", one]));
  const unknown = instances.find((id) => !known.has(id));
  if (unknown !== undefined) return `instance ${unknown} has no AzureMachinePoolMachine`;
  for (const [id, machine] of known) {
    const { name } = machine.metadata;
    if (!instances.includes(id)) return `AzureMachinePoolMachine ${name} has no instance`;
    // Also in pools that are paused or wait for Azure, which tells-the-truth does not check.
    if (truth.isAvailable(id) && machine.status?.ready !== true)
      return `AzureMachinePoolMachine ${name} is not ready, but its Node is`;
  }
  return undefined;
}

/** A scale set of ours without a pool in the management cluster. */
function orphanIn(truth: Truth, poolLookup: PoolLookup): string | undefined {
  const { scaleSets, resources } = truth.azure.core.world;
  const pools = new Set(poolLookup.pools().map(({ pool }) => pool.metadata.name));
  for (const [, { id }] of scaleSets.sets.entries()) {
    const tags = resources.get(id)?.body["tags"] as Readonly<Record<string, string>> | undefined;
    if (tags?.["capstan_model-hash"] !== undefined && !pools.has(lastPart(id).toLowerCase()))
      return `scale set ${id} belongs to no pool`;
  }
  return undefined;
}
