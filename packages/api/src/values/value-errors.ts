/** Field errors of values that have a grammar; a value that is not there is fine. */
import { cidrProblem } from "./cidr.ts";
import { durationProblem } from "./duration.ts";
import { type FieldError, invalid } from "./field-error.ts";
import { intOrPercentProblem } from "./int-or-percent.ts";
import { versionProblem } from "./version.ts";

/** Says what is wrong with a version that must be written with a leading v. */
export function versionErrors(field: string, version: string | undefined): FieldError[] {
  return errorsOf(field, version, versionProblem);
}

/** Says what is wrong with a duration. */
export function durationErrors(field: string, duration: string | undefined): FieldError[] {
  return errorsOf(field, duration, durationProblem);
}

/** Says which address ranges of a list are none. */
export function cidrErrors(field: string, blocks: readonly string[] | undefined): FieldError[] {
  return (blocks ?? []).flatMap((block, index) => errorsOf(`${field}[${index}]`, block, cidrProblem));
}

/** Says what is wrong with a count that may be a share. */
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
