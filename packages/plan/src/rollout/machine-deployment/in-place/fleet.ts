/** The machines and sets of a MachineDeployment that updates in place, counted. */
import type { MarkCause } from "../action.ts";
import type { PendingMove } from "../hand-over.ts";
import {
  byAge,
  type DeploymentUpdateView,
  type DeploymentView,
  type InPlaceMachine,
  type SetView,
} from "../view.ts";

/** Why replicas of a set change, by the name of the set. */
type Whys = ReadonlyMap<string, string>;

/** What a plan has decided so far. Each step returns the next one. */
export interface Fleet {
  readonly view: DeploymentView;
  readonly inPlace: DeploymentUpdateView;
  /** The name of the set with the template. */
  readonly target: string;
  /** The sets as the plan leaves them. */
  readonly sets: readonly SetView[];
  /** Moves that are recorded and not complete yet. */
  readonly pending: readonly PendingMove[];
  /** The machines of each set that are neither deleted nor moved away; machines that move to a set are not among them. */
  readonly machines: ReadonlyMap<string, readonly InPlaceMachine[]>;
  /** Machines that their sets delete first, with the cause. */
  readonly marks: ReadonlyMap<string, MarkCause>;
  readonly whys: Whys;
}

/** How few available machines a MachineDeployment may have. */
export function floorOf({ replicas, maxUnavailable }: DeploymentView): number {
  return replicas - maxUnavailable;
}

/** The sets with an old template, the oldest first. */
export function oldSets({ sets, target }: Fleet): readonly SetView[] {
  return sets.filter(({ name, isDeleting }) => name !== target && !isDeleting).toSorted(byAge);
}

/** The set with the template. */
export function targetSet({ sets, target }: Fleet): SetView {
  const found = sets.find(({ name }) => name === target);
  if (!found) throw new TypeError(`the sets have none of the name ${target}`);
  return found;
}

/** The machines of a set that stay, as far as the plan has not decided otherwise. */
export function machinesOf({ machines }: Fleet, { name }: SetView): readonly InPlaceMachine[] {
  return machines.get(name) ?? [];
}

/** Whether the new template replaces a machine, whether or not updaters could change it. */
export function isReplaced({ state }: InPlaceMachine): boolean {
  return state === "starting" || state === "unhealthy";
}

/** How many replicas all sets have together. */
export function totalReplicas({ sets }: Fleet): number {
  return sets.filter(({ isDeleting }) => !isDeleting).reduce((sum, { replicas }) => sum + replicas, 0);
}

/** Gives a set other replicas. */
export function withReplicas(
  fleet: Fleet,
  { name }: SetView,
  { replicas, why }: { readonly replicas: number; readonly why: string },
): Fleet {
  const sets = fleet.sets.map((set) => (set.name === name ? { ...set, replicas } : set));
  return { ...fleet, sets, whys: new Map([...fleet.whys, [name, why]]) };
}

/** How many machines a set has to delete to come to its replicas. */
export function excessOf(fleet: Fleet, set: SetView): number {
  const arriving = fleet.pending.filter(({ to }) => to === set.name).length;
  return Math.max(machinesOf(fleet, set).length + arriving - set.replicas, 0);
}

/** How many machines of a set are certainly available after it has come to its replicas. */
function availableLeft(fleet: Fleet, set: SetView): number {
  const machines = machinesOf(fleet, set);
  const isMarked = ({ name, isMarked: was }: InPlaceMachine): boolean => was || fleet.marks.has(name);
  const marked = machines.filter(isMarked);
  const cheap = machines.filter((one) => !isMarked(one) && one.isFirstToGo && !one.isAvailable).length;
  const costly = machines.filter((one) => !isMarked(one) && one.isAvailable).length;
  const markedAvailable = marked.filter(({ isAvailable }) => isAvailable).length;
  const excess = excessOf(fleet, set);
  const markedLoss = Math.min(excess, markedAvailable);
  const loss = Math.min(Math.max(excess - marked.length - cheap, 0), costly);
  return costly + markedAvailable - markedLoss - loss;
}

/** How many machines are certainly available after all sets have come to their replicas. */
export function availableAfter(fleet: Fleet): number {
  return fleet.sets
    .filter(({ isDeleting }) => !isDeleting)
    .reduce((sum, set) => sum + availableLeft(fleet, set), 0);
}
