import type { Lane, Tone } from "./protocol.ts";

/** Where a plan is asked for, below the path of a session. */
export const PLAN = "plan";

/** The longest manifest that the server plans, in bytes. */
export const LONGEST_MANIFEST = 1024 * 1024;

/** A change, or a run that is over, as it is drawn: a plan, a rehearsal, or a scenario. */
export interface Picture {
  readonly title: string;
  readonly tone: Tone;
  /** The outcome in a sentence. */
  readonly sentence: string;
  readonly notes: readonly string[];
  readonly groups: readonly PictureGroup[];
  /** The same in words, as a terminal shows it. */
  readonly text: string;
  /** The command that prints it. */
  readonly command: string;
}

/** Machines with one owner, over time. */
export interface PictureGroup {
  readonly title: string;
  /** What happens to them, in a few words. */
  readonly facts: string;
  /** How many must stay available. */
  readonly floor?: number;
  /** How many were available since when, in order; none if it is not known. */
  readonly levels: readonly (readonly [atMs: number, available: number])[];
  readonly lanes: readonly Lane[];
  readonly beganMs: number;
  /** The present: what comes later is expected. */
  readonly nowMs: number;
  readonly endMs: number;
}
