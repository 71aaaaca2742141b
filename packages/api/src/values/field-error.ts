/** What is wrong with a field, in Kubernetes' own vocabulary (the causes of a 422 Status). */
export type FieldErrorType =
  | "FieldValueRequired"
  | "FieldValueInvalid"
  | "FieldValueNotSupported"
  | "FieldValueForbidden"
  | "FieldValueDuplicate"
  | "FieldValueNotFound"
  | "FieldValueTooLong"
  | "FieldValueTooMany";

/** One rejected field. */
export interface FieldError {
  readonly type: FieldErrorType;
  /** Path such as `spec.strategy.rollingUpdate.maxSurge` or `spec.dataDisks[0].lun`. */
  readonly field: string;
  /** The message as Kubernetes words it, without the path. */
  readonly message: string;
}

/** A field that must be there is not. */
export function required(field: string, detail: string): FieldError {
  return { type: "FieldValueRequired", field, message: `Required value: ${detail}` };
}

/** A value that cannot be right; the detail says what would be. */
export function invalid(field: string, value: unknown, detail: string): FieldError {
  return { type: "FieldValueInvalid", field, message: `Invalid value: ${shown(value)}: ${detail}` };
}

/** A value outside a closed set. */
export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const words = supported.map((word) => JSON.stringify(word)).join(", ");
  return {
    type: "FieldValueNotSupported",
    field,
    message: `Unsupported value: ${shown(value)}: supported values: ${words}`,
  };
}

/** A field that may not be set, or not be changed, here. */
export function forbidden(field: string, detail: string): FieldError {
  return { type: "FieldValueForbidden", field, message: `Forbidden: ${detail}` };
}

/** A value that may occur only once. */
export function duplicate(field: string, value: unknown): FieldError {
  return { type: "FieldValueDuplicate", field, message: `Duplicate value: ${shown(value)}` };
}

/** A reference to something that is not there. */
export function notFound(field: string, value: unknown): FieldError {
  return { type: "FieldValueNotFound", field, message: `Not found: ${shown(value)}` };
}

/** The error when the condition holds, else nothing: so that a list of rules reads one rule a line. */
export function errorIf(condition: unknown, error: FieldError): readonly FieldError[] {
  return condition ? [error] : [];
}

/** `path: message`, as kubectl prints it. */
export function formatFieldError(error: FieldError): string {
  return `${error.field}: ${error.message}`;
}

// A value from a user can be a whole manifest; a message stays readable and below Kubernetes' own limits.
const LONGEST_VALUE = 1000;

/** A value as a message shows it: as JSON, and not too long. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}
