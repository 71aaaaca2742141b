/** Picks the machines that are updated now, and gives them to the set with the template. */
import { type DeploymentBlocked, headingOf } from "../action.ts";
import { type PendingMove, recordMove } from "../hand-over.ts";
import { byAge, type InPlaceMachine } from "../view.ts";
import {
  availableAfter,
  excessOf,
  type Fleet,
  floorOf,
  isReplaced,
  machinesOf,
  oldSets,
  targetSet,
} from "./fleet.ts";

// The names of recorded machines are in an annotation, which has at most 256 KiB; the next pass continues.
const MOST_MOVES = 500;

/** The moves to begin, and why no more do. */
export interface PickedMoves {
  readonly fleet: Fleet;
  readonly moves: readonly PendingMove[];
  readonly blocked: readonly DeploymentBlocked[];
}

/** Picks machines to update now: those that are not available first, because they cost no availability. */
export function pickMoves(fleet: Fleet): PickedMoves {
  const candidates = candidatesOf(fleet);
  const blocked = candidates.length > 0 ? blocksOf(fleet) : [];
  const { view, target, pending } = fleet;
  let room = blocked.length > 0 ? 0 : Math.min(limitOf(fleet), MOST_MOVES - pending.length);
  let spare = availableAfter(fleet) - floorOf(view);
  const moves: PendingMove[] = [];
  for (const { name, set, isAvailable } of candidates) {
    if (room <= 0) break;
    if (isAvailable && spare <= 0) continue;
    moves.push({ machine: name, from: set, to: target });
    room--;
    if (isAvailable) spare--;
  }
  const sets = moves.reduce(recordMove, fleet.sets);
  const whys = new Map(fleet.whys);
  for (const { from, to } of moves) {
    whys.set(from, `machines move to MachineSet ${to}`);
    whys.set(to, "machines move to this MachineSet");
  }
  return { fleet: { ...fleet, sets, whys }, moves, blocked };
}

/** How many machines may begin their update. Without maxUnavailable it is one at a time, beside a spare machine. */
function limitOf(fleet: Fleet): number {
  const { view, inPlace, target, pending } = fleet;
  // The target would delete the machine that arrives before others.
  if (excessOf(fleet, targetSet(fleet)) > 0) return 0;
  const moving = new Set(pending.map(({ machine }) => machine));
  const busy = inPlace.machines.filter(
    ({ name, set, state, isAvailable }) =>
      moving.has(name) ||
      state === "updating" ||
      // A failed machine of an old set is unavailable already; to update it costs nothing.
      (set === target && !isAvailable && state !== "deleting"),
  ).length;
  const isUnlimited = approvalOf(fleet).room;
  const room = view.replicas + 1 - targetSet(fleet).replicas;
  return Math.min(Math.max(view.maxUnavailable, 1) - busy, room, isUnlimited);
}

/** The machines that updaters can change, in the order in which they are updated. */
export function candidatesOf(fleet: Fleet): readonly InPlaceMachine[] {
  const { inPlace, sets } = fleet;
  const age = new Map(sets.toSorted(byAge).map(({ name }, at) => [name, at]));
  const rank = ({ set, isAvailable }: InPlaceMachine): number =>
    (isAvailable ? sets.length : 0) + (age.get(set) ?? 0);
  return oldSets(fleet)
    .filter((set) => inPlace.verdicts.get(set.name)?.result === "Covered" && excessOf(fleet, set) === 0)
    .flatMap((set) => machinesOf(fleet, set))
    .filter((machine) => !isReplaced(machine) && machine.state !== "updating")
    .toSorted((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}

/** Whether nothing but the budget keeps machines from being updated. */
export function canMove(fleet: Fleet): boolean {
  return blocksOf(fleet).length === 0;
}

function blocksOf(fleet: Fleet): readonly DeploymentBlocked[] {
  const { view, inPlace } = fleet;
  const { preflight } = inPlace;
  if (preflight.length === 0) return approvalOf(fleet).blocked;
  const why = preflight.join("; ");
  return [{ ...headingOf(view), reason: "PreflightCheckFailed", targets: [view.name], why }];
}

/** With an approval, the first machine is updated, and a user looks at it before the others follow. */
function approvalOf({ view, inPlace, target, pending }: Fleet): {
  readonly room: number;
  readonly blocked: readonly DeploymentBlocked[];
} {
  const { approval, machines } = inPlace;
  if (!approval || approval.approved === target) return { room: Infinity, blocked: [] };
  const first = machines.filter(({ set, state }) => set === target && state !== "deleting");
  if (first.length === 0 && pending.length === 0) return { room: 1, blocked: [] };
  const targets = first.map(({ name }) => name);
  const why = `the first machine was updated; approve the others with the annotation in-place-updates.capstan.dev/approved-machine-set=${target}`;
  return { room: 0, blocked: [{ ...headingOf(view), reason: "WaitingForApproval", targets, why }] };
}
