import type { LaneSegment } from "@capstan/page";
import { type LaneMachine, segmentsOf } from "./segments.ts";

/** What is known of a machine over time. It stays for a while when the machine is gone. */
export interface LaneRecord {
  readonly uid: string;
  readonly machine: LaneMachine;
  readonly segments: readonly LaneSegment[];
  readonly goneMs?: number;
}

// A machine that flaps has no more than these on the screen.
const MOST_SEGMENTS = 60;
// A rollout of a large pool; of more, the first ones are forgotten.
const MOST_GONE = 2_000;

/** The phases of machines: what their objects report now, and what they reported before, which they do not keep. */
export class LaneHistory {
  readonly #records = new Map<string, LaneRecord>();
  readonly #gone: string[] = [];

  /** Notes the newest state of a machine. */
  note(machine: LaneMachine, nowMs: number): void {
    const uid = machine.metadata.uid ?? "";
    const before = this.#records.get(uid)?.segments ?? [];
    const segments = mergedSegments(before, segmentsOf(machine, nowMs)).slice(-MOST_SEGMENTS);
    this.#records.set(uid, { uid, machine, segments });
  }

  /** Notes that a machine is gone. */
  noteGone(machine: LaneMachine, nowMs: number): void {
    const uid = machine.metadata.uid ?? "";
    const { segments = [] } = this.#records.get(uid) ?? {};
    this.#records.set(uid, { uid, machine, segments: ended(segments, nowMs), goneMs: nowMs });
    this.#gone.push(uid);
    const oldest = this.#gone.length > MOST_GONE ? this.#gone.shift() : undefined;
    if (oldest !== undefined) this.#records.delete(oldest);
  }

  /** The machines that fulfil a predicate, those that are gone included. */
  select(isShown: (machine: LaneMachine) => boolean): readonly LaneRecord[] {
    return [...this.#records.values()].filter(({ machine }) => isShown(machine));
  }
}

/**
 * What was known, with what an object tells now: a phase that the object does not tell any more ends where the next one begins,
 * and one that lasts keeps its beginning.
 */
export function mergedSegments(
  before: readonly LaneSegment[],
  reported: readonly LaneSegment[],
): readonly LaneSegment[] {
  const last = before.at(-1);
  const current = reported.at(-1);
  if (!last || !current) return reported;
  if (last.phase === current.phase) return [...before.slice(0, -1), { ...last, ...messageOf(current) }];
  const newer = reported.filter(({ fromMs }) => fromMs > last.fromMs);
  const first = newer[0];
  if (!first)
    return [...ended(before, current.fromMs), { ...current, fromMs: Math.max(last.fromMs, current.fromMs) }];
  return [...ended(before, first.fromMs), ...newer];
}

function messageOf({ message }: LaneSegment): Pick<LaneSegment, "message"> {
  return message === undefined ? {} : { message };
}

function ended(segments: readonly LaneSegment[], atMs: number): readonly LaneSegment[] {
  const last = segments.at(-1);
  if (!last || last.toMs !== undefined) return segments;
  return [...segments.slice(0, -1), { ...last, toMs: Math.max(last.fromMs, atMs) }];
}
