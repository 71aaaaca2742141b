import { inspect } from "node:util";

const REDACTED = "[redacted]";

/**
 * A secret in memory. However it is printed, logged, interpolated or serialized, it shows as
 * `[redacted]`; only `reveal()` gives the value, so that each use can be found by its name.
 */
export class Sensitive<T = string> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}

// Deeper than any object of ours; a cycle must not hang the logger.
const DEPTH_LIMIT = 12;

/** A copy fit for a log: the values of Kubernetes Secrets, wherever they are nested, are replaced. */
export function redacted(value: unknown, depth = 0): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEPTH_LIMIT) return "[too deep]";
  if (value instanceof Sensitive) return REDACTED;
  if (value instanceof Error) return errorFields(value, depth);
  if (Array.isArray(value)) return value.map((item) => redacted(item, depth + 1));
  return redactedObject(value, depth);
}

function redactedObject(value: object, depth: number): unknown {
  const hidden = "kind" in value && value.kind === "Secret" ? ["data", "stringData"] : [];
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      hidden.includes(name) ? redactedValues(item) : redacted(item, depth + 1),
    ]),
  );
}

function redactedValues(data: unknown): unknown {
  if (typeof data !== "object" || data === null) return REDACTED;
  return Object.fromEntries(Object.keys(data).map((key) => [key, REDACTED]));
}

function errorFields(error: Error, depth: number): unknown {
  return {
    type: error.name,
    message: error.message,
    ...("reason" in error && { reason: error.reason }),
    ...(error.cause !== undefined && { cause: redacted(error.cause, depth + 1) }),
    ...(error.name !== "Failure" && { stack: error.stack }),
  };
}
