import { isFailure, isSkipped } from "./interruption.ts";
import type { PrototypeRecord } from "./record.ts";

const MINUTE_MS = 60_000;
const FIRST_MS = 10 * MINUTE_MS;
/** After so many failures in a row, renewals are tried once an interval. */
export const BREAKER_AFTER = 3;

/** How long no renewal begins after so many failures in a row: each of them has drained a node. */
export function backoffMs(failures: number, intervalMs: number): number {
  if (failures >= BREAKER_AFTER) return intervalMs;
  return Math.min(intervalMs, FIRST_MS * 2 ** Math.max(0, failures - 1));
}

/** How a renewal without an image ended, and how long no other begins. */
export interface EndOfRenewal {
  readonly result: "failed" | "interrupted" | "skipped";
  readonly consecutiveFailures: number | undefined;
  readonly waitMs: number;
}

/** Decides when the next renewal may begin after one that ended without an image. */
export function decideEnd(
  { lastError, consecutiveFailures: before }: PrototypeRecord,
  intervalMs: number,
): EndOfRenewal {
  if (isFailure(lastError)) {
    const consecutiveFailures = (before ?? 0) + 1;
    return { result: "failed", consecutiveFailures, waitMs: backoffMs(consecutiveFailures, intervalMs) };
  }
  if (isSkipped(lastError)) return { result: "skipped", consecutiveFailures: before, waitMs: intervalMs };
  // A renewal that yielded to a change of its pool tries again soon.
  return { result: "interrupted", consecutiveFailures: before, waitMs: FIRST_MS };
}
