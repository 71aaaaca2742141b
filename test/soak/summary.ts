import type { TestOutcome } from "../../tools/vitest-report.ts";
import { commandOf, type Unit } from "./plan.ts";

/** How a unit went. */
export interface UnitResult {
  readonly unit: Unit;
  readonly seconds: number;
  readonly outcome: TestOutcome;
  /** What its proofs printed of their size. */
  readonly samples: readonly string[];
  /** Whether the end of the soak cut it off; what it had proved until then does not count. */
  readonly isCut: boolean;
}

/** The proofs of a soak, and those of them that earlier runs have done. */
export interface Proofs {
  readonly exhaustive: readonly Unit[];
  readonly earlier: readonly Unit[];
}

/** What a soak did and did not do, for people. */
export function summaryOf(
  { exhaustive, earlier }: Proofs,
  results: readonly UnitResult[],
  seconds: number,
): { readonly text: string; readonly failed: number } {
  const done = results.filter(({ isCut }) => !isCut);
  const files = done.filter(({ unit }) => unit.seeds === undefined);
  const finished = new Set([...earlier, ...files.map(({ unit }) => unit)]);
  const missing = exhaustive.filter((unit) => !finished.has(unit)).map(({ file }) => file);
  const failures = done.filter(({ outcome }) => outcome.failed > 0);
  const failed = failures.reduce((sum, { outcome }) => sum + outcome.failed, 0);
  const passed = done.reduce((sum, { outcome }) => sum + outcome.passed, 0);
  const lines = [
    "",
    ...files.flatMap(({ samples }) => samples),
    "",
    `every proof in full: ${finished.size} of ${exhaustive.length} files${earlier.length === 0 ? "" : `, ${earlier.length} of them in earlier runs`}`,
    ...(missing.length === 0 ? [] : [`not reached: ${missing.join(", ")}`]),
    freshText(done),
    ...failures.flatMap(({ unit, outcome }) => [
      ...outcome.failures.map((failure) => `\nFAILED ${failure}`),
      `replay: ${commandOf(unit)}`,
    ]),
    `\ntook ${(seconds / 60).toFixed(1)} minutes`,
    `${passed} passed, ${failed} failed`,
  ];
  return { text: lines.join("\n"), failed };
}

/** How many storms had fresh seeds, and which. */
function freshText(done: readonly UnitResult[]): string {
  const fresh = done.flatMap(({ unit: { file, seeds } }) => (seeds ? [{ file, seeds }] : []));
  const parts = [...Map.groupBy(fresh, ({ file }) => file)].map(([file, units]) => {
    const first = Math.min(...units.map(({ seeds }) => seeds[0]));
    const last = Math.max(...units.map(({ seeds }) => seeds[1]));
    const count = units.reduce((sum, { seeds }) => sum + seeds[1] - seeds[0] + 1, 0);
    return `${count} of ${file} (from ${first} to ${last})`;
  });
  return `storms with fresh seeds: ${parts.length === 0 ? "none" : parts.join(", ")}`;
}
