/** Field errors of values with a grammar; a missing value is valid. */
import { cidrProblem } from "./cidr.ts";
import { durationProblem } from "./duration.ts";
import { type FieldError, invalid } from "./field-error.ts";
import { intOrPercentProblem } from "./int-or-percent.ts";
import { versionProblem } from "./version.ts";

/** Validates a version that must have a leading v. */
export function versionErrors(field: string, version: string | undefined): FieldError[] {
  return errorsOf(field, version, versionProblem);
}

/** Validates a duration. */
export function durationErrors(field: string, duration: string | undefined): FieldError[] {
  return errorsOf(field, duration, durationProblem);
}

/** Reports invalid address ranges of a list. */
export function cidrErrors(field: string, blocks: readonly string[] | undefined): FieldError[] {
  return (blocks ?? []).flatMap((block, index) => errorsOf(`${field}[${index}]`, block, cidrProblem));
}

/** Validates a number or percentage. */
export function intOrPercentErrors(field: string, value: number | string | undefined): FieldError[] {
  return errorsOf(field, value, (given) => {
    const negative = String(given).startsWith("-");
    return intOrPercentProblem(given) ?? (negative ? "must be 0 or more" : undefined);
  });
}

function errorsOf<T>(
  field: string,
  value: T | undefined,
  problemOf: (value: T) => string | undefined,
): FieldError[] {
  const problem = value === undefined ? undefined : problemOf(value);
  return problem === undefined ? [] : [invalid(field, value, problem)];
}
