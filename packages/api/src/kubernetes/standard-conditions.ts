import type { Condition, StandardCondition } from "./condition.ts";
import { removeCondition, setCondition } from "./conditions.ts";

/** The conditions of an object in the form of v1beta1, before and after a change. */
export interface ConditionChange {
  readonly before: readonly Readonly<Condition>[];
  readonly after: readonly Readonly<Condition>[];
  /** The names that they have in v1beta2, beside their own. */
  readonly names?: Readonly<Record<string, string>> | undefined;
}

/**
 * The conditions in the form of v1beta2 that follow those in the form of v1beta1: each tells the same, without a severity.
 * Conditions that only the newer form has stay.
 */
export function standardConditions(
  conditions: readonly Readonly<StandardCondition>[] | undefined,
  { before, after, names = {} }: ConditionChange,
): readonly Readonly<StandardCondition>[] {
  const namesOf = ({ type }: Readonly<Condition>): string[] => [type, ...(names[type] ? [names[type]] : [])];
  const staying = new Set(after.flatMap(namesOf));
  const gone = before.flatMap(namesOf).filter((name) => !staying.has(name));
  const kept = gone.reduce<readonly Readonly<StandardCondition>[]>(removeCondition, conditions ?? []);
  return after.reduce(
    (list, condition) =>
      namesOf(condition).reduce(
        (others, type) => setCondition(others, inStandardForm(condition, type)),
        list,
      ),
    kept,
  );
}

const REASON = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;

function inStandardForm(
  { type: own, status, reason = "", message = "", lastTransitionTime }: Readonly<Condition>,
  type: string,
): StandardCondition {
  // Reasons of other providers may have any form.
  return { type, status, reason: REASON.test(reason) ? reason : own, message, lastTransitionTime };
}
