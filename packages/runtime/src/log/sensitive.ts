import { inspect } from "node:util";

const REDACTED = "[redacted]";

/**
 * A secret in memory. When printed, logged, interpolated or serialized, it shows as `[redacted]`; only `reveal()` returns
 * the value, so that each use can be found by its name.
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

// Deeper than any of our objects.
const DEPTH_LIMIT = 12;
// kubectl apply stores the whole object in here, including the values of a Secret.
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** A copy for a log: the values of Kubernetes Secrets are replaced at any depth. */
export function redacted(value: unknown): unknown {
  return copyOf(value, []);
}

/** `path` has the enclosing objects, so that a circular value does not hang the logger. */
function copyOf(value: unknown, path: readonly object[]): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (path.includes(value)) return "[circular]";
  if (path.length > DEPTH_LIMIT) return "[too deep]";
  if (value instanceof Sensitive) return REDACTED;
  const inner = [...path, value];
  if (value instanceof Error) return errorFields(value, inner);
  if (Array.isArray(value)) return value.map((item) => copyOf(item, inner));
  return copyOfObject(value, inner);
}

function copyOfObject(value: object, path: readonly object[]): unknown {
  const kind = "kind" in value ? value.kind : undefined;
  const copy = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, copyOf(item, path)]));
  if (kind === "Secret") return withoutValues(copy);
  // The items of a list have no kind.
  if (kind === "SecretList" && Array.isArray(copy["items"])) {
    return { ...copy, items: copy["items"].map((item) => withoutValues(item as Fields)) };
  }
  return copy;
}

type Fields = Record<string, unknown>;

function withoutValues(secret: Fields): Fields {
  const hidden: Fields = { ...secret };
  for (const name of ["data", "stringData"]) {
    if (name in hidden) hidden[name] = redactedValues(hidden[name]);
  }
  const metadata = hidden["metadata"] as { annotations?: Fields } | undefined;
  if (metadata?.annotations && LAST_APPLIED in metadata.annotations) {
    const annotations = { ...metadata.annotations, [LAST_APPLIED]: REDACTED };
    hidden["metadata"] = { ...metadata, annotations };
  }
  return hidden;
}

function redactedValues(data: unknown): unknown {
  if (typeof data !== "object" || data === null) return REDACTED;
  return Object.fromEntries(Object.keys(data).map((key) => [key, REDACTED]));
}

function errorFields(error: Error, path: readonly object[]): unknown {
  return {
    type: error.name,
    message: error.message,
    ...("reason" in error && { reason: error.reason }),
    ...("requestId" in error && { requestId: error.requestId }),
    ...(error.cause !== undefined && { cause: copyOf(error.cause, path) }),
    ...(error.name !== "Failure" && { stack: error.stack }),
  };
}
