import { counted, isOrAre } from "../shared/action.ts";
import { type DeploymentAction, type DeploymentBlocked, headingOf } from "./action.ts";
import { type PendingMove, recordMove, settleHandOver } from "./hand-over.ts";
import { scaleDownOld } from "./scale-down.ts";
import { growTarget } from "./surge.ts";
import {
  byAge,
  type DeploymentView,
  type InPlaceMachine,
  type DeploymentUpdateView,
  type SetView,
} from "./view.ts";

/** The steps of an update in place, without the creation and deletion of sets. */
export interface InPlaceSteps {
  /** The sets with the replicas and records that they should have. */
  readonly sets: readonly SetView[];
  readonly moves: readonly DeploymentAction[];
  readonly waits: readonly DeploymentAction[];
  readonly blocked: readonly DeploymentBlocked[];
  /** Why replicas change, by set. */
  readonly whys: ReadonlyMap<string, string>;
}

// The names of recorded machines are in an annotation, which has at most 256 KiB; the next pass continues.
const MOST_MOVES = 500;

/** Moves machines to the target, as many as may be unavailable, and scales what cannot or need not be moved. */
export function planInPlace(
  view: DeploymentView,
  inPlace: DeploymentUpdateView,
  target: SetView,
): InPlaceSteps {
  const settled = settleHandOver({ sets: view.sets, machines: inPlace.machines, target: target.name });
  const whys = new Map(
    changedSets(view.sets, settled.sets).map((name) => [name, "a recorded move of a machine has ended"]),
  );
  const counts = withCounts(settled.sets, inPlace.machines, settled.pending);
  const scaled = scale(view, counts, { target, whys });
  const picked = pickMoves(view, inPlace, { sets: scaled, pending: settled.pending, target: target.name });
  const sets = picked.moves.reduce(recordMove, scaled);
  for (const { from, to } of picked.moves) {
    whys.set(from, `machines move to MachineSet ${to}`);
    whys.set(to, "machines move to this MachineSet");
  }
  return {
    sets,
    moves: [...settled.pending, ...picked.moves].map((move) => moveAction(view, inPlace, move)),
    waits: waitsOf(view, inPlace),
    blocked: [...picked.blocked, ...failuresOf(view, inPlace)],
    whys,
  };
}

function changedSets(before: readonly SetView[], after: readonly SetView[]): readonly string[] {
  return after.filter(({ replicas }, at) => before[at]?.replicas !== replicas).map(({ name }) => name);
}

/** Machines that are recorded to move count for the set that receives them. */
function withCounts(
  sets: readonly SetView[],
  machines: readonly InPlaceMachine[],
  pending: readonly PendingMove[],
): readonly SetView[] {
  const moving = new Map(pending.map(({ machine, to }) => [machine, to]));
  const bySet = Map.groupBy(machines, ({ name, set }) => moving.get(name) ?? set);
  return sets.map((set) => {
    const own = bySet.get(set.name) ?? [];
    const count = (is: (machine: InPlaceMachine) => boolean): number => own.filter(is).length;
    return {
      ...set,
      // A machine that is created but not seen yet is in the count of the set, not in the list of machines.
      current: Math.max(own.length, Math.min(set.current, set.replicas)),
      deleting: count(({ state }) => state === "deleting"),
      available: count(({ name, isAvailable }) => isAvailable && !moving.has(name)),
    };
  });
}

interface Scaling {
  readonly target: SetView;
  readonly whys: Map<string, string>;
}

/** Adds machines within the surge, and deletes those that the target does not need any more. */
function scale(
  view: DeploymentView,
  sets: readonly SetView[],
  { target, whys }: Scaling,
): readonly SetView[] {
  const now = sets.find(({ name }) => name === target.name) ?? target;
  const old = sets.filter(({ name, isDeleting }) => name !== target.name && !isDeleting).toSorted(byAge);
  const grown = growTarget(view, now, old);
  const grownTarget = grown ? { ...now, replicas: grown.replicas } : now;
  if (grown) whys.set(now.name, grown.why);
  const shrunk = shrinkOld(view, grownTarget, old);
  for (const [name, { why }] of shrunk) whys.set(name, why);
  return sets.map((set) => {
    if (set.name === target.name) return grownTarget;
    return { ...set, replicas: shrunk.get(set.name)?.replicas ?? set.replicas };
  });
}

function shrinkOld(
  view: DeploymentView,
  target: SetView,
  old: readonly SetView[],
): ReadonlyMap<string, { readonly replicas: number; readonly why: string }> {
  if (target.replicas >= view.replicas) return scaleDownOld(view, { target, old });
  let surplus =
    [target, ...old].reduce((sum, { replicas }) => sum + replicas, 0) - view.replicas - view.maxSurge;
  const intents = new Map<string, { replicas: number; why: string }>();
  for (const { name, replicas } of old) {
    const taken = Math.min(Math.max(surplus, 0), replicas);
    surplus -= taken;
    if (taken > 0)
      intents.set(name, { replicas: replicas - taken, why: `${counted(view.replicas, "replica")} desired` });
  }
  return intents;
}

