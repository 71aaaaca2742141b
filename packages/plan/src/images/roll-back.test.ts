import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decideRollback, type NewMachine, type RollbackFacts } from "./roll-back.ts";

const HOUR_MS = 3_600_000;
const PROMOTED_MS = Date.parse("2026-01-17T10:00:00Z");
const active = { version: "20260117.590.1", promotedMs: PROMOTED_MS };

/** Machines by one letter each: Joined, Failed, Pending from the new version; lower case from an image before. */
function machines(text: string): readonly NewMachine[] {
  const joins = { j: "joined", f: "failed", p: "pending" } as const;
  return text.split("").map((letter, index) => ({
    machine: `mp-${index}`,
    image: letter === letter.toUpperCase() ? "new" : "before",
    createdMs: PROMOTED_MS + 60_000,
    join: joins[letter.toLowerCase() as keyof typeof joins],
  }));
}

function facts(text: string, differences: Partial<RollbackFacts> = {}): RollbackFacts {
  return {
    nowMs: PROMOTED_MS + HOUR_MS,
    active,
    windowMs: 2 * HOUR_MS,
    isPinned: false,
    recorded: undefined,
    machines: machines(text),
    ...differences,
  };
}

const earlier = { version: active.version, joined: [], failed: ["mp-8", "mp-9"], failedBefore: [] };

describe("the image in use", () => {
  test.each<[string, RollbackFacts, "nothing" | "record" | "rollBack"]>([
    ["stays while all nodes join", facts("JJJ"), "nothing"],
    ["stays while machines wait for quota, capacity or a throttled Azure", facts("PPPPP"), "nothing"],
    ["stays after one failure of three", facts("JJF"), "record"],
    ["stays after two failures of two", facts("FFPP"), "record"],
    ["is rolled back after two failures of three", facts("JFF"), "rollBack"],
    ["is rolled back when all three fail", facts("FFF"), "rollBack"],
    ["is rolled back after two failures of many", facts("JJJJJJJJJFF"), "rollBack"],
    ["stays when a node of an image before fails too: it is the cluster", facts("FFFf"), "record"],
    ["is rolled back when nodes of an image before join", facts("FFJjj"), "rollBack"],
    ["stays after the window", facts("FFF", { nowMs: PROMOTED_MS + 2 * HOUR_MS }), "nothing"],
    ["stays with a window of zero", facts("FFF", { windowMs: 0 }), "nothing"],
    ["stays when a user has pinned it", facts("FFF", { isPinned: true }), "record"],
    ["stays when it is the image in the spec", facts("FFF", { active: undefined }), "nothing"],
    [
      "is rolled back for machines that were replaced meanwhile",
      facts("F", { recorded: earlier }),
      "rollBack",
    ],
    [
      "stays for failures of another version",
      facts("F", { recorded: { ...earlier, version: "1.0.0" } }),
      "record",
    ],
  ])("%s", (_, given, expected) => {
    expect(decideRollback(given).do).toBe(expected);
  });
});

test("the reason names what failed, and what did not", () => {
  expect(decideRollback(facts("JFFFFF"))).toMatchObject({
    why: "5 of 6 nodes from version 20260117.590.1 did not join (mp-1, mp-2, mp-3 and 2 more), and none from an image before",
  });
});

test("a machine that joins late has joined", () => {
  const recorded = { ...earlier, failed: ["mp-0", "mp-1", "mp-2"] };
  expect(decideRollback(facts("JJJ", { recorded }))).toEqual({ do: "nothing" });
});

test("failures of machines from before the window do not count", () => {
  const old = machines("fff").map((one) => ({ ...one, createdMs: PROMOTED_MS - 3 * HOUR_MS }));
  expect(decideRollback(facts("FFF", { machines: [...machines("FFF"), ...old.slice(0, 0)] })).do).toBe(
    "rollBack",
  );
  const recordedBy = decideRollback(facts("", { machines: [...old, ...machines("FFF")] }));
  expect(recordedBy).toMatchObject({ do: "rollBack", joins: { failedBefore: [] } });
});

test("no roll-back without two failures of the version, or with one of an image before; the record is bounded", () => {
  const letters = fc.array(fc.constantFrom("J", "F", "P", "j", "f", "p"), { maxLength: 60 });
  fc.assert(
    fc.property(letters, fc.boolean(), fc.integer({ min: 0, max: 3 }), (list, isPinned, hours) => {
      const text = list.join("");
      const count = (letter: string): number => list.filter((one) => one === letter).length;
      const decision = decideRollback(facts(text, { isPinned, nowMs: PROMOTED_MS + hours * HOUR_MS }));
      const isVerdict = count("F") >= 2 && count("F") + count("J") >= 3 && count("f") === 0;
      expect(decision.do === "rollBack").toBe(isVerdict && !isPinned && hours < 2);
      if (decision.do === "nothing") return;
      for (const names of [decision.joins.joined, decision.joins.failed, decision.joins.failedBefore])
        expect(names.length).toBeLessThanOrEqual(20);
      // The same facts with their own record decide the same, and change nothing.
      const again = decideRollback(facts(text, { isPinned, nowMs: PROMOTED_MS, recorded: decision.joins }));
      expect(again).toMatchObject({ joins: decision.joins });
    }),
  );
});
