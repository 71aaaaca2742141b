import { type Candidate, chooseDonor, type PassedOver, shortageOf } from "./donor.ts";
import { isFailure } from "./interruption.ts";
import { type PrototypeRecord } from "./record.ts";
import { type PrototypeWindow, untilOpenMs } from "./window.ts";

/** Everything that the start of a renewal depends on. */
export interface StartFacts {
  readonly nowMs: number;
  readonly record: PrototypeRecord;
  readonly lastImagePrototypeMs: number | undefined;
  readonly poolCreatedMs: number;
  /** Where the first renewal of this pool lies among those of all pools, from 0 to below 1. */
  readonly spreadShare: number;
  readonly intervalMs: number;
  readonly window: PrototypeWindow | undefined;
  /** The value of the annotation that asks for a renewal now. */
  readonly trigger: string | undefined;
  /** Why the pool must not be disturbed now. */
  readonly obstacles: readonly Obstacle[];
  readonly desired: number;
  /** The field that a user changes to get more machines. */
  readonly sizeField: string;
  /** The machines of the pool; asked for only when a renewal could begin. */
  readonly candidates: () => readonly Candidate[];
  /** Other renewals that hold a donor now. */
  readonly others: { readonly inCluster: number; readonly inManager: number };
}

/** Why nothing can begin, in words for a condition. */
interface Obstacle {
  readonly reason: string;
  readonly why: string;
}

/** What to do now. */
export type StartDecision = { readonly why: string } & (
  | { readonly do: "wait"; readonly reason: string; readonly afterMs: number }
  | {
      readonly do: "start";
      readonly donor: string;
      readonly isRequested: boolean;
      readonly passedOver: readonly PassedOver[];
    }
);

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
// Pools that are created together do not all stop a node at the same time.
const MOST_SPREAD_MS = 6 * HOUR_MS;
const IN_MANAGER = 10;
const IN_CLUSTER = 1;
const SOON_MS = MINUTE_MS;

/**
 * Decides whether a renewal begins now, with which donor, or why it waits. Whether the donor has anything new is asked of the
 * donor itself, in the step Preparing.
 */
export function decideStart(facts: StartFacts): StartDecision {
  const wait = waitFor(facts);
  if (wait) return wait;
  const candidates = facts.candidates();
  const { donor, passedOver } = chooseDonor(candidates);
  if (donor === undefined) return withoutDonor(passedOver);
  const shortage = shortageOf(candidates, facts.desired, donor);
  if (shortage !== undefined)
    return { do: "wait", reason: "NotAllAvailable", why: shortage, afterMs: SOON_MS };
  const isRequested = isTriggered(facts);
  const why = isRequested ? "a user asked for it" : dueText(facts);
  return { do: "start", donor, isRequested, passedOver, why: `${donor} is the donor: ${why}` };
}

/** When the next renewal is due by the interval alone. */
function dueAtMs(facts: Pick<StartFacts, DueFact>): number {
  const { lastImagePrototypeMs, poolCreatedMs, intervalMs, spreadShare } = facts;
  if (lastImagePrototypeMs !== undefined) return lastImagePrototypeMs + intervalMs;
  const spreadMs = Math.min(intervalMs, MOST_SPREAD_MS);
  return poolCreatedMs + Math.floor(spreadMs * spreadShare);
}

type DueFact = "lastImagePrototypeMs" | "poolCreatedMs" | "intervalMs" | "spreadShare";

/** Whether a user asks for a renewal that has not begun yet. */
function isTriggered({ trigger, record }: Pick<StartFacts, "trigger" | "record">): boolean {
  return trigger !== undefined && trigger !== record.observedTrigger;
}

function waitFor(facts: StartFacts): StartDecision | undefined {
  const tooSmall = oneNode(facts);
  if (tooSmall) return tooSmall;
  return (isTriggered(facts) ? undefined : untilDue(facts)) ?? untilFree(facts);
}

