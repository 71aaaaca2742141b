/**
 * The meaning of a failure for the object that is being reconciled:
 * - NotFound, Conflict: normal with eventually consistent caches; requeue at once, without a condition or event.
 * - Waiting: not an error; an operation runs, and the object is requeued after a while.
 * - Transient: may pass by itself; requeue with backoff.
 * - Terminal: a user must change something; no retry until then, except for a slow probe.
 * Any other exception is a bug of Capstan.
 */
export type FailureClass = "NotFound" | "Conflict" | "Waiting" | "Transient" | "Terminal";

/** Details of a failure. */
export interface FailureOptions {
  readonly cause?: unknown;
  /** The Retry-After of the other side. */
  readonly retryAfterMs?: number;
  /** Without an answer, it is unknown whether the request was executed. */
  readonly outcomeUnknown?: boolean;
}

/** A classified error. Adapters create them, each with one table; no code depends on the message. */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly failure: FailureClass;
  /** CamelCase; it becomes the reason of a condition or event. */
  readonly reason: string;
  readonly retryAfterMs: number | undefined;
  readonly outcomeUnknown: boolean;

  constructor(failure: FailureClass, reason: string, options: FailureOptions & { readonly message: string }) {
    super(options.message, { cause: options.cause });
    this.failure = failure;
    this.reason = reason;
    this.retryAfterMs = options.retryAfterMs;
    this.outcomeUnknown = options.outcomeUnknown ?? false;
  }
}

// For waits that end with an event of a watched object: the requeue only covers an event that was missed.
const RECHECK_MS = 10 * 60_000;

/** An operation runs; requeue after a while. */
export function waiting(reason: string, message: string, retryAfterMs = RECHECK_MS): Failure {
  return new Failure("Waiting", reason, { message, retryAfterMs });
}

/** The error may pass by itself. */
export function transient(reason: string, message: string, options?: FailureOptions): Failure {
  return new Failure("Transient", reason, { ...options, message });
}

/** A user must change something first; the message says what. */
export function terminal(reason: string, message: string, options?: FailureOptions): Failure {
  return new Failure("Terminal", reason, { ...options, message });
}

/** Whether the object does not exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Failure && error.failure === "NotFound";
}

/** Whether another client wrote first, or the name is taken. */
export function isConflict(error: unknown): boolean {
  return error instanceof Failure && error.failure === "Conflict";
}

/** Whether a create found an object of that name. */
export function isAlreadyExists(error: unknown): boolean {
  return isConflict(error) && (error as Failure).reason === "AlreadyExists";
}

/** Whether the server does not serve the kind: its CustomResourceDefinition is missing. */
export function isNotServed(error: unknown): boolean {
  return error instanceof Failure && error.reason === "KindNotServed";
}

/** Whether a list or watch used a version that has expired on the server. */
export function isExpired(error: unknown): boolean {
  return error instanceof Failure && error.reason === "Expired";
}

// A stale read explains any other failure of the pass. Next comes what a retry may cure: a pass that also met a
// Terminal failure must still be retried for the rest.
const PRECEDENCE = ["Conflict", "NotFound", "Transient", "Terminal", "Waiting"] as const;

/** One failure for several of one pass: the class that decides the retry, the reason a user has to act on, all messages. */
export function combineFailures(failures: readonly Failure[]): Failure {
  const [first, ...others] = failures.toSorted(
    (a, b) => PRECEDENCE.indexOf(a.failure) - PRECEDENCE.indexOf(b.failure),
  );
  if (!first) throw new TypeError("there is no failure to combine");
  if (others.length === 0 || first.failure === "Conflict" || first.failure === "NotFound") return first;
  const bySeverity = failures.toSorted((a, b) => severityOf(a) - severityOf(b));
  const waits = failures.flatMap(({ retryAfterMs }) => (retryAfterMs === undefined ? [] : [retryAfterMs]));
  return new Failure(first.failure, bySeverity[0]?.reason ?? first.reason, {
    message: bySeverity.map(({ message }) => message).join("; "),
    cause: first,
    // The Retry-After of a server is kept; otherwise the soonest wait counts.
    ...(first.retryAfterMs !== undefined
      ? { retryAfterMs: first.retryAfterMs }
      : first.failure === "Terminal" && waits.length > 0 && { retryAfterMs: Math.min(...waits) }),
  });
}

function severityOf({ failure }: Failure): number {
  return ["Terminal", "Transient", "Waiting"].indexOf(failure);
}
