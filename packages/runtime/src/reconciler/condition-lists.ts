/** Where objects have their conditions: a kind of v1beta2 has two lists, one for each form. */
import {
  type Condition,
  deprecatedConditionsOf,
  formatTimestamp,
  type Frozen,
  type Kind,
  setCondition,
  type StandardCondition,
  type StandardConditionUpdate,
} from "@capstan/api";

/** The names on the way to each list of conditions in a status. */
export const CONDITION_LISTS: readonly (readonly string[])[] = [
  ["conditions"],
  ["deprecated", "v1beta1", "conditions"],
];

/** The form of the conditions of a kind. */
type Form = Pick<Kind, "conditionForm">;

interface Status {
  readonly conditions?: readonly Condition[];
  readonly deprecated?: { readonly v1beta1?: { readonly conditions?: readonly Condition[] } };
}

/** Whether `status.conditions` of a kind has the form of v1beta2. */
export function hasStandardConditions({ conditionForm }: Form): boolean {
  return conditionForm === "v1beta2";
}

/** The conditions of an object in the form of v1beta1. */
export function conditionsOf(kind: Form, object: object): readonly Frozen<Condition>[] {
  const { status } = object as { readonly status?: Status };
  const list = hasStandardConditions(kind) ? deprecatedConditionsOf({ status }) : status?.conditions;
  return list ?? [];
}

/** A status with other conditions in the form of v1beta1. */
export function withConditions(
  kind: Form,
  status: Status | undefined,
  conditions: readonly Condition[],
): Status {
  if (!hasStandardConditions(kind)) return { ...status, conditions };
  const { deprecated } = status ?? {};
  return { ...status, deprecated: { ...deprecated, v1beta1: { ...deprecated?.v1beta1, conditions } } };
}

/** Conditions in the form of v1beta2, after some of them got another state; the same list if none did. */
export function withStandardConditions(
  conditions: readonly Frozen<StandardCondition>[] | undefined,
  updates: readonly StandardConditionUpdate[],
  nowMs: number,
): readonly Frozen<StandardCondition>[] {
  const lastTransitionTime = formatTimestamp(nowMs);
  return updates.reduce<readonly Frozen<StandardCondition>[]>(
    (list, update) => setCondition(list, { ...update, reason: reasonOf(update), lastTransitionTime }),
    conditions ?? [],
  );
}

const REASON = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;

/** Reasons of other providers and servers may have any form, and the server refuses a status with one that is not a name. */
function reasonOf({ type, reason }: StandardConditionUpdate): string {
  return REASON.test(reason) ? reason : type;
}
