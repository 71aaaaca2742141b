import type { AzureMachinePoolMachine, Frozen, Node } from "@capstan/api";
import { byProviderID } from "../../azure/scale-set/by-provider-id.ts";
import type { ScaleSetInstance } from "../../azure/scale-set/instance.ts";
import { seekNode, type NodeRefCache } from "../../workload/node-ref-cache.ts";
import { type Claim, claimOf, inOrderOfClaims } from "../azuremachinepoolmachine/claims.ts";
import type { MachineFacts } from "./machine-view.ts";

/** What was last put together for the resource of a machine; as long as all of it is the same, so are the facts. */
export interface IndexedMachine extends Claim, NodeRefCache {
  /** Where it is in the row of all joins of the last pass. */
  place: number;
  /** Its instance, and the list that it was looked for in where nobody else could have claimed it. */
  instance: ScaleSetInstance | undefined;
  list: readonly ScaleSetInstance[] | undefined;
  made: CachedFacts | undefined;
}

/** What facts about a machine are made of, beside its resource. */
export interface Parts {
  readonly instance: ScaleSetInstance | undefined;
  /** The Nodes that say they are the machine: the same array while none changes. Undefined while nobody can look. */
  readonly candidates: readonly Frozen<Node>[] | undefined;
  readonly isGoing: boolean;
  readonly modelHash: string | undefined;
}

/** Facts, and what they were made of. */
interface CachedFacts extends Parts {
  readonly facts: MachineFacts;
}

type Machine = Frozen<AzureMachinePoolMachine>;

/**
 * The joins of one pool, from pass to pass. Of a thousand machines a few have changed in between; for the others neither
 * instance nor Node is looked up again, because that is what takes the time: each look goes to another corner of the memory.
 */
export class MachineIndex {
  readonly #known = new WeakMap<Machine, IndexedMachine>();
  #last: readonly IndexedMachine[] = [];

  /** The joins of these machines, in their order. */
  of(machines: readonly Machine[]): readonly IndexedMachine[] {
    const last = this.#last;
    let place = -1;
    // Those that have not changed follow each other as they did in the last pass, and are not looked up.
    const machineIndex = machines.map((machine) => {
      const next = last[++place];
      if (next?.machine === machine) return next;
      const known = this.#known.get(machine);
      // Where one has gone the row goes on behind it; one that is new has taken the place of its former self.
      if (known) place = known.place;
      return known ?? this.#make(machine);
    });
    for (let index = 0; index < machineIndex.length; index++) {
      const join = machineIndex[index];
      if (join) join.place = index;
    }
    this.#last = machineIndex;
    return machineIndex;
  }

  #make(machine: Machine): IndexedMachine {
    const join: IndexedMachine = {
      ...claimOf(machine),
      ...seekNode(machine.spec.providerID),
      place: 0,
      instance: undefined,
      list: undefined,
      made: undefined,
    };
    this.#known.set(machine, join);
    return join;
  }
}

/** Gives each resource its instance; where several claim one, the first in the order of claims has it. */
export function claim(
  machineIndex: readonly IndexedMachine[],
  instances: readonly ScaleSetInstance[],
): readonly IndexedMachine[] {
  const byKey = byProviderID(instances);
  // Without one that was made by hand there is one resource for each instance: the pool names them after those.
  const isDisputed = machineIndex.some(({ isHandMade }) => isHandMade);
  if (!isDisputed) {
    for (const join of machineIndex) if (join.list !== instances) take(join, byKey.get(join.key), instances);
    return machineIndex;
  }
  const taken = new Set<string>();
  const ordered = inOrderOfClaims(machineIndex);
  for (const join of ordered) {
    take(join, taken.has(join.key) ? undefined : byKey.get(join.key), undefined);
    taken.add(join.key);
  }
  return ordered;
}

function take(
  join: IndexedMachine,
  instance: ScaleSetInstance | undefined,
  list: IndexedMachine["list"],
): void {
  join.instance = instance;
  join.list = list;
}

/** The instances that no resource stands for, with their keys. */
export function unclaimed(
  machineIndex: readonly IndexedMachine[],
  instances: readonly ScaleSetInstance[],
): readonly (readonly [key: string, instance: ScaleSetInstance])[] {
  const byKey = byProviderID(instances);
  const claimed = machineIndex.filter(({ instance }) => instance !== undefined);
  if (claimed.length === byKey.size) return [];
  const keys = new Set(claimed.map(({ key }) => key));
  return [...byKey].filter(([key]) => !keys.has(key));
}
