/**
 * Moves machines between the MachineSets of a MachineDeployment. Both sets record the names before the machine changes its
 * owner: the receiving set counts a recorded machine from then on, the other one no longer does. So neither set creates or
 * deletes a machine when a crash follows any of the three writes, or when its cache is stale.
 */
import type { InPlaceMachine, SetView } from "./view.ts";

/** A machine that is recorded in both sets, or in one, and has not changed its owner yet. */
export interface PendingMove {
  readonly machine: string;
  readonly from: string;
  readonly to: string;
}

/** The sets after records that are no longer needed were dropped or taken back, and the moves to complete. */
export interface SettledHandOver {
  readonly sets: readonly SetView[];
  readonly pending: readonly PendingMove[];
}

/** The facts that decide about recorded moves. */
export interface HandOverInput {
  readonly sets: readonly SetView[];
  readonly machines: readonly InPlaceMachine[];
  /** The set that machines move to now; undefined when no machine may move. */
  readonly target: string | undefined;
}

/**
 * Settles the records: a machine that has arrived, or that a user deleted, leaves them; a move to another set than the
 * target is taken back; all others are completed.
 */
export function settleHandOver({ sets, machines, target }: HandOverInput): SettledHandOver {
  const byName = new Map(machines.map((machine) => [machine.name, machine]));
  const isAlive = (name: string): boolean =>
    byName.get(name)?.state !== undefined && byName.get(name)?.state !== "deleting";
  const ownerOf = (name: string): string | undefined => byName.get(name)?.set;
  const pending: PendingMove[] = [];
  const receiving = sets.map((set): SetView => {
    const expected = set.receives.filter((name) => isAlive(name) && ownerOf(name) !== set.name);
    if (set.name !== target || set.isDeleting) {
      return { ...set, receives: [], replicas: Math.max(set.replicas - expected.length, 0) };
    }
    pending.push(...expected.map((name) => ({ machine: name, from: ownerOf(name) ?? "", to: set.name })));
    return { ...set, receives: expected };
  });
  const moving = new Set(pending.map(({ machine }) => machine));
  const settled = receiving.map((set): SetView => {
    const owned = set.handsOver.filter((name) => ownerOf(name) === set.name);
    const kept = owned.filter((name) => moving.has(name));
    const takenBack = owned.filter((name) => !moving.has(name) && isAlive(name)).length;
    return { ...set, handsOver: kept, replicas: set.replicas + takenBack };
  });
  return { sets: withMissingRecords(settled, pending), pending };
}

/** A crash after the first of the two records leaves a move that only the receiving set knows. */
function withMissingRecords(sets: readonly SetView[], pending: readonly PendingMove[]): readonly SetView[] {
  return sets.map((set) => {
    const missing = pending
      .filter(({ machine, from }) => from === set.name && !set.handsOver.includes(machine))
      .map(({ machine }) => machine);
    if (missing.length === 0) return set;
    const replicas = Math.max(set.replicas - missing.length, 0);
    return { ...set, replicas, handsOver: [...set.handsOver, ...missing].toSorted() };
  });
}

/** Records a new move in both sets. */
export function recordMove(sets: readonly SetView[], { machine, from, to }: PendingMove): readonly SetView[] {
  return sets.map((set) => {
    if (set.name === from)
      return { ...set, replicas: set.replicas - 1, handsOver: [...set.handsOver, machine].toSorted() };
    if (set.name === to)
      return { ...set, replicas: set.replicas + 1, receives: [...set.receives, machine].toSorted() };
    return set;
  });
}
