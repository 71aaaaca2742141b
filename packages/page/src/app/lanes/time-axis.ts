import type { Lane, RolloutHead } from "../../protocol.ts";

/** The part of time that a picture shows. */
export interface TimeAxis {
  readonly fromMs: number;
  readonly toMs: number;
  readonly nowMs: number;
  /** The position of a time, from 0 to 1. */
  readonly at: (ms: number) => number;
  readonly ticks: readonly number[];
}

const MINUTE_MS = 60_000;
// Before a rollout there is a little of what was.
const LEAD_SHARE = 0.06;
const SHORTEST_MS = 2 * MINUTE_MS;

/** From a little before the rollout until its expected end; without a rollout the last minutes. */
export function axisOf(
  head: Pick<RolloutHead, "beganMs" | "endedMs" | "expectedEndMs">,
  lanes: readonly Pick<Lane, "forecast">[],
  nowMs: number,
): TimeAxis {
  const { beganMs, endedMs, expectedEndMs } = head;
  const expected = lanes.flatMap(({ forecast }) => forecast.map(({ toMs }) => toMs));
  const lastMs =
    endedMs === undefined
      ? Math.max(nowMs, expectedEndMs ?? 0, largest(expected))
      : Math.max(endedMs, beganMs);
  const lengthMs = Math.max(SHORTEST_MS, lastMs - beganMs);
  const fromMs = beganMs - LEAD_SHARE * lengthMs;
  const toMs = Math.max(lastMs, beganMs + SHORTEST_MS) + 0.02 * lengthMs;
  const at = (ms: number): number => Math.min(1, Math.max(0, (ms - fromMs) / (toMs - fromMs)));
  return { fromMs, toMs, nowMs, at, ticks: ticksOf(beganMs, fromMs, toMs) };
}

/** Not by spreading: a pool may have ten thousand machines. */
function largest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}

const STEPS_MS = [15_000, 30_000, 1, 2, 5, 10, 15, 30, 60, 120, 240, 720, 1440].map((step) =>
  step < 2000 ? step * MINUTE_MS : step,
);
const MOST_TICKS = 8;

/** Times at round distances from the beginning. */
function ticksOf(beganMs: number, fromMs: number, toMs: number): readonly number[] {
  const stepMs =
    STEPS_MS.find((step) => (toMs - fromMs) / step <= MOST_TICKS) ?? (toMs - fromMs) / MOST_TICKS;
  const first = Math.ceil((fromMs - beganMs) / stepMs);
  const last = Math.floor((toMs - beganMs) / stepMs);
  return Array.from(
    { length: Math.max(0, last - first + 1) },
    (_, index) => beganMs + (first + index) * stepMs,
  );
}
