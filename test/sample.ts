/**
 * How much of a long proof runs. `npm run test:deep` and `npm run test:kube` take samples; `npm run soak` sets
 * CAPSTAN_PROOFS=all and takes everything. Each sample prints its size. docs/proofs.md has the table.
 */
import { appendFileSync } from "node:fs";

/** Whether everything runs, as in a soak. */
export const runsAll = process.env["CAPSTAN_PROOFS"] === "all";

const STRIDE = 17;

/**
 * Every 17th item, or all of them in a soak. Crash points alternate between before and after a write, and the stride is
 * odd, so a sample has both.
 */
export function sampledPoints<T>(what: string, items: readonly T[]): readonly T[] {
  return everyNth(what, items, STRIDE);
}

/** Every other case of a table of `npm test`, beginning with the first, or all of them in a soak. */
export function everyOther<T>(what: string, cases: readonly T[]): readonly T[] {
  return everyNth(what, cases, 2);
}

/** Every nth item, or all of them in a soak. The stride of crash points is odd, so that a sample has both sides of a write. */
export function everyNth<T>(what: string, items: readonly T[], stride: number): readonly T[] {
  const taken = runsAll ? items : items.filter((_, index) => index % stride === 0);
  printSize(what, taken.length, items.length);
  return taken;
}

/** The first `count` items, or all of them in a soak. */
export function firstOf<T>(what: string, items: readonly T[], count: number): readonly T[] {
  const taken = runsAll ? items : items.slice(0, count);
  printSize(what, taken.length, items.length);
  return taken;
}

/** `count` items, spread evenly, or all of them in a soak. */
export function spreadOver<T>(what: string, items: readonly T[], count: number): readonly T[] {
  const stride = Math.max(1, items.length / count);
  const taken = runsAll
    ? items
    : items.filter((_, index) => Math.floor(index % stride) === 0 && index % stride < 1);
  printSize(what, taken.length, items.length);
  return taken;
}

/** How many times something is repeated: `count` times, or `all` times in a soak. */
export function repetitions(what: string, count: number, all: number): number {
  const taken = runsAll ? all : count;
  printSize(what, taken, all);
  return taken;
}

/** Numbers from `from`, `count` of them. */
export function numbersFrom(from: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => from + index);
}

/** The seeds of a file of storms. */
export interface StormSeeds {
  readonly seeds: readonly number[];
  /** Whether these storms together must reach every state. A few fresh ones, or one that is replayed, need not. */
  readonly mustReachAll: boolean;
}

/** The seeds that CAPSTAN_SEEDS names, such as `10001-10020` or `2034`; else the sample, or all of them in a soak. */
export function stormSeeds(
  what: string,
  { sample, all }: { readonly sample: readonly number[]; readonly all: readonly number[] },
): StormSeeds {
  const named = process.env["CAPSTAN_SEEDS"];
  if (named !== undefined) return { seeds: parseSeeds(named), mustReachAll: false };
  const seeds = runsAll ? all : sample;
  printSize(what, seeds.length, all.length);
  return { seeds, mustReachAll: true };
}

/** Replays one storm, whether or not its seed is in the sample. */
export function replayCommand(file: string, seed: number): string {
  return `CAPSTAN_SEEDS=${seed} npx vitest run --project deep ${file}`;
}

function parseSeeds(text: string): readonly number[] {
  const [, first, last] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  if (first === undefined)
    throw new Error(`CAPSTAN_SEEDS=${text}: expected a number or a range such as 10001-10020`);
  return numbersFrom(Number(first), Number(last ?? first) - Number(first) + 1);
}

/**
 * Appends what one storm reached to the file that CAPSTAN_REACHED names; tools/choose-storms.ts chooses the sample from it.
 */
export function recordStorm(storms: string, seed: number, reached: Iterable<string>): void {
  const path = process.env["CAPSTAN_REACHED"];
  if (path !== undefined)
    appendFileSync(path, `${JSON.stringify({ storms, seed, reached: [...reached] })}\n`);
}

function printSize(what: string, taken: number, all: number): void {
  console.log(`sample: ${what}: ${taken.toLocaleString("en")} of ${all.toLocaleString("en")}`);
}
