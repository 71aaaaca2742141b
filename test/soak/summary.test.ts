import { describe, expect, test } from "vitest";
import { exhaustiveUnits, type Unit } from "./plan.ts";
import { summaryOf, type UnitResult } from "./summary.ts";

const exhaustive = exhaustiveUnits({ sampled: [], deep: ["a.deep.ts", "b.deep.ts"], kube: ["c.kube.ts"] });
const [a, c, b] = exhaustive as readonly [Unit, Unit, Unit];
const fresh: Unit = { project: "deep", file: "s.deep.ts", seeds: [7, 16] };

const result = (unit: Unit, change: Partial<UnitResult> = {}): UnitResult => ({
  unit,
  seconds: 1,
  outcome: { passed: 2, failed: 0, failures: [] },
  samples: [],
  isCut: false,
  ...change,
});
const failing = { outcome: { passed: 1, failed: 1, failures: ["a.deep.ts > holds\n    it did not"] } };

describe("the summary of a soak", () => {
  test("says that every proof ran, how large each was, and which seeds were fresh", () => {
    const samples = ["kills of a server: 30 of 30"];
    const later: Unit = { ...fresh, seeds: [17, 26] };
    const results = [result(a, { samples }), result(b), result(c), result(fresh), result(later)];
    expect(summaryOf({ exhaustive, earlier: [] }, results, 90)).toEqual({
      failed: 0,
      text: [
        "",
        "kills of a server: 30 of 30",
        "",
        "every proof in full: 3 of 3 files",
        "storms with fresh seeds: 20 of s.deep.ts (from 7 to 26)",
        "",
        "took 1.5 minutes",
        "10 passed, 0 failed",
      ].join("\n"),
    });
  });

  test("says what was not reached, also what the end has cut off", () => {
    const { text, failed } = summaryOf(
      { exhaustive, earlier: [] },
      [result(b), result(c, { ...failing, isCut: true })],
      60,
    );
    expect(text).toContain("every proof in full: 1 of 3 files\nnot reached: a.deep.ts, c.kube.ts\n");
    expect(text).toContain("storms with fresh seeds: none");
    expect(failed).toBe(0);
  });

  test("counts what earlier runs have proved", () => {
    const { text } = summaryOf({ exhaustive, earlier: [a] }, [result(b)], 60);
    expect(text).toContain(
      "every proof in full: 2 of 3 files, 1 of them in earlier runs\nnot reached: c.kube.ts\n",
    );
  });

  test("says what failed and how to replay it", () => {
    const { text, failed } = summaryOf(
      { exhaustive, earlier: [] },
      [result(a, failing), result(fresh, failing)],
      60,
    );
    expect(text).toContain(
      "FAILED a.deep.ts > holds\n    it did not\nreplay: CAPSTAN_PROOFS=all npx vitest run --project deep a.deep.ts\n",
    );
    expect(text).toContain("replay: CAPSTAN_SEEDS=7-16 npx vitest run --project deep s.deep.ts\n");
    expect(failed).toBe(2);
  });
});
