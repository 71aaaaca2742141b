/**
 * What a failure means for the object that is being reconciled:
 * - NotFound, Conflict: normal in a level-triggered world; look again at once, and tell nobody.
 * - Waiting: not an error; something is under way and the object comes back after a while.
 * - Transient: may pass by itself; back off and try again.
 * - Terminal: somebody must change something; no retry until then, but for a slow probe.
 * Anything thrown that is no Failure is a bug of ours.
 */
export type FailureClass = "NotFound" | "Conflict" | "Waiting" | "Transient" | "Terminal";

/** Details of a failure. */
export interface FailureOptions {
  readonly cause?: unknown;
  /** When the other side asked us to come back. */
  readonly retryAfterMs?: number;
  /** No answer says whether the request was carried out; it may have been. */
  readonly outcomeUnknown?: boolean;
}

/** An error whose meaning is known. Adapters make them, in one table each; nobody reads their message text. */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly failure: FailureClass;
  /** CamelCase; becomes the reason of a condition or event. */
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

/** Something is under way; come back after a while. */
export function waiting(reason: string, message: string, retryAfterMs = RECHECK_MS): Failure {
  return new Failure("Waiting", reason, { message, retryAfterMs });
}

/** It may pass by itself. */
export function transient(reason: string, message: string, options?: FailureOptions): Failure {
  return new Failure("Transient", reason, { ...options, message });
}

/** Somebody must change something first; the message says what. */
export function terminal(reason: string, message: string, options?: FailureOptions): Failure {
  return new Failure("Terminal", reason, { ...options, message });
}

/** Whether the error says that the object is not there. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Failure && error.failure === "NotFound";
}

/** Whether the error says that somebody else wrote first, or that the name is taken. */
export function isConflict(error: unknown): boolean {
  return error instanceof Failure && error.failure === "Conflict";
}

/** Whether a create found an object of that name. */
export function isAlreadyExists(error: unknown): boolean {
  return isConflict(error) && (error as Failure).reason === "AlreadyExists";
}

/** Whether the server does not know the kind: its CustomResourceDefinition is missing. */
export function isNotServed(error: unknown): boolean {
  return error instanceof Failure && error.reason === "KindNotServed";
}

/** Whether a list or watch asked for a version that the server has forgotten. */
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
    // A server that asked to be left alone keeps its pause; otherwise the soonest wait counts.
    ...(first.retryAfterMs !== undefined
      ? { retryAfterMs: first.retryAfterMs }
      : first.failure === "Terminal" && waits.length > 0 && { retryAfterMs: Math.min(...waits) }),
  });
}

function severityOf({ failure }: Failure): number {
  return ["Terminal", "Transient", "Waiting"].indexOf(failure);
}
