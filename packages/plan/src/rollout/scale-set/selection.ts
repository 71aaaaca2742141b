import type { InstanceView, PoolView } from "./view.ts";
import { isAvailable, isBroken } from "./view.ts";

/** Sorts machines by the pool's deletePolicy, the first to delete first; the order is deterministic. */
function inPolicyOrder<T extends InstanceView>(
  view: Pick<PoolView, "deletePolicy" | "seed">,
  machines: readonly T[],
): readonly T[] {
  const byAge = (a: InstanceView, b: InstanceView): number =>
    a.createdMs - b.createdMs || byInstanceID(a.instanceID, b.instanceID);
  const compare = {
    Oldest: byAge,
    Newest: (a: InstanceView, b: InstanceView) => byAge(b, a),
    Random: (a: InstanceView, b: InstanceView) => lot(view.seed, a) - lot(view.seed, b) || byAge(a, b),
  }[view.deletePolicy];
  return machines.toSorted(compare);
}

/**
 * The order in which Azure created instances. Their ids are decimal numbers, so the longer id is the larger one; a
 * locale-aware comparison takes fifty times as long.
 */
export function byInstanceID(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a === b ? 0 : a < b ? -1 : 1;
}

/**
 * Sorts machines by deletion priority: picked before, then annotated by a user, then unavailable, then available;
 * within each group surge machines for updates in place, then outdated before up to date, then broken ones, then by
 * policy.
 */
export function byDeletionPriority<T extends InstanceView>(
  view: PoolView,
  machines: readonly T[],
  goalHash: string,
): readonly T[] {
  const rank = (machine: InstanceView): number =>
    (machine.picked === "delete" ? 0 : 32) +
    (machine.hasDeleteAnnotation ? 0 : 16) +
    (isAvailable(machine) ? 8 : 0) +
    (view.instanceUpdate === "InPlace" && machine.isSurge ? 0 : 4) +
    (machine.modelHash === goalHash ? 2 : 0) +
    (isBroken(machine) ? 0 : 1);
  // Sorting is stable, so equal machines stay in policy order.
  return inPolicyOrder(view, machines).toSorted((a, b) => rank(a) - rank(b));
}

/** A number that depends only on seed and name, so that the order of the calls does not matter. */
function lot(seed: string, machine: InstanceView): number {
  let hash = 0x811c9dc5;
  for (const character of `${seed}/${machine.instanceID}`) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  // The last rounds spread similar ids such as 10 and 11 over the whole range.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) >>> 0;
}
