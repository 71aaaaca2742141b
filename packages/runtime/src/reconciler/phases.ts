import { combineFailures, Failure } from "../failure.ts";
import { next, type Outcome } from "./outcome.ts";
import type { Phase } from "./reconciler.ts";

/** Runs phases in order. The soonest requeue wins; a block skips the phases after it, a failure ends the pass. */
export async function runPhases<S>(phases: readonly Phase<S>[], scope: S): Promise<Outcome> {
  let outcome: Outcome = next;
  for (const phase of phases) {
    const own = await phase(scope);
    outcome = sooner(outcome, own);
    if (own.type === "block") break;
  }
  return outcome;
}

/**
 * Combines phases that do not need each other's results: each one runs, also after one that failed or blocked, and their
 * failures are reported together. A block of one of them skips the phases after the group.
 */
export function independent<S>(...phases: readonly Phase<S>[]): Phase<S> {
  return async (scope) => {
    let outcome: Outcome = next;
    let isBlocked = false;
    const failures: Failure[] = [];
    for (const phase of phases) {
      try {
        const own = await phase(scope);
        outcome = sooner(outcome, own);
        isBlocked ||= own.type === "block";
      } catch (error) {
        // Any other exception is a bug, and the state after a bug cannot be trusted.
        if (!(error instanceof Failure)) throw error;
        failures.push(error);
      }
    }
    if (failures.length > 0) throw combineFailures(failures);
    return isBlocked && outcome.type === "again" ? { ...outcome, type: "block" } : outcome;
  };
}

function sooner(known: Outcome, own: Outcome): Outcome {
  if (own.type === "next") return known;
  return known.type === "next" || own.afterMs < known.afterMs ? own : known;
}

// A server that refuses everything must not be asked hundreds of times in one pass.
const MOST_FAILURES = 10;

/** Acts on each item, also after one that failed, and reports the failures together. */
export async function forEachIndependently<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<unknown>,
): Promise<void> {
  const failures: Failure[] = [];
  for (const item of items) {
    try {
      await act(item);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failures.push(error);
      if (failures.length >= MOST_FAILURES) break;
    }
  }
  if (failures.length > 0) throw combineFailures(failures);
}
