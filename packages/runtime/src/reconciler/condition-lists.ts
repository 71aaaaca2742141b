/** Where objects have their conditions: a kind of v1beta2 has two lists, one for each form. */
import {
  type Condition,
  deprecatedConditionsOf,
  type Frozen,
  type Kind,
  type StandardCondition,
  standardConditions,
} from "@capstan/api";

/** The names on the way to each list of conditions in a status. */
export const CONDITION_LISTS: readonly (readonly string[])[] = [
  ["conditions"],
  ["deprecated", "v1beta1", "conditions"],
];

/** The form of the conditions of a kind. */
type Form = Pick<Kind, "conditionForm" | "conditionNames">;

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

/** A status with other conditions in the form of v1beta1, and those of v1beta2 that follow from them. */
export function withConditions(
  kind: Form,
  status: Status | undefined,
  conditions: readonly Condition[],
): Status {
  if (!hasStandardConditions(kind)) return { ...status, conditions };
  const { deprecated, conditions: standard } = status ?? {};
  const before = deprecated?.v1beta1?.conditions ?? [];
  return {
    ...status,
    conditions: standardConditions(standard as readonly StandardCondition[] | undefined, {
      before,
      after: conditions,
      names: kind.conditionNames,
    }),
    deprecated: { ...deprecated, v1beta1: { ...deprecated?.v1beta1, conditions } },
  };
}
