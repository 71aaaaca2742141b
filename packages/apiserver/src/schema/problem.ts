import type { FieldError } from "@capstan/api";
import { goJson, goNumber, goQuote } from "./go-text.ts";

/** What is wrong with a field. Schemas know one kind of problem more than the rules of our kinds do. */
export interface FieldProblem extends Omit<FieldError, "type"> {
  readonly type: FieldError["type"] | "FieldValueTypeInvalid";
}

/** The path that Kubernetes prints where there is none: problems of a whole object, or of several schemas together. */
export const NO_PATH = "<nil>";

/** A field that must be there is not. */
export function requiredValue(field: string, detail = ""): FieldProblem {
  return { type: "FieldValueRequired", field, message: withDetail("Required value", detail) };
}

/** A value that cannot be right. */
export function invalidValue(field: string, value: unknown, detail: string): FieldProblem {
  return { type: "FieldValueInvalid", field, message: `Invalid value: ${shownValue(value)}: ${detail}` };
}

/** A value of another type than its schema wants. */
export function wrongType(field: string, value: unknown, detail: string): FieldProblem {
  return { ...invalidValue(field, value, detail), type: "FieldValueTypeInvalid" };
}

/** A value outside a closed set. */
export function unsupportedValue(field: string, value: unknown, supported: readonly unknown[]): FieldProblem {
  const words = supported.map((item) => goQuote(typeof item === "string" ? item : goJson(item))).join(", ");
  const message = `Unsupported value: ${shownValue(value)}: supported values: ${words}`;
  return { type: "FieldValueNotSupported", field, message };
}

/** A text above its limit. Kubernetes counts characters here and says bytes. */
export function tooLong(field: string, limit: number): FieldProblem {
  const message = `Too long: may not be more than ${limit} ${limit === 1 ? "byte" : "bytes"}`;
  return { type: "FieldValueTooLong", field, message };
}

/** A list or map above its limit. */
export function tooMany(field: string, count: number, limit: number): FieldProblem {
  const message = `Too many: ${count}: must have at most ${limit} ${limit === 1 ? "item" : "items"}`;
  return { type: "FieldValueTooMany", field, message };
}

/** A value that may occur only once. */
export function duplicateValue(field: string, value: unknown): FieldProblem {
  return { type: "FieldValueDuplicate", field, message: `Duplicate value: ${shownValue(value)}` };
}

/** A field that may not be set here. */
export function forbiddenValue(field: string, detail: string): FieldProblem {
  return { type: "FieldValueForbidden", field, message: `Forbidden: ${detail}` };
}

// Kubernetes prints values whole. A text of a megabyte helps nobody, so what is longer than any real value is cut.
const LONGEST_VALUE = 10_000;

function shownValue(value: unknown): string {
  const text = typeof value === "number" ? goNumber(value) : printed(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}

function printed(value: unknown): string {
  return typeof value === "string" ? goQuote(value) : goJson(value);
}

function withDetail(text: string, detail: string): string {
  return detail === "" ? text : `${text}: ${detail}`;
}
