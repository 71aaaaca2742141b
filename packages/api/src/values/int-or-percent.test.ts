import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { intOrPercentProblem, resolveRolloutBudget, scaledValue } from "./int-or-percent.ts";

describe("scaledValue", () => {
  test.each([
    [3, 10, "up", 3],
    ["25%", 10, "up", 3],
    ["25%", 10, "down", 2],
    ["0%", 10, "up", 0],
    ["100%", 7, "down", 7],
    ["150%", 3, "up", 5],
    ["10%", 0, "up", 0],
    ["-10%", 5, "up", 0],
  ] as const)("resolves %s of %d rounding %s to %d", (value, total, round, expected) => {
    expect(scaledValue(value, total, round)).toBe(expected);
  });

  test.each([
    "1",
    "",
    "%",
    "a%",
    "5 %",
    "1.5%",
    "1e1%",
    "0x1%",
    "9".repeat(100_000),
    `${"9".repeat(100_000)}%`,
    1.5,
    Number.NaN,
  ])("refuses %j with what is expected", (value) => {
    expect(intOrPercentProblem(value)).toContain("such as 1 or 25%");
    expect(() => scaledValue(value, 10, "up")).toThrow("must be either an int or a percentage");
  });

  test("rounds up at most one more than down", () => {
    fc.assert(
      fc.property(fc.nat(200), fc.nat(10_000), (percent, total) => {
        const up = scaledValue(`${percent}%`, total, "up");
        const down = scaledValue(`${percent}%`, total, "down");
        expect(up - down).toBe((percent * total) % 100 === 0 ? 0 : 1);
      }),
    );
  });
});

describe("resolveRolloutBudget", () => {
  test.each([
    [{ maxSurge: 1, maxUnavailable: 0 }, 3, 1, 0],
    [{ maxSurge: "25%", maxUnavailable: "25%" }, 10, 3, 2],
    [{ maxSurge: 0, maxUnavailable: "5%" }, 10, 0, 1],
    [{ maxSurge: "0%", maxUnavailable: "0%" }, 3, 0, 1],
    [{ maxSurge: 0, maxUnavailable: 9 }, 3, 0, 3],
    [{}, 3, 0, 1],
    [{}, 0, 0, 0],
  ])(
    "resolves %j for %d replicas to surge %d and unavailable %d",
    (limits, replicas, maxSurge, maxUnavailable) => {
      expect(resolveRolloutBudget(limits, replicas)).toEqual({ maxSurge, maxUnavailable });
    },
  );

  test("always allows progress while there are replicas", () => {
    const limit = fc.oneof(
      fc.nat(20),
      fc.nat(100).map((percent) => `${percent}%`),
    );
    fc.assert(
      fc.property(limit, limit, fc.integer({ min: 1, max: 50 }), (maxSurge, maxUnavailable, replicas) => {
        const budget = resolveRolloutBudget({ maxSurge, maxUnavailable }, replicas);
        expect(budget.maxSurge + budget.maxUnavailable).toBeGreaterThan(0);
        expect(budget.maxUnavailable).toBeLessThanOrEqual(replicas);
      }),
    );
  });
});