interface Situation {
  readonly sets: readonly SetView[];
  readonly pending: readonly PendingMove[];
  readonly target: string;
}

interface Picked {
  readonly moves: readonly PendingMove[];
  readonly blocked: readonly DeploymentBlocked[];
}

/** Picks machines to update now: those that are not available first, because they cost no availability. */
function pickMoves(view: DeploymentView, inPlace: DeploymentUpdateView, situation: Situation): Picked {
  const { sets, pending, target } = situation;
  const now = sets.find(({ name }) => name === target);
  if (!now) return { moves: [], blocked: [] };
  const candidates = candidatesOf(inPlace, situation);
  const moving = new Set(pending.map(({ machine }) => machine));
  const available = inPlace.machines.filter(
    ({ name, isAvailable }) => isAvailable && !moving.has(name),
  ).length;
  const total = inPlace.machines.filter(({ state }) => state !== "deleting").length;
  const inFlight = inPlace.machines.filter(
    ({ name, set, state, isAvailable }) =>
      // A failed machine of an old set is unavailable already; to update it costs nothing.
      moving.has(name) || state === "updating" || (set === target && !isAvailable),
  ).length;
  const approval = approvalOf(view, inPlace, situation);
  let room = Math.min(
    view.maxUnavailable + Math.max(total - view.replicas, 0) - inFlight,
    view.replicas - now.replicas,
    MOST_MOVES - pending.length,
    approval.room,
  );
  let spare = available - (view.replicas - view.maxUnavailable);
  const moves: PendingMove[] = [];
  for (const { name, set, isAvailable } of candidates) {
    if (room <= 0) break;
    if (isAvailable && spare <= 0) continue;
    moves.push({ machine: name, from: set, to: target });
    room--;
    if (isAvailable) spare--;
  }
  return { moves, blocked: candidates.length > 0 && moves.length === 0 ? approval.blocked : [] };
}

function candidatesOf(
  inPlace: DeploymentUpdateView,
  { sets, target, pending }: Situation,
): readonly InPlaceMachine[] {
  const moving = new Set(pending.map(({ machine }) => machine));
  const age = new Map(sets.toSorted(byAge).map(({ name }, at) => [name, at]));
  const rank = ({ set, isAvailable }: InPlaceMachine): number =>
    (isAvailable ? sets.length : 0) + (age.get(set) ?? 0);
  return inPlace.machines
    .filter(
      ({ name, set, state }) =>
        set !== target &&
        (state === "ready" || state === "failed") &&
        !moving.has(name) &&
        inPlace.verdicts.get(set)?.result === "Covered",
    )
    .toSorted((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}

/** With an approval, the first machine is updated, and a user looks at it before the others follow. */
function approvalOf(
  view: DeploymentView,
  { approval, machines }: DeploymentUpdateView,
  { target, pending }: Situation,
): { readonly room: number; readonly blocked: readonly DeploymentBlocked[] } {
  if (!approval || approval.approved === target) return { room: Infinity, blocked: [] };
  const first = machines.filter(({ set }) => set === target);
  if (first.length === 0 && pending.length === 0) return { room: 1, blocked: [] };
  const targets = first.map(({ name }) => name);
  const why = `the first machine was updated; approve the others with the annotation in-place-updates.capstan.dev/approved-machine-set=${target}`;
  return { room: 0, blocked: [{ ...headingOf(view), reason: "WaitingForApproval", targets, why }] };
}

function moveAction(
  view: DeploymentView,
  inPlace: DeploymentUpdateView,
  { machine, from, to }: PendingMove,
): DeploymentAction {
  const verdict = inPlace.verdicts.get(from);
  const updaters = verdict?.result === "Covered" ? verdict.updaters : [];
  const why = verdict?.why ?? "a move was recorded";
  return {
    ...headingOf(view),
    action: "MoveMachine",
    targets: [machine],
    detail: { from, to, updaters },
    why,
  };
}

function waitsOf(view: DeploymentView, { machines }: DeploymentUpdateView): readonly DeploymentAction[] {
  const updating = machines.filter(({ state }) => state === "updating").map(({ name }) => name);
  if (updating.length === 0) return [];
  const why = `${counted(updating.length, "machine")} ${isOrAre(updating.length)} being updated in place`;
  return [{ ...headingOf(view), action: "Wait", targets: updating, detail: { for: "Update" }, why }];
}

function failuresOf(view: DeploymentView, { machines }: DeploymentUpdateView): readonly DeploymentBlocked[] {
  const failed = machines.filter(({ state }) => state === "failed").map(({ name }) => name);
  if (failed.length === 0) return [];
  const why = `the update of ${failed.slice(0, 3).join(", ")} failed; read its conditions, then change the template, retry, or delete the machine`;
  return [{ ...headingOf(view), reason: "UpdateFailed", targets: failed, why }];
}
