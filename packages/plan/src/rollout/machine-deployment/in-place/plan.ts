import { counted, isOrAre } from "../../shared/action.ts";
import { type DeploymentAction, type DeploymentBlocked, headingOf, type MarkCause } from "../action.ts";
import { type PendingMove, settleHandOver } from "../hand-over.ts";
import type { DeploymentUpdateView, DeploymentView, InPlaceMachine, SetView } from "../view.ts";
import { type Fleet, oldSets, targetSet } from "./fleet.ts";
import { pickMoves } from "./moves.ts";
import { resize } from "./sizes.ts";

/** The steps of an update in place, without the creation and deletion of sets. */
export interface InPlaceSteps {
  /** The sets with the replicas and records that they should have. */
  readonly sets: readonly SetView[];
  readonly marks: readonly DeploymentAction[];
  readonly moves: readonly DeploymentAction[];
  readonly waits: readonly DeploymentAction[];
  readonly blocked: readonly DeploymentBlocked[];
  /** Why replicas change, by set. */
  readonly whys: ReadonlyMap<string, string>;
  /** Whether the set with the template has anything to do, should it not exist yet. */
  readonly needsTarget: boolean;
}

/** Moves machines to the target, as many as may be unavailable, and scales what cannot or need not be moved. */
export function planInPlace(
  view: DeploymentView,
  inPlace: DeploymentUpdateView,
  target: SetView,
): InPlaceSteps {
  const settled = settleHandOver({ sets: view.sets, machines: inPlace.machines, target: target.name });
  const sized = resize(fleetOf(view, inPlace, { ...settled, target: target.name }));
  // Machines move only to a set that exists.
  const isNew = !view.sets.some(({ name, createdMs }) => name === target.name && createdMs < Infinity);
  const picked = isNew ? { fleet: sized, moves: [], blocked: [] } : pickMoves(sized);
  const { sets, whys } = picked.fleet;
  return {
    sets,
    marks: marksOf(view, inPlace, sized.marks),
    moves: [...settled.pending, ...picked.moves].map((move) => moveAction(view, inPlace, move)),
    waits: waitsOf(view, inPlace),
    blocked: [...verdictsOf(view, inPlace), ...picked.blocked, ...failuresOf(view, inPlace)],
    whys,
    needsTarget: needsTarget(sized),
  };
}

interface Settled {
  readonly sets: readonly SetView[];
  readonly pending: readonly PendingMove[];
  readonly target: string;
}

function fleetOf(
  view: DeploymentView,
  inPlace: DeploymentUpdateView,
  { sets, pending, target }: Settled,
): Fleet {
  const moving = new Set(pending.map(({ machine }) => machine));
  const staying = inPlace.machines.filter(({ name, state }) => state !== "deleting" && !moving.has(name));
  const changed = sets.filter(({ replicas }, at) => view.sets[at]?.replicas !== replicas);
  return {
    view,
    inPlace,
    target,
    sets: withCounts(sets, inPlace.machines, pending),
    pending,
    machines: Map.groupBy(staying, ({ set }) => set),
    marks: new Map(),
    whys: new Map(changed.map(({ name }) => [name, "a recorded move of a machine has ended"])),
  };
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

/** Without anything to do, the set with the template is not created: a template that is changed back leaves no trace. */
function needsTarget(fleet: Fleet): boolean {
  const before = new Map(fleet.view.sets.map(({ name, replicas }) => [name, replicas]));
  const old = oldSets(fleet);
  return (
    targetSet(fleet).replicas > 0 ||
    fleet.marks.size > 0 ||
    old.every(({ replicas }) => replicas === 0) ||
    old.some(({ name, replicas }) => replicas !== before.get(name)) ||
    [...fleet.inPlace.verdicts.values()].some(({ result }) => result === "Covered")
  );
}

const MARK_WHYS: Readonly<Record<MarkCause, string>> = {
  NeverReady: "it never had a Node, and the template has changed",
  Unhealthy: "a health check wants it replaced, and the template has changed",
  Spare: "it was added for the time of the update",
};

function marksOf(
  view: DeploymentView,
  { machines }: DeploymentUpdateView,
  marks: ReadonlyMap<string, MarkCause>,
): readonly DeploymentAction[] {
  return machines
    .filter(({ isMarked }) => !isMarked)
    .flatMap(({ name }): DeploymentAction[] => {
      const cause = marks.get(name);
      if (!cause) return [];
      const why = `${MARK_WHYS[cause]}; its MachineSet deletes it first`;
      return [{ ...headingOf(view), action: "MarkMachine", targets: [name], detail: { cause }, why }];
    });
}

function moveAction(
  view: DeploymentView,
  inPlace: DeploymentUpdateView,
  { machine, from, to }: PendingMove,
): DeploymentAction {
  const verdict = inPlace.verdicts.get(from);
  const { updaters, needsDrain = false } = verdict?.result === "Covered" ? verdict : { updaters: [] };
  const why = verdict?.why ?? "a move was recorded";
  return {
    ...headingOf(view),
    action: "MoveMachine",
    targets: [machine],
    detail: { from, to, updaters, ...(needsDrain && { needsDrain }) },
    why,
  };
}

function waitsOf(view: DeploymentView, { machines }: DeploymentUpdateView): readonly DeploymentAction[] {
  const updating = machines.filter(({ state }) => state === "updating").map(({ name }) => name);
  if (updating.length === 0) return [];
  const why = `${counted(updating.length, "machine")} ${isOrAre(updating.length)} being updated in place`;
  return [{ ...headingOf(view), action: "Wait", targets: updating, detail: { for: "Update" }, why }];
}

const WAYS_OUT =
  "change the template, register an updater for these fields, or set spec.rollout.strategy.fallbackRollingUpdate to have the machines replaced";

/** Why the machines of some sets are not updated; those of the others are. */
function verdictsOf(
  view: DeploymentView,
  { verdicts, fallback }: DeploymentUpdateView,
): readonly DeploymentBlocked[] {
  const heading = { ...headingOf(view), targets: [view.name] };
  const all = [...verdicts.values()];
  const uncovered = fallback ? undefined : all.find(({ result }) => result === "Uncovered");
  const unknown = all.find(({ result }) => result === "Unknown");
  const blocked: DeploymentBlocked[] = [];
  if (uncovered) {
    const why = `${uncovered.why}; ${WAYS_OUT}`;
    blocked.push({ ...heading, reason: "ChangesNotCovered", why });
  }
  if (unknown) blocked.push({ ...heading, reason: "UpdatersNotAnswering", why: unknown.why });
  return blocked;
}

function failuresOf(view: DeploymentView, { machines }: DeploymentUpdateView): readonly DeploymentBlocked[] {
  const failed = machines.filter(({ state }) => state === "failed").map(({ name }) => name);
  if (failed.length === 0) return [];
  const why = `the update of ${failed.slice(0, 3).join(", ")} failed; read its conditions, then change the template, retry, or delete the machine`;
  return [{ ...headingOf(view), reason: "UpdateFailed", targets: failed, why }];
}
