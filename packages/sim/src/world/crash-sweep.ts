import type { FaultSpec } from "../faults/faults.ts";
import { rehearse, type Rehearsal, type Run } from "./rehearsal.ts";

/** A crash at one write of a story. */
export interface CrashPoint {
  /** The nth write, from 1. */
  readonly write: number;
  /** Whether the server carries out the write before the crash. */
  readonly isApplied: boolean;
}

/** All single crashes in a run with so many writes. */
export function crashPointsOf({ writes }: Pick<Run, "writes">): CrashPoint[] {
  return Array.from({ length: writes }, (_, index) => [
    { write: index + 1, isApplied: false },
    { write: index + 1, isApplied: true },
  ]).flat();
}

/** The fault that causes the crash. */
export function faultOf({ write, isApplied }: CrashPoint): FaultSpec {
  const fault = isApplied ? "crash-after-write" : "crash-before-write";
  return { fault, when: { trigger: { nth: write } } };
}

/** Runs the story with a crash at each point, one run after the other. */
export async function* crashAt(
  points: readonly CrashPoint[],
  rehearsal: Rehearsal,
): AsyncGenerator<{ readonly point: CrashPoint; readonly run: Run }> {
  for (const point of points) {
    yield { point, run: await rehearse(rehearsal, [faultOf(point)]) };
  }
}
