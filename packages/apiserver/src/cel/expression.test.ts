import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileExpression, ExpressionError } from "./expression.ts";

const LIMIT = 1_000_000;

describe("the cost of a rule", () => {
  const items = Array.from({ length: 3_000 }, (_, index) => BigInt(index));
  const text = "a".repeat(1_000_000);

  test.each<[string, unknown]>([
    ["self.all(x, self.all(y, x + y >= 0))", items],
    ["self.map(x, self.map(y, self.map(z, x + y + z))).size() > 0", items],
    ["self.exists(x, self.exists(y, x + y < 0)) || true", items],
    ["self.all(x, self.filter(y, y == x).size() == 1) && true", items],
    [
      "[1, 2, 3, 4, 5, 6, 7, 8].all(a, [1, 2, 3, 4, 5, 6, 7, 8].all(b, (self + self).contains('b') || a + b > 0))",
      text,
    ],
  ])("ends %s on a hostile value", (rule, self) => {
    const evaluation = compileExpression(rule).evaluate({ self }, LIMIT);
    expect(evaluation.state).toBe("exceeded");
    // After the end of the budget every further step stops at once.
    expect(evaluation.cost).toBeLessThan(LIMIT + text.length);
  });

  test("grows with the value and not with its square for one loop", () => {
    const rule = compileExpression("self.all(x, x >= 0)");
    const cost = (length: number) => rule.evaluate({ self: items.slice(0, length) }, Infinity).cost;
    expect(cost(2_000) / cost(1_000)).toBeLessThan(2.2);
  });

  test("does not depend on earlier evaluations", () => {
    const rule = compileExpression("self.all(x, x >= 0)");
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 0n, max: 9n }), { maxLength: 20 }), (self) => {
        const { cost } = rule.evaluate({ self }, LIMIT);
        expect(rule.evaluate({ self }, LIMIT)).toEqual({ state: "value", value: true, cost });
      }),
    );
  });

  test("a pattern with nested repetitions takes linear time", () => {
    const rule = compileExpression("self.matches('^(a+)+$')");
    expect(rule.evaluate({ self: `${"a".repeat(50_000)}b` }, LIMIT)).toMatchObject({
      state: "value",
      value: false,
    });
  });
});

test.each([
  ["self >", false],
  ["foo == 1", false],
  ["self.matches('(')", false],
  ["cel.bind(v, 1, v == self)", false],
  ["isIP(self)", true],
  ["semver(self).major() == 1", true],
])("%s does not compile; this server lacks a function of it: %s", (rule, isUnsupported) => {
  expect(() => compileExpression(rule)).toThrow(
    expect.objectContaining({ name: "ExpressionError", isUnsupported }),
  );
  expect(() => compileExpression(rule)).toThrow(ExpressionError);
});

test("an expression of ten thousand operators, or nested a thousand times, is refused and does not overflow the stack", () => {
  for (const rule of [
    Array.from({ length: 10_000 }, () => "self").join(" + "),
    `${"(".repeat(1_000)}self${")".repeat(1_000)}`,
  ])
    expect(() => compileExpression(rule)).toThrow(ExpressionError);
});
