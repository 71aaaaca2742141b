import type { FieldError } from "@capstan/api";
import { goJson, goNumber, goQuote } from "./go-text.ts";

/** A problem of a field. Schemas have one more type of problem than the rules of our kinds. */
export interface FieldProblem extends Omit<FieldError, "type"> {
  readonly type: FieldError["type"] | "FieldValueTypeInvalid";
}

/** The path that Kubernetes prints if there is none: for problems of a whole object, or of several schemas together. */
export const NO_PATH = "<nil>";

/** A required field is missing. */
export function requiredValue(field: string, detail = ""): FieldProblem {
  return { type: "FieldValueRequired", field, message: withDetail("Required value", detail) };
}

/** An invalid value. */
export function invalidValue(field: string, value: unknown, detail: string): FieldProblem {
  return { type: "FieldValueInvalid", field, message: `Invalid value: ${shownValue(value)}: ${detail}` };
}

/** A value of another type than that of its schema. */
export function wrongType(field: string, value: unknown, detail: string): FieldProblem {
  return { ...invalidValue(field, value, detail), type: "FieldValueTypeInvalid" };
}

/** A value outside a closed set. */
export function unsupportedValue(field: string, value: unknown, supported: readonly unknown[]): FieldProblem {
  const message = `Unsupported value: ${shownValue(value)}: supported values: ${supportedText(supported)}`;
  return { type: "FieldValueNotSupported", field, message };
}

const supportedTexts = new WeakMap<readonly unknown[], string>();

/** A list of thousands of values is printed once, and cut. */
function supportedText(supported: readonly unknown[]): string {
  const known = supportedTexts.get(supported);
  if (known !== undefined) return known;
  const words = supported.map((item) => goQuote(typeof item === "string" ? item : goJson(item)));
  const text = cut(words.join(", "));
  supportedTexts.set(supported, text);
  return text;
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

/** A field that must not be set here. */
export function forbiddenValue(field: string, detail: string): FieldProblem {
  return { type: "FieldValueForbidden", field, message: `Forbidden: ${detail}` };
}

// Kubernetes prints values in full. A text of a megabyte is useless in a message, so longer values than any real one
// are cut.
const LONGEST_VALUE = 10_000;

function shownValue(value: unknown): string {
  const text = typeof value === "number" ? goNumber(value) : printed(value);
  return cut(text);
}

function cut(text: string): string {
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}

function printed(value: unknown): string {
  return typeof value === "string" ? goQuote(value) : goJson(value);
}

function withDetail(text: string, detail: string): string {
  return detail === "" ? text : `${text}: ${detail}`;
}
