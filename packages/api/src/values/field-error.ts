/** The type of a field error, in Kubernetes' terms (the causes of a 422 Status). */
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

/** A required field is missing. */
export function required(field: string, detail: string): FieldError {
  return { type: "FieldValueRequired", field, message: `Required value: ${detail}` };
}

/** An invalid value; the detail says what is expected. */
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

/** A field that must not be set or changed here. */
export function forbidden(field: string, detail: string): FieldError {
  return { type: "FieldValueForbidden", field, message: `Forbidden: ${detail}` };
}

/** A value that may occur only once. */
export function duplicate(field: string, value: unknown): FieldError {
  return { type: "FieldValueDuplicate", field, message: `Duplicate value: ${shown(value)}` };
}

/** A reference to a missing object. */
export function notFound(field: string, value: unknown): FieldError {
  return { type: "FieldValueNotFound", field, message: `Not found: ${shown(value)}` };
}

/** The error if the condition is true, else an empty list, so that a list of rules has one rule per line. */
export function errorIf(condition: unknown, error: FieldError): readonly FieldError[] {
  return condition ? [error] : [];
}

/** `path: message`, as kubectl prints it. */
export function formatFieldError(error: FieldError): string {
  return `${error.field}: ${error.message}`;
}

// A user's value can be a whole manifest; the message must stay readable and below Kubernetes' own limits.
const LONGEST_VALUE = 1000;

/** A value for a message: as JSON, cut to a maximum length. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}
