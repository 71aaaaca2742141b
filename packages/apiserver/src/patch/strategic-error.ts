import { goNumber, goValue } from "../schema/go-text.ts";

/** A strategic merge patch that cannot be applied. */
export class StrategicMergeError extends Error {
  override readonly name = "StrategicMergeError";
  /** The HTTP status that kube-apiserver answers with. */
  readonly code: 400 | 422 | 500;

  constructor(message: string, code: 400 | 422 | 500 = 500) {
    super(message);
    this.code = code;
  }
}

/** A directive whose value has the wrong format. */
export function badFormat(
  directive: "primitive list" | "retainKeys" | "setElementOrder list",
): StrategicMergeError {
  return new StrategicMergeError(`invalid patch format of ${directive}`, 400);
}

/** An item of a list that lacks the merge key. */
export function noMergeKey(item: unknown, key: string): StrategicMergeError {
  return new StrategicMergeError(`map: ${goValue(item)} does not contain declared merge key: ${key}`);
}

/** An unknown value of `$patch`. */
export function unknownDirective(directive: unknown, map: unknown): StrategicMergeError {
  return new StrategicMergeError(`unknown patch type: ${goString(directive)} in map: ${goValue(map)}`);
}

/** A value of another type than that of the field. */
export function wrongType(expected: unknown[] | object, actual: unknown): StrategicMergeError {
  return new StrategicMergeError(`expected a ${goType(expected)}, but received a ${goType(actual)}`);
}

/** A value as `%s` prints it, which reports everything but strings as an error. */
function goString(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null) return "%!s(<nil>)";
  if (typeof value === "number") return `%!s(${goType(value)}=${goNumber(value)})`;
  return typeof value === "boolean" ? `%!s(bool=${value})` : goValue(value);
}

/** The type that Go decodes a JSON value into. */
export function goType(value: unknown): string {
  if (value === null || value === undefined) return "%!s(<nil>)";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  if (typeof value === "bigint") return "int64";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : "string";
}
