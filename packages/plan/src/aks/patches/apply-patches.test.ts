import { isJsonObject } from "@capstan/api";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DesiredObject } from "../desired-object.ts";
import { applyPatches } from "./apply-patches.ts";

const resource = (spec: Readonly<Record<string, unknown>>): DesiredObject => ({
  apiVersion: "containerservice.azure.com/v1api20250801",
  kind: "ManagedCluster",
  metadata: { name: "harbor", namespace: "default", labels: {}, annotations: {} },
  spec,
});

const specAfter = (spec: Readonly<Record<string, unknown>>, ...patches: string[]): unknown => {
  const result = applyPatches(resource(spec), patches);
  return "object" in result ? result.object.spec : result.problem;
};

describe("patches", () => {
  test.each<[string, object, string[], unknown]>([
    ["merge objects", { a: { b: 1 } }, ["spec: {a: {c: 2}}"], { a: { b: 1, c: 2 } }],
    ["remove a field by null", { a: 1, b: 2 }, ["spec: {a: null}"], { b: 2 }],
    ["replace lists as a whole", { a: [1, 2] }, ["spec: {a: [3]}"], { a: [3] }],
    ["append by a JSON patch", { a: [1] }, ['[{"op":"add","path":"/spec/a/-","value":2}]'], { a: [1, 2] }],
    [
      "are applied in order",
      {},
      ["spec: {a: 1}", '[{"op":"copy","from":"/spec/a","path":"/spec/b"}]'],
      { a: 1, b: 1 },
    ],
    ["may test a value", { a: 1 }, ['[{"op":"test","path":"/spec/a","value":1}]'], { a: 1 }],
  ])("%s", (_, spec, patches, expected) => {
    expect(specAfter(spec as Record<string, unknown>, ...patches)).toEqual(expected);
  });

  test.each<[string, string[], number, string]>([
    [
      "a replacement of a field that is missing",
      ["spec: {a: 1}", '[{"op":"replace","path":"/spec/x","value":1}]'],
      1,
      "operation 0",
    ],
    ["a failed test", ['[{"op":"test","path":"/spec/a","value":2}]'], 0, "operation 0"],
    [
      "a test of a field that is missing",
      ['[{"op":"test","path":"/spec/x","value":null}]'],
      0,
      "operation 0",
    ],
    ["an addition below a missing field", ['[{"op":"add","path":"/spec/x/y","value":1}]'], 0, "/spec/x/y"],
    [
      "a protected field of an object from before that rule",
      ["spec: {azureName: x}"],
      0,
      "/spec/azureName is not patchable",
    ],
  ])("stop at %s, with its index", (_, patches, index, message) => {
    const problem = specAfter({ a: 1 }, ...patches) as { index: number; message: string };
    expect(problem.index).toBe(index);
    expect(problem.message).toContain(message);
  });

  test("change nothing on the resource that was given, also when a later one fails", () => {
    const given = resource({ a: { b: [1] } });
    const before = structuredClone(given);
    applyPatches(given, [
      '[{"op":"add","path":"/spec/a/b/-","value":2}]',
      "spec: {a: {c: 1}}",
      "spec: {owner: 1}",
    ]);
    expect(given).toEqual(before);
  });
});

const name = fc.constantFrom("a", "b", "c", "toString", "x/y", "m~n");
const json = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
  object: fc.dictionary(name, tie("value"), { maxKeys: 3 }),
  value: fc.oneof(
    { maxDepth: 4 },
    fc.integer({ min: -9, max: 9 }),
    fc.constantFrom("x", true, null),
    fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 3 }),
    tie("object"),
  ),
}));

/** The pseudocode of RFC 7386, section 2, word for word. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const result = new Map(Object.entries(isJsonObject(target) ? target : {}));
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) result.delete(field);
    else result.set(field, mergePatch(result.get(field), value));
  }
  return Object.fromEntries(result);
}

/** One operation as RFC 6902, section 4, defines it, on the map of all values by pointer; undefined when it fails. */
function jsonPatched(
  document: unknown,
  { op, path, value }: Operation,
): { readonly result: unknown } | undefined {
  const segments = path
    .slice(1)
    .split("/")
    .map((one) => one.replaceAll("~1", "/").replaceAll("~0", "~"));
  const last = segments.pop() ?? "";
  const copy: unknown = structuredClone(document);
  let parent = copy;
  for (const segment of segments) {
    if (typeof parent !== "object" || parent === null || !Object.hasOwn(parent, segment)) return undefined;
    parent = (parent as Record<string, unknown>)[segment];
  }
  if (Array.isArray(parent)) return listPatched(copy, parent, { op, last, value });
  return isJsonObject(parent) && objectPatched(parent, { op, last, value }) ? { result: copy } : undefined;
}

