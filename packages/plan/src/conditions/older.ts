import { deprecatedConditionsOf, getCondition, type StandardConditionUpdate } from "@capstan/api";
import type { CombinedReasons } from "./combine.ts";

/** A condition that v1beta1 and v1beta2 both have under one name. */
export interface SharedCondition {
  readonly type: string;
  /** The reasons of v1beta2; without them the reason of v1beta1 stays. */
  readonly reasons?: CombinedReasons;
}

/** The conditions of v1beta2 that say the same as those of v1beta1; one that was not reported yet is left out. */
export function fromOlderConditions(
  object: Parameters<typeof deprecatedConditionsOf>[0],
  shared: readonly SharedCondition[],
): readonly StandardConditionUpdate[] {
  const old = deprecatedConditionsOf(object);
  return shared.flatMap(({ type, reasons }) => {
    const condition = getCondition(old, type);
    if (!condition) return [];
    const { status, reason = type, message = "" } = condition;
    return [{ type, status, reason: reasons?.[status] ?? reason, message }];
  });
}
