import type { AzureMachinePoolMachine, Frozen, Node } from "@capstan/api";
import { byProviderID, type ScaleSetInstance } from "@capstan/azure";
import { type NodeRefCache, seekNode } from "../../../workload/node-ref-cache.ts";
import { type Claim, claimOf, inOrderOfClaims } from "../../../pools/claims.ts";
import type { MachineFacts } from "./machine-view.ts";

/** The resource of a machine with what was matched to it; the facts stay the same while none of it changes. */
export interface IndexedMachine extends Claim, NodeRefCache {
  /** Its position in the list of the last pass. */
  place: number;
  /** Its instance, and the list it was found in if no other resource could claim it. */
  instance: ScaleSetInstance | undefined;
  list: readonly ScaleSetInstance[] | undefined;
  cached: CachedFacts | undefined;
}

/** The input of the facts about a machine, beside its resource. */
export interface Parts {
  readonly instance: ScaleSetInstance | undefined;
  /** The Nodes with its provider id: the same array while none changes. Undefined while the workload cluster does not answer. */
  readonly candidates: readonly Frozen<Node>[] | undefined;
  readonly isGoing: boolean;
  readonly modelHash: string | undefined;
}

/** Facts, and the input they were derived from. */
interface CachedFacts extends Parts {
  readonly facts: MachineFacts;
}

type Machine = Frozen<AzureMachinePoolMachine>;

/**
 * The machines of one pool, kept from pass to pass. In a pool of a thousand few change between passes; for the others neither
 * instance nor Node is looked up again, which is most of the cost of a pass.
 */
export class MachineIndex {
  readonly #known = new WeakMap<Machine, IndexedMachine>();
  #last: readonly IndexedMachine[] = [];

  /** The entries of these machines, in their order. */
  of(machines: readonly Machine[]): readonly IndexedMachine[] {
    const last = this.#last;
    let place = -1;
    // Unchanged machines come in the order of the last pass, and need no lookup.
    const machineIndex = machines.map((machine) => {
      const next = last[++place];
      if (next?.machine === machine) return next;
      const known = this.#known.get(machine);
      // After a machine that is gone the order continues behind it; a changed machine takes the place of its earlier version.
      if (known) place = known.place;
      return known ?? this.#add(machine);
    });
    for (let index = 0; index < machineIndex.length; index++) {
      const entry = machineIndex[index];
      if (entry) entry.place = index;
    }
    this.#last = machineIndex;
    return machineIndex;
  }

  #add(machine: Machine): IndexedMachine {
    const entry: IndexedMachine = {
      ...claimOf(machine),
      ...seekNode(machine.spec.providerID),
      place: 0,
      instance: undefined,
      list: undefined,
      cached: undefined,
    };
    this.#known.set(machine, entry);
    return entry;
  }
}

/** Matches each resource to its instance; if several claim one, the first in the order of claims gets it. */
export function claim(
  machineIndex: readonly IndexedMachine[],
  instances: readonly ScaleSetInstance[],
): readonly IndexedMachine[] {
  const byKey = byProviderID(instances);
  // Unless a user created one by hand, each instance has one resource, named after it.
  const isDisputed = machineIndex.some(({ isHandMade }) => isHandMade);
  if (!isDisputed) {
    for (const entry of machineIndex)
      if (entry.list !== instances) assign(entry, byKey.get(entry.key), instances);
    return machineIndex;
  }
  const taken = new Set<string>();
  const ordered = inOrderOfClaims(machineIndex);
  for (const entry of ordered) {
    assign(entry, taken.has(entry.key) ? undefined : byKey.get(entry.key), undefined);
    taken.add(entry.key);
  }
  return ordered;
}

function assign(
  entry: IndexedMachine,
  instance: ScaleSetInstance | undefined,
  list: IndexedMachine["list"],
): void {
  entry.instance = instance;
  entry.list = list;
}

/** The instances without a resource, with their keys. */
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