function oneNode({ desired, sizeField }: StartFacts): StartDecision | undefined {
  if (desired > 1) return undefined;
  const why = `a renewal would take the only node out of service; set ${sizeField} to at least 2`;
  return { do: "wait", reason: "OneNodePool", why, afterMs: 10 * MINUTE_MS };
}

/** A renewal that a user asks for does not wait for these. */
function untilDue(facts: StartFacts): StartDecision | undefined {
  const { nowMs, record } = facts;
  const backoffMs = Date.parse(record.nextAttemptTime ?? "") - nowMs;
  if (backoffMs > 0) return backingOff(record, backoffMs);
  const dueMs = dueAtMs(facts) - nowMs;
  if (dueMs > 0) {
    const why = `the next renewal is due at ${new Date(nowMs + dueMs).toISOString()}`;
    return { do: "wait", reason: "NotDue", why, afterMs: dueMs };
  }
  const closedMs = untilOpenMs(facts.window, nowMs);
  if (closedMs === 0) return undefined;
  const why = `the window of nodePrototyping opens at ${new Date(nowMs + closedMs).toISOString()}`;
  return { do: "wait", reason: "OutsideWindow", why, afterMs: closedMs };
}

function untilFree({ obstacles, others }: StartFacts): StartDecision | undefined {
  const obstacle = obstacles[0] ?? busyBecause(others);
  return obstacle && { do: "wait", ...obstacle, afterMs: SOON_MS };
}

/** Why no other donor may be taken out of service now. */
export function busyBecause({ inCluster, inManager }: StartFacts["others"]): Obstacle | undefined {
  if (inCluster >= IN_CLUSTER) {
    const why = "another pool of the cluster has a donor out of service; one at a time";
    return { reason: "ClusterBusy", why };
  }
  if (inManager < IN_MANAGER) return undefined;
  const why = `${inManager} donors are out of service in all clusters; at most ${IN_MANAGER} at a time`;
  return { reason: "ManagerBusy", why };
}

/** The message names the time and not what is left of it: a status that changes each minute would be written each minute. */
function backingOff(record: PrototypeRecord, afterMs: number): StartDecision {
  const { consecutiveFailures = 0, lastError, nextAttemptTime = "" } = record;
  if (!lastError) return { do: "wait", reason: "Unchanged", why: unchangedText(record), afterMs };
  const cause = `${lastError.step}: ${lastError.message}`;
  const ended = isFailure(lastError)
    ? `${consecutiveFailures} failed in a row`
    : "the last one was interrupted";
  return {
    do: "wait",
    reason: "BackingOff",
    why: `no renewal before ${nextAttemptTime}, because ${ended}; ${cause}`,
    afterMs,
  };
}

/** What a bad image had is not new, either, so users learn what to do with a donor that is still the same. */
function unchangedText({ history = [] }: PrototypeRecord): string {
  const why = "nothing had changed at the last look; the next look is an interval later";
  const bad = history.find(({ state }) => state === "Bad");
  if (!bad) return why;
  return `${why}. What version ${bad.version} had, which was rolled back, is not new: correct or delete the donor, or run capstan prototype now`;
}

function withoutDonor(passedOver: readonly PassedOver[]): StartDecision {
  const named = passedOver.slice(0, 3).map(({ machine, why }) => `${machine}: ${why}`);
  const more = passedOver.length > named.length ? `; and ${passedOver.length - named.length} more` : "";
  const why = `no machine can be the donor: ${named.join("; ")}${more}`;
  return { do: "wait", reason: "NoDonor", why, afterMs: 5 * MINUTE_MS };
}

function dueText({ lastImagePrototypeMs }: StartFacts): string {
  return lastImagePrototypeMs === undefined
    ? "the pool has no image of its own yet"
    : `the image is of ${new Date(lastImagePrototypeMs).toISOString()}`;
}