function objectPatched(
  fields: Record<string, unknown>,
  { op, last, value }: { op: Operation["op"]; last: string; value: unknown },
): boolean {
  if (op !== "add" && !Object.hasOwn(fields, last)) return false;
  if (op === "remove") delete fields[last];
  else fields[last] = value;
  return true;
}

function listPatched(
  copy: unknown,
  list: unknown[],
  { op, last, value }: { op: Operation["op"]; last: string; value: unknown },
): { readonly result: unknown } | undefined {
  const index = last === "-" && op === "add" ? list.length : /^(0|[1-9]\d*)$/.test(last) ? Number(last) : -1;
  const limit = op === "add" ? list.length : list.length - 1;
  if (index < 0 || index > limit) return undefined;
  if (op === "add") list.splice(index, 0, value);
  else if (op === "remove") list.splice(index, 1);
  else list[index] = value;
  return { result: copy };
}

interface Operation {
  readonly op: "add" | "remove" | "replace";
  readonly path: string;
  readonly value?: unknown;
}

describe("for random resources", () => {
  test("a merge patch gives what RFC 7386 defines", () => {
    fc.assert(
      fc.property(json.object, json.object, (spec, patch) => {
        expect(specAfter(spec, JSON.stringify({ spec: patch }))).toEqual(mergePatch(spec, patch));
      }),
      { numRuns: 500 },
    );
  });

  test("a JSON patch gives what RFC 6902 defines, or fails where it does", () => {
    const segment = fc.oneof(name, fc.constantFrom("0", "1", "-"));
    const pointer = fc.array(segment, { minLength: 1, maxLength: 3 });
    const operation = fc.record({
      op: fc.constantFrom("add", "remove", "replace"),
      pointer,
      value: json.value,
    });
    fc.assert(
      fc.property(json.object, operation, (spec, { op, pointer: segments, value }) => {
        const escaped = segments.map((one) => one.replaceAll("~", "~0").replaceAll("/", "~1"));
        const path = `/spec/${escaped.join("/")}`;
        const expected = jsonPatched({ spec }, { op, path, value });
        const result = applyPatches(resource(spec), [JSON.stringify([{ op, path, value }])]);
        if (!expected) expect(result).toHaveProperty("problem");
        else
          expect("object" in result && result.object.spec).toEqual(
            (expected.result as { spec: unknown }).spec,
          );
      }),
      { numRuns: 1000 },
    );
  });

  test("a row of patches gives what each of them gives after the other, and changes no earlier result", () => {
    const merge = json.object.map((patch) => JSON.stringify({ spec: patch }));
    const add = fc
      .tuple(name, json.value)
      .map(([field, value]) => [
        { op: "add", path: `/spec/${field.replaceAll("~", "~0").replaceAll("/", "~1")}`, value },
      ])
      .map((operations) => JSON.stringify(operations));
    fc.assert(
      fc.property(json.object, fc.array(fc.oneof(merge, add), { maxLength: 6 }), (spec, patches) => {
        const steps: unknown[] = [];
        applyPatches(resource(spec), patches, ({ object }) => steps.push([object, structuredClone(object)]));
        const row = applyPatches(resource(spec), patches);
        const last = steps.at(-1) as [unknown, unknown] | undefined;
        expect(row).toEqual({ object: last?.[1] ?? resource(spec) });
        for (const [kept, copy] of steps as [unknown, unknown][]) expect(kept).toEqual(copy);
      }),
      { numRuns: 500 },
    );
  });

  test("no patch pollutes a prototype", () => {
    const hostile = fc.constantFrom("__proto__", "constructor", "prototype");
    fc.assert(
      fc.property(hostile, json.object, (key, value) => {
        applyPatches(resource({}), [
          `{"spec":{${JSON.stringify(key)}:${JSON.stringify({ ...value, polluted: 1 })}}}`,
        ]);
        applyPatches(resource({}), [
          JSON.stringify([{ op: "add", path: `/spec/${key}`, value: { polluted: 1 } }]),
        ]);
        expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
      }),
    );
  });
});
