import type { Chapter } from "./chapter.ts";
import { creationsIn, type MachineLatency, readyMs } from "./latencies.ts";

/** What CAPZ's controllers ask of Azure for a piece of work, term by term. */
export type Pattern = Readonly<Record<string, number>>;

/** The work, as it went with us: the same machines, the same latencies, the same time. */
export interface Work {
  readonly chapter: Chapter;
  /** Machines that were there while it was done, on average. */
  readonly machines: number;
  readonly deleted: number;
  readonly puts: number;
}

// A list of instances has a page for each hundred.
const PAGE = 100;
// capz.md 1.8 "Timeouts": requeue 15 s, sync period 10 min. "Debounce": 10 s between passes over one pool.
const REQUEUE_MS = 15_000;
const SYNC_MS = 10 * 60_000;
const DEBOUNCE_MS = 10_000;
// capz.md 1.8, row "AMPM (each instance)": every 30 s until Ready.
const UNREADY_MS = 30_000;
// capz.md 1.8, rows "AMP with model change" and "AMPM delete": 1..3 polls; the middle.
const POLLS = 2;
// The changes of a new machine that are events for it: its VM is made, its Node is there, the Node is Ready.
const EVENTS = 3;

/**
 * CAPZ's requests for work during which something changes all the time. Each term names its line in reference/capz.md
 * 1.8. Lines that only add (system-assigned identities, drift of tags) are left out.
 */
export function capzPattern({ chapter, machines, deleted, puts }: Work): Pattern {
  const { durationMs, events } = chapter;
  const made = creationsIn(events);
  const pages = Math.ceil(machines / PAGE);
  const operatingMs = Math.min(durationMs, operationMsOf(made));
  return {
    // "AMP with model change / scale-out: ... + PUT".
    "PUT scale set": puts,
    // "... then every 15 s: GET + LIST + 1..3 polls" while the operation runs.
    "pool, while it is written": (operatingMs / REQUEUE_MS) * (1 + pages + POLLS),
    // "AMP steady: 3 + pages", and by "Fan-out bug" and "Debounce" every 10 s while machines change.
    "pool, while machines change": ((durationMs - operatingMs) / DEBOUNCE_MS) * (3 + pages),
    // "AMPM: 1 GET VM; every 30 s until Ready".
    "GET machine until Ready": made.reduce((total, one) => total + Math.ceil(readyMs(one) / UNREADY_MS), 0),
    // "AMPM: ... on every event".
    "GET machine on events": EVENTS * made.length,
    // "AMPM: ... and at least every 10 min sync".
    "GET machine at syncs": machines * Math.floor(durationMs / SYNC_MS),
    // "AMPM delete: 1 DELETE + 1..3 polls per 15 s until done"; half of the deletions take less (azure.md 4.1).
    "DELETE machine": deleted * (1 + POLLS),
  };
}

/** The same for a pool in which nothing changes: "AMP steady" and "AMPM", at each sync. */
export function settledPattern(machines: number, durationMs: number): Pattern {
  const syncs = Math.floor(durationMs / SYNC_MS);
  return {
    "pool, at syncs": syncs * (3 + Math.ceil(machines / PAGE)),
    "GET machine at syncs": syncs * machines,
  };
}

/** How long PUTs ran: each as long as the slowest machine that it made. */
function operationMsOf(made: readonly MachineLatency[]): number {
  const slowest = new Map<number, number>();
  for (const { startMs, provisionedMs } of made)
    slowest.set(startMs, Math.max(slowest.get(startMs) ?? 0, provisionedMs));
  let totalMs = 0;
  for (const ms of slowest.values()) totalMs += ms;
  return totalMs;
}
