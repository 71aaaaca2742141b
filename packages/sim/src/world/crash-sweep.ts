import type { FaultSpec } from "../faults/faults.ts";
import { rehearse, type Rehearsal, type Run } from "./rehearsal.ts";

/** A crash at one write of a story. */
export interface CrashPoint {
  /** The nth write, from 1. */
  readonly write: number;
  /** Whether the server carries the write out before the process dies. */
  readonly isApplied: boolean;
}

/** All single crashes that a run of so many writes can have. */
export function crashPointsOf({ writes }: Pick<Run, "writes">): CrashPoint[] {
  return Array.from({ length: writes }, (_, index) => [
    { write: index + 1, isApplied: false },
    { write: index + 1, isApplied: true },
  ]).flat();
}

/** The fault that makes the crash happen. */
export function faultOf({ write, isApplied }: CrashPoint): FaultSpec {
  const fault = isApplied ? "crash-after-write" : "crash-before-write";
  return { fault, when: { trigger: { nth: write } } };
}

/** Tells the story with a crash at each point, one run after the other. */
export async function* crashAt(
  points: readonly CrashPoint[],
  rehearsal: Rehearsal,
): AsyncGenerator<{ readonly point: CrashPoint; readonly run: Run }> {
  for (const point of points) {
    yield { point, run: await rehearse(rehearsal, [faultOf(point)]) };
  }
}
