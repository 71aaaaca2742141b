import {
  controllerOf,
  type Frozen,
  type Kind,
  type KubernetesObject,
  Machine,
  MachineSet,
} from "@capstan/api";
import type { Call, Invariant, Truth } from "@capstan/sim";

// The random part of the name of a machine, with its dash.
const SUFFIX_LENGTH = 6;

/**
 * A MachineSet never creates a machine that makes more machines than its replicas, whatever its cache shows. A name that is
 * recorded first is what prevents it after a crash: a request that was on its way may arrive later.
 */
export const neverTooMany: Invariant = {
  name: "never-too-many",
  says: "a MachineSet never has more machines than replicas because it created one, whose name it recorded before, and a template has one MachineSet",
  watch: (truth) => ({
    called: (call) => {
      if (call.by === "machineset" && isCreation(call, Machine)) return surplus(truth, call.name);
      return call.by === "machinedeployment" && isCreation(call, MachineSet)
        ? twin(truth, call.name)
        : undefined;
    },
  }),
};

function isCreation({ isApply, server, resource, subresource }: Call, kind: Kind): boolean {
  return isApply === true && server === "management" && resource === kind.plural && subresource === undefined;
}

function surplus(truth: Truth, name: string): string | undefined {
  const machines = listed<Machine>(truth, Machine);
  if (machines.some(({ metadata }) => metadata.name === name)) return undefined;
  const setName = name.slice(0, -SUFFIX_LENGTH);
  const set = listed<MachineSet>(truth, MachineSet).find(({ metadata }) => metadata.name === setName);
  if (!set) return `Machine ${name} is created for a MachineSet that does not exist`;
  if (set.status?.creatingMachines?.includes(name) !== true)
    return `Machine ${name} is created before its name is in the status of MachineSet ${setName}`;
  const count = machines.filter((machine) => controllerOf(machine)?.uid === set.metadata.uid).length + 1;
  const { replicas = 1 } = set.spec;
  return count <= replicas ? undefined : `Machine ${name} is number ${count} of ${replicas} replicas`;
}

function twin(truth: Truth, name: string): string | undefined {
  const sets = listed<MachineSet>(truth, MachineSet);
  if (sets.some(({ metadata }) => metadata.name === name)) return undefined;
  return sets.length < 2 ? undefined : `MachineSet ${name} is number ${sets.length + 1} for two templates`;
}

/** All objects of a kind in the management cluster. */
export function listed<T extends KubernetesObject>(
  { management }: Truth,
  { group, plural }: Kind,
): readonly Frozen<T>[] {
  return [...management.list({ resource: `${group}/${plural}` })] as unknown as readonly Frozen<T>[];
}
