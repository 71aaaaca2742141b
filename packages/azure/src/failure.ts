import { Failure, type FailureClass } from "@capstan/runtime";
import { AzureError, type AzureErrorClass } from "./port.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

interface Meaning {
  readonly failure: FailureClass;
  /** When to retry without a Retry-After; by default the queue's backoff. */
  readonly retryAfterMs?: number;
}

/** The one table of Azure's error classes and their failures. */
const MEANINGS: Readonly<Record<AzureErrorClass, Meaning>> = {
  Throttled: { failure: "Waiting", retryAfterMs: MINUTE_MS }, // not the object's fault: it waits its turn
  Conflict: { failure: "Waiting", retryAfterMs: 30 * SECOND_MS }, // the other operation takes its time
  Preempted: { failure: "Conflict" }, // read again at once: a newer write took its place
  Precondition: { failure: "Conflict" }, // read again at once: another client wrote first
  Transient: { failure: "Transient" },
  Capacity: { failure: "Transient", retryAfterMs: 2 * MINUTE_MS }, // machines come free within minutes, or not
  Quota: { failure: "Transient", retryAfterMs: 10 * MINUTE_MS }, // an operator raises it without touching our object
  Guest: { failure: "Transient", retryAfterMs: MINUTE_MS }, // passes when the machine has been replaced
  Terminal: { failure: "Terminal" },
  Auth: { failure: "Transient", retryAfterMs: MINUTE_MS }, // role assignments take minutes to spread
  // The object still exists and needs the resource: the next pass creates it, or its parent.
  Gone: { failure: "Transient", retryAfterMs: 15 * SECOND_MS },
};

/**
 * Converts an error of Azure to a Failure; any other error is passed on. The id of the request stays with the cause, for
 * the log: in a message it would make each retry a new condition and a new event.
 */
export function failureOf(error: unknown, attempt: string): unknown {
  if (!(error instanceof AzureError)) return error;
  const { failure, retryAfterMs } = meaningOf(error);
  return new Failure(failure, reasonOf(error.code), {
    message: `${attempt}: ${error.message}`,
    cause: error,
    outcomeUnknown: error.isOutcomeUnknown,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

function meaningOf({ class: meaning, retryAfterMs }: AzureError): Meaning {
  const usual = MEANINGS[meaning];
  return retryAfterMs === undefined ? usual : { ...usual, retryAfterMs };
}

/** Reasons of conditions are CamelCase words; a few codes of Azure are not. */
function reasonOf(code: string): string {
  const words = code.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const reason = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
  return /^[A-Za-z]/.test(reason) ? reason : `Azure${reason}`;
}
