import type { Frozen, NodePrototypingStatus } from "@capstan/api";

/** The persisted state of node prototyping of a pool. */
export type PrototypeRecord = Frozen<NodePrototypingStatus>;

/** A step of a renewal. */
export type PrototypePhase = PrototypeRecord["phase"];

/** One image version in the history. */
export type HistoryEntry = NonNullable<PrototypeRecord["history"]>[number];

/** The record of a pool that has never been renewed. */
export const IDLE: PrototypeRecord = { phase: "Idle" };

/** The steps in which the donor may be out of service: they end with the donor back, whatever happens. */
const WITH_DONOR: ReadonlySet<PrototypePhase> = new Set<PrototypePhase>([
  "Protecting",
  "Preparing",
  "Draining",
  "Stopping",
  "Snapshotting",
  "Restoring",
]);

/** Whether a renewal holds a donor. */
export function hasDonor(record: PrototypeRecord | undefined): boolean {
  return record !== undefined && WITH_DONOR.has(record.phase);
}

/**
 * Whether a move of the pool to another management cluster must wait. Afterwards the status is rebuilt from tags, and what was
 * published in part is deleted; a donor that is out of service must not depend on that.
 */
export function blocksMove(record: PrototypeRecord): boolean {
  return hasDonor(record) || record.phase === "Aborting";
}

/** Whether a renewal runs. */
export function isRunning(record: PrototypeRecord | undefined): boolean {
  return record !== undefined && record.phase !== "Idle";
}

const MINUTE_MS = 60_000;

/** How long a donor may take to come back. */
const RETURN_MS = 15 * MINUTE_MS;

/** How long each step may take. The steps that are missing are retried until they succeed. */
const DEADLINES_MS: Readonly<Partial<Record<PrototypePhase, number>>> = {
  Protecting: 5 * MINUTE_MS,
  Preparing: 10 * MINUTE_MS,
  // Three times the grace period of five minutes that Kamino gives pods.
  Draining: 15 * MINUTE_MS,
  Stopping: 10 * MINUTE_MS,
  Snapshotting: 15 * MINUTE_MS,
  // A donor that is not back by then is replaced.
  Restoring: RETURN_MS,
  // Azure says that the replication of a version may take up to six hours.
  Publishing: 360 * MINUTE_MS,
  // A scale set of one is mostly Ready within four minutes.
  Validating: 30 * MINUTE_MS,
  // A virtual machine is mostly created within two minutes, and one in a hundred takes up to twenty.
  Scrubbing: 40 * MINUTE_MS,
};

/** The time at which a step that begins now times out; undefined when it is retried until it succeeds. */
export function deadlineOf(phase: PrototypePhase, nowMs: number): number | undefined {
  const limitMs = DEADLINES_MS[phase];
  return limitMs === undefined ? undefined : nowMs + limitMs;
}

/**
 * Whether a donor should be back by now. The time in which no manager looked after it does not count: meanwhile the donor could
 * not be started, and a machine that is only late would be replaced.
 */
export function isReturnOverdue(record: PrototypeRecord, nowMs: number, watchedSinceMs: number): boolean {
  return isOverdue(record, nowMs) && nowMs - watchedSinceMs >= RETURN_MS;
}

/** Whether the time of the current step is over. */
export function isOverdue({ phaseDeadline }: PrototypeRecord, nowMs: number): boolean {
  return phaseDeadline !== undefined && nowMs >= Date.parse(phaseDeadline);
}
