import { counted } from "../shared/action.ts";
import type { Intent } from "./plan.ts";
import { availableAfterPicks, type DeploymentView, type SetView, staying } from "./view.ts";

/** The MachineSet with the template, as this pass leaves it, and the others, oldest first. */
export interface Sets {
  readonly target: SetView;
  readonly old: readonly SetView[];
}

/** The numbers that a scale-down of old sets works with. */
interface Books {
  /** How many machines may still be taken from the sum of all replicas. */
  budget: number;
  /** How many machines are certainly available after everything that is decided. */
  available: number;
  readonly floor: number;
  readonly replicas: Map<string, number>;
}

/**
 * Scales down MachineSets with an old template: first machines that are not available, which costs no availability, then
 * others as long as enough machines stay available. The machines that a set deletes count as available ones if it has
 * any, because the set chooses.
 */
export function scaleDownOld(view: DeploymentView, { target, old }: Sets): ReadonlyMap<string, Intent> {
  const floor = view.replicas - view.maxUnavailable;
  const all = [target, ...old];
  const sum = all.reduce((total, set) => total + set.replicas, 0);
  const newUnavailable = Math.max(target.replicas - target.available, 0);
  const books: Books = {
    budget: sum - floor - newUnavailable,
    available: all.reduce((total, set) => total + availableAfterPicks(set), 0),
    floor,
    replicas: new Map(old.map((set) => [set.name, set.replicas])),
  };
  for (const set of old) take(books, set, Math.max(set.replicas - availableAfterPicks(set), 0));
  for (const set of old) take(books, set, set.replicas);
  return intentsOf(old, books, view);
}

/** Takes up to `most` machines from a set, in total. */
function take(books: Books, set: SetView, most: number): void {
  const left = books.replicas.get(set.name) ?? 0;
  const desired = Math.min(books.budget, most - (set.replicas - left), left);
  if (desired <= 0) return;
  const missing = Math.max(left - staying(set), 0);
  const free = Math.min(desired, missing);
  const existing = desired - free;
  const available = availableAfterPicks(set);
  const allowed = available > 0 ? Math.min(existing, Math.max(books.available - books.floor, 0)) : existing;
  books.budget -= free + allowed;
  if (available > 0) books.available -= allowed;
  books.replicas.set(set.name, left - free - allowed);
}

function intentsOf(old: readonly SetView[], books: Books, view: DeploymentView): ReadonlyMap<string, Intent> {
  const changed = old.filter((set) => books.replicas.get(set.name) !== set.replicas);
  const why = `at least ${books.floor} available (${view.replicas} - maxUnavailable ${view.maxUnavailable})`;
  return new Map(changed.map((set) => [set.name, { replicas: books.replicas.get(set.name) ?? 0, why }]));
}

/** With OnDelete an old set shrinks by the machines that users deleted, and by what is more than desired. */
export function scaleDownOnDelete(view: DeploymentView, { target, old }: Sets): ReadonlyMap<string, Intent> {
  const intents = new Map<string, Intent>();
  let surplus = old.reduce((sum, { replicas, current }) => sum + Math.min(replicas, current), 0);
  surplus += target.replicas - view.replicas;
  for (const set of old) {
    const left = Math.min(set.replicas, set.current);
    const taken = Math.min(Math.max(surplus, 0), left);
    surplus -= taken;
    if (left - taken === set.replicas) continue;
    const why =
      taken > 0
        ? `${counted(view.replicas, "replica")} desired`
        : "users deleted machines of this MachineSet";
    intents.set(set.name, { replicas: left - taken, why });
  }
  return intents;
}

/**
 * Frees a rollout that cannot move: old machines that are not available use up the budget, nothing scales, and all new
 * machines are available. One old machine goes, although that may leave fewer machines than allowed.
 */
export function breakDeadlock(view: DeploymentView, { target, old }: Sets): ReadonlyMap<string, Intent> {
  const isScaling = [target, ...old].some(({ replicas, current }) => replicas !== current);
  if (view.strategy !== "RollingUpdate" || isScaling || target.available !== target.replicas)
    return new Map();
  const stuck = old.find(({ current, available }) => current > available);
  if (!stuck) return new Map();
  const why = `${counted(stuck.current - stuck.available, "machine")} with the old template not available, and the rollout cannot move otherwise`;
  return new Map([[stuck.name, { replicas: stuck.replicas - 1, why }]]);
}
