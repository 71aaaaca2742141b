import type { Frozen } from "../../kubernetes/meta.ts";
import { type FieldError, errorIf, invalid } from "../../values/field-error.ts";
import { intOrPercentErrors } from "../../values/value-errors.ts";
import type { AzureMachinePoolSpec } from "./schema.ts";

type Strategy = Frozen<AzureMachinePoolSpec>["strategy"];
type Limit = number | string;

const SURGE = "spec.strategy.rollingUpdate.maxSurge";
const UNAVAILABLE = "spec.strategy.rollingUpdate.maxUnavailable";

/** Validates how machines are updated to a new model. */
export function strategyErrors(strategy: Strategy, old: Strategy): readonly FieldError[] {
  const { maxSurge, maxUnavailable } = limitsOf(strategy);
  const before = old && limitsOf(old);
  const errors = [
    ...limitErrors(SURGE, maxSurge, before?.maxSurge),
    ...limitErrors(UNAVAILABLE, maxUnavailable, before?.maxUnavailable),
    ...errorIf(
      isMoreThanAll(maxUnavailable),
      invalid(UNAVAILABLE, maxUnavailable, "must not be more than 100%"),
    ),
  ];
  return errors.length === 0 && isZero(maxSurge) && isZero(maxUnavailable)
    ? [
        invalid(SURGE, maxSurge, "must not be 0 when maxUnavailable is 0"),
        invalid(UNAVAILABLE, maxUnavailable, "must not be 0 when maxSurge is 0"),
      ]
    : errors;
}

function limitsOf(strategy: Strategy): { readonly maxSurge: Limit; readonly maxUnavailable: Limit } {
  const { maxSurge = 1, maxUnavailable = 0 } = strategy?.rollingUpdate ?? {};
  return { maxSurge, maxUnavailable };
}

/** Go accepts a sign, but it is never intended. An existing pool with one must still be editable. */
function limitErrors(field: string, limit: Limit, before: Limit | undefined): readonly FieldError[] {
  const errors = intOrPercentErrors(field, limit);
  const text = String(limit);
  return errors.length === 0 && limit !== before && text.startsWith("+")
    ? [invalid(field, limit, `must be without a sign, such as ${text.slice(1)}`)]
    : errors;
}

function isMoreThanAll(limit: Limit): boolean {
  return typeof limit === "string" && Number.parseInt(limit, 10) > 100;
}

function isZero(limit: Limit): boolean {
  return Number.parseInt(String(limit), 10) === 0;
}
