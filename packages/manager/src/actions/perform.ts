/** Carries out the actions of a plan: one executor for pools, machines and control planes. */
import { forEachIndependently, type Logger, next, type Outcome } from "@capstan/runtime";

/** An action as the planners of `@capstan/plan` return it. */
interface PlannedAction {
  readonly action: string;
  readonly targets: readonly string[];
  readonly why: string;
}

/**
 * What is done for each action of a planner; an action without a handler does not compile. `Wait` needs none. A handler
 * gets all planned actions of its name at once, so that it can write them as one batch.
 */
export type Handlers<Planned extends PlannedAction> = {
  readonly [Name in Exclude<Planned["action"], "Wait">]: (
    actions: readonly Extract<Planned, { readonly action: Name }>[],
  ) => Promise<Outcome>;
};

// A line of a log stays readable when a plan picks hundreds of machines.
const MOST_TARGETS = 10;

/**
 * Performs the actions in the order of the handlers, and logs each with its targets and reason before. A handler that
 * returns `block` ends the work: it has started something that later actions must not overtake.
 */
export async function perform<Planned extends PlannedAction>(
  actions: readonly Planned[],
  handlers: Handlers<Planned>,
  log: Pick<Logger, "info">,
): Promise<Outcome> {
  const byName = Map.groupBy(actions, ({ action }) => action);
  let outcome: Outcome = next;
  for (const [name, handle] of Object.entries(handlers) as readonly [string, Handler][]) {
    const planned = byName.get(name) ?? [];
    if (planned.length === 0) continue;
    for (const { action, targets, why } of planned)
      log.info("Performing action", { action, targets: shortList(targets), why });
    const result = await handle(planned);
    if (result.type === "block") return result;
    outcome = sooner(outcome, result);
  }
  return outcome;
}

/** A handler that carries out one action after the other; each needs the result of the one before. */
export function forEach<Planned extends PlannedAction>(
  act: (action: Planned) => Promise<void>,
): (actions: readonly Planned[]) => Promise<Outcome> {
  return async (actions) => {
    for (const action of actions) await act(action);
    return next;
  };
}

/** A handler that carries out actions that do not need each other, also after one that failed. */
export function forEachAlone<Planned extends PlannedAction>(
  act: (action: Planned) => Promise<void>,
): (actions: readonly Planned[]) => Promise<Outcome> {
  return async (actions) => {
    await forEachIndependently(actions, act);
    return next;
  };
}

// The record pairs each handler with its own actions by type; here their names do.
type Handler = (actions: readonly PlannedAction[]) => Promise<Outcome>;

function shortList(targets: readonly string[]): readonly string[] {
  const more = targets.length - MOST_TARGETS;
  return more > 0 ? [...targets.slice(0, MOST_TARGETS), `and ${more} more`] : targets;
}

/** The outcome with the sooner requeue. */
export function sooner(first: Outcome, second: Outcome): Outcome {
  if (first.type === "next") return second;
  if (second.type === "next") return first;
  return second.afterMs < first.afterMs ? second : first;
}
