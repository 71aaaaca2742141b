/**
 * Decides the replicas of the sets before machines move. Old sets get no new machines: what they lack is created from the
 * new template, so a template that never worked is repaired by a better one.
 */
import { counted } from "../../shared/action.ts";
import type { MarkCause } from "../action.ts";
import type { InPlaceMachine, SetView } from "../view.ts";
import {
  availableAfter,
  type Fleet,
  floorOf,
  isReplaced,
  machinesOf,
  oldSets,
  targetSet,
  totalReplicas,
  withReplicas,
} from "./fleet.ts";
import { candidatesOf, canMove } from "./moves.ts";

/** The fleet with the replicas that the sets should have, apart from moves. */
export function resize(fleet: Fleet): Fleet {
  const retired = oldSets(fleet).reduce(retire, fleet);
  return recordSpare(grow(removeSurplus(endSpare(retired)), fleet));
}

/** Takes the machines from an old set that never worked, and those that it lacks. */
function retire(fleet: Fleet, set: SetView): Fleet {
  const own = machinesOf(fleet, set);
  const chosen: InPlaceMachine[] = [];
  let spare = availableAfter(fleet) - floorOf(fleet.view);
  for (const machine of own.filter(isReplaced)) {
    if (machine.isAvailable && spare <= 0) continue;
    if (machine.isAvailable) spare--;
    chosen.push(machine);
  }
  // The set has created them, and the list of machines does not show them yet.
  const unseen = Math.max(set.current - set.deleting - own.length, 0);
  const kept = Math.min(set.replicas, own.length + unseen - chosen.length);
  const marks = new Map([...fleet.marks, ...chosen.map((one) => [one.name, causeOf(one)] as const)]);
  if (kept === set.replicas) return { ...fleet, marks };
  const why =
    chosen.length > 0
      ? `${counted(chosen.length, "machine")} never became ready or must be replaced; the new template takes over`
      : "machines that this set lacks are created from the new template";
  return withReplicas({ ...fleet, marks }, set, { replicas: kept, why });
}

function causeOf({ state }: InPlaceMachine): MarkCause {
  return state === "unhealthy" ? "Unhealthy" : "NeverReady";
}

/** Whether machines are still to be updated, are being updated, or wait for a user after a failure. */
function isUpdatingAny(fleet: Fleet): boolean {
  return (
    fleet.pending.length > 0 ||
    oldSets(fleet).some(({ replicas }) => replicas > 0) ||
    machinesOf(fleet, targetSet(fleet)).some(({ state }) => state === "updating" || state === "failed")
  );
}

function hasSpare({ sets }: Fleet): boolean {
  return sets.some((set) => set.hasSpare === true);
}

/** The machine that was added goes at the end; those that were updated stay. */
function endSpare(fleet: Fleet): Fleet {
  const target = targetSet(fleet);
  if (!hasSpare(fleet) || isUpdatingAny(fleet) || target.replicas <= fleet.view.replicas) return fleet;
  const own = machinesOf(fleet, target);
  const why = "all machines are updated; the added machine goes";
  if (own.length < target.replicas)
    return withReplicas(fleet, target, { replicas: target.replicas - 1, why });
  const [newest] = own.toSorted(
    (a, b) =>
      Number(b.isMarked) - Number(a.isMarked) || b.createdMs - a.createdMs || (a.name < b.name ? -1 : 1),
  );
  if (!newest) return fleet;
  const marks = new Map([...fleet.marks, [newest.name, "Spare"] as const]);
  const ended = withReplicas({ ...fleet, marks }, target, { replicas: target.replicas - 1, why });
  return availableAfter(ended) >= Math.min(floorOf(fleet.view), availableAfter(fleet)) ? ended : fleet;
}

/** Removes what is more than the desired replicas: from old sets first, and as long as enough machines stay available. */
function removeSurplus(fleet: Fleet): Fleet {
  // The spare machine goes only by its mark: its set would choose one that was just updated.
  const allowance = hasSpare(fleet) ? 1 : 0;
  const desired = fleet.view.replicas;
  const why = `${counted(desired, "replica")} desired`;
  return [...oldSets(fleet), targetSet(fleet)].reduce((left, set) => {
    const surplus = totalReplicas(left) - desired - allowance;
    const least = Math.min(floorOf(fleet.view), availableAfter(left));
    for (let less = Math.min(surplus, set.replicas); less > 0;) {
      const smaller = withReplicas(left, set, { replicas: set.replicas - less, why });
      const missing = least - availableAfter(smaller);
      if (missing <= 0) return smaller;
      less -= missing;
    }
    return left;
  }, fleet);
}

/** Adds what is missing from the new template, and the spare machine if no machine may be missed. */
function grow(fleet: Fleet, before: Fleet): Fleet {
  const { replicas, maxSurge } = fleet.view;
  const goal = replicas + (needsSpare(fleet) ? 1 : 0);
  const target = targetSet(fleet);
  const former = new Map(before.sets.map((set) => [set.name, set.replicas]));
  const existing = fleet.sets.reduce(
    (sum, set) => sum + Math.max(set.replicas, former.get(set.name) ?? 0, set.current),
    0,
  );
  const added = Math.min(goal - totalReplicas(fleet), goal - existing);
  if (added <= 0) return fleet;
  const spare =
    goal > replicas ? `; one more than desired within maxSurge ${maxSurge}, while machines are updated` : "";
  const why = `${counted(existing, "machine")} of at most ${goal}${spare}`;
  return withReplicas(fleet, target, { replicas: target.replicas + added, why });
}

/** Whether a machine has to be added before an available one may be updated. */
function needsSpare(fleet: Fleet): boolean {
  const { maxSurge, maxUnavailable } = fleet.view;
  if (maxUnavailable > 0 || maxSurge === 0 || !canMove(fleet)) return false;
  return candidatesOf(fleet).some(({ isAvailable }) => isAvailable);
}

/**
 * Records in the target that it has the spare machine, until there are no more machines than desired. The set of a former
 * target keeps its record until the new one has it: it may not be created before the updaters have answered.
 */
function recordSpare(fleet: Fleet): Fleet {
  const isMore = totalReplicas(fleet) > fleet.view.replicas;
  const isKept = isMore && (hasSpare(fleet) || needsSpare(fleet));
  const isRecorded = fleet.view.sets.some(({ name, hasSpare: has }) => name === fleet.target && has === true);
  const sets = fleet.sets.map((set) => {
    const { hasSpare: has = false, ...rest } = set;
    const isHolder = set.name === fleet.target || (has && !isRecorded);
    return isKept && isHolder ? { ...rest, hasSpare: true } : rest;
  });
  return { ...fleet, sets };
}
