import { hasDonor, type PrototypePhase, type PrototypeRecord } from "./record.ts";

/** What may end a renewal before its time. */
export interface InterruptionFacts {
  /** Why node prototyping is off for the pool; undefined while it is on. */
  readonly offBecause: string | undefined;
  readonly isPaused: boolean;
  readonly isDeleting: boolean;
  /** Why the pool must not be disturbed: a rollout or a change of its size has begun. */
  readonly changeOfPool: string | undefined;
}

/** Where a renewal goes instead, and why. */
export interface Interruption {
  readonly to: "Restoring" | "Aborting" | "hold";
  readonly code: string;
  readonly why: string;
}

/** The codes of renewals that were interrupted; they are not failures of the donor. */
const INTERRUPTIONS: ReadonlySet<string> = new Set(["SwitchedOff", "PoolDeleted", "Paused", "PoolChanged"]);

/** The codes of renewals that ended before the drain, because the donor has nothing new. */
const NOTHING_NEW: ReadonlySet<string> = new Set(["Unchanged", "SameAsRolledBack"]);

/** Whether a renewal ended because there was nothing to renew: the next one is due an interval later. */
export function isSkipped(lastError: PrototypeRecord["lastError"]): boolean {
  return lastError !== undefined && NOTHING_NEW.has(lastError.code);
}

/** Whether a renewal ended by an error, and not because it had to give way. */
export function isFailure(lastError: PrototypeRecord["lastError"]): boolean {
  return lastError !== undefined && !INTERRUPTIONS.has(lastError.code) && !isSkipped(lastError);
}

/** Until the donor is stopped, a renewal yields to changes of its pool. */
const YIELDING: ReadonlySet<PrototypePhase> = new Set<PrototypePhase>([
  "Protecting",
  "Preparing",
  "Draining",
]);

/** Whether a renewal gives way to changes of its pool in this step. */
export function yields({ phase }: PrototypeRecord): boolean {
  return YIELDING.has(phase);
}

/** Whether a renewal must not go on. A stopped donor is brought back whatever the reason is. */
export function interruptionOf(record: PrototypeRecord, facts: InterruptionFacts): Interruption | undefined {
  const reason = reasonOf(record, facts);
  if (!reason || record.phase === "Restoring" || record.phase === "Aborting" || record.phase === "Idle")
    return undefined;
  if (hasDonor(record)) return { to: "Restoring", ...reason };
  // A pause stops steps forward only: what is published waits.
  return { to: reason.code === "Paused" ? "hold" : "Aborting", ...reason };
}

function reasonOf(
  { phase }: PrototypeRecord,
  { offBecause, isPaused, isDeleting, changeOfPool }: InterruptionFacts,
): { readonly code: string; readonly why: string } | undefined {
  if (isDeleting) return { code: "PoolDeleted", why: "the pool is being deleted" };
  if (offBecause !== undefined) return { code: "SwitchedOff", why: offBecause };
  if (isPaused) return { code: "Paused", why: "the pool or its Cluster is paused" };
  if (changeOfPool !== undefined && YIELDING.has(phase)) return { code: "PoolChanged", why: changeOfPool };
  return undefined;
}
