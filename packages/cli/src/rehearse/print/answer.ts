import type { Verdict } from "@capstan/sim";
import type { AppliedObject, SeedResult } from "../rehearse-seed.ts";

/** Everything that a rehearsal says, before it is printed. */
export interface Answer {
  /** Who carries the change out. */
  readonly carrier: string;
  /** Differences to the program that carries it out. */
  readonly differences: readonly string[];
  readonly applied: readonly AppliedObject[];
  readonly verdict: Verdict;
  readonly exitCode: number;
  /** Where durations come from. */
  readonly durations: string;
  /** The durations that the fleet has shown, a line each. */
  readonly learnt: readonly string[];
  /** The seeds, in words. */
  readonly seeds: string;
  readonly assumptions: readonly string[];
  readonly midway: readonly string[];
  readonly ungrown: readonly string[];
  /** One seed in full, for pictures: the one whose duration is in the middle. */
  readonly typical: SeedResult;
}
