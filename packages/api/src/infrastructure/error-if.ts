import type { FieldError } from "../values/field-error.ts";

/** The error when the condition holds, else nothing: so that a list of rules reads one rule a line. */
export function errorIf(condition: unknown, error: FieldError): readonly FieldError[] {
  return condition ? [error] : [];
}
