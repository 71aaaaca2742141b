import { describe, expect, test } from "vitest";
import { drawMutations, mutated, mutationsIn, nearTests } from "../../tools/mutations.ts";

/** The mutations of a text: what they replace, and by what. */
function changesOf(text: string): readonly string[] {
  return mutationsIn({ path: "a.ts", text }).map(
    ({ kind, start, end, replacement }) => `${kind}: ${text.slice(start, end)} => ${replacement}`,
  );
}

describe("the mutations of a file", () => {
  test.each<[string, string, readonly string[]]>([
    [
      "negate a comparison",
      "f = a === b;",
      ["dropped statement: f = a === b; => ;", "negated condition: a === b => !(a === b)"],
    ],
    ["negate the condition of a guard", "if (isOver) return;", ["negated condition: isOver => !(isOver)"]],
    [
      "negate the operands of a logical expression, and no value that stands in for a missing one",
      "const f = isOver && !isReady(x) && (y ?? z);",
      ["negated condition: isOver => !(isOver)", "negated condition: !isReady(x) => !(!isReady(x))"],
    ],
    [
      "swap branches, which is the negation of their condition",
      "const f = a > b ? x : y;",
      ["swapped branches: x : y => y : x"],
    ],
    [
      "swap the branches of a statement",
      "if (isOver) x(); else y();",
      [
        "dropped statement: x(); => ;",
        "swapped branches: x(); else y(); => { y(); } else x();",
        "dropped statement: y(); => ;",
      ],
    ],
    ["drop a call that is awaited", "await persist(x);", ["dropped statement: await persist(x); => ;"]],
    [
      "change a constant in both directions, and zero in one",
      "const f = g(1, 0);",
      ["changed constant: 1 => 2", "changed constant: 1 => 0", "changed constant: 0 => 1"],
    ],
    ["leave large numbers alone: times and limits", "const f = 30_000;", []],
    [
      "leave the results of a sort alone, apart from their order",
      "const f = g ? -1 : 1;",
      ["swapped branches: -1 : 1 => 1 : -1"],
    ],
    [
      "leave texts alone",
      "const why = a ? `${b > 1}` : c; g({ message: d === 1, why: e === 2 });",
      ["dropped statement: g({ message: d === 1, why: e === 2 }); => ;"],
    ],
    [
      "leave reports, errors and types alone",
      "context.event({ a: 1 }); throw new Error(a === 1); type A = 1;",
      [],
    ],
    ["leave functions that make texts alone", "function waitText(a) { return a === 1; }", []],
  ])("%s", (_, text, expected) => {
    expect(changesOf(text)).toEqual(expected);
  });

  test("have the line of their place, and change only that place", () => {
    const text = "const a = 1;\nconst b = 1;\n";
    const [, , second] = mutationsIn({ path: "a.ts", text });
    expect(second).toMatchObject({ path: "a.ts", line: 2 });
    expect(second && mutated(text, second)).toBe("const a = 1;\nconst b = 2;\n");
  });
});

describe("the drawn mutations", () => {
  const all = ["b.ts", "a.ts"].flatMap((path) => mutationsIn({ path, text: "f(1, 2, 3, 4, 5, 6);" }));

  test("are the same for a seed, in the order of their places, and others for another seed", () => {
    const drawn = drawMutations(all, { seed: "1", count: 5 });
    expect(drawn).toHaveLength(5);
    expect(drawMutations(all.toReversed(), { seed: "1", count: 5 })).toEqual(drawn);
    const places = drawn.map(({ path, start }) => `${path} ${String(start).padStart(2)}`);
    expect(places).toEqual(places.toSorted());
    expect(drawMutations(all, { seed: "2", count: 5 })).not.toEqual(drawn);
  });

  test("are all of them if there are fewer", () => {
    expect(drawMutations(all, { seed: "1", count: 500 })).toHaveLength(all.length);
  });
});

test.each([
  [
    "packages/plan/src/rollout/control-plane/quorum.ts",
    ["packages/plan/", "test/world/kubeadmcontrolplane/"],
  ],
  ["packages/plan/src/rollout/scale-set/plan.ts", ["packages/plan/", "test/world/azuremachinepool/"]],
  ["packages/plan/src/ownership-tags.ts", ["packages/plan/"]],
])("the tests near %s are %j", (path, expected) => {
  expect(nearTests(path)).toEqual(expected);
});
