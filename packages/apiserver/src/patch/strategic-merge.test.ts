import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StrategicMergeError } from "./strategic-error.ts";
import { strategicMergePatch } from "./strategic-merge.ts";
import { type FieldMerge, type MergeSchema, mergeSchemaOf } from "./strategic-schema.ts";

const field = (parts: Partial<FieldMerge> = {}): FieldMerge => ({
  strategy: undefined,
  key: "",
  schema: { name: "", fields: new Map() },
  ...parts,
});

const ITEM: MergeSchema = {
  name: "Item",
  fields: new Map([["words", field({ strategy: "merge" })]]),
};

const SCHEMA: MergeSchema = {
  name: "Thing",
  fields: new Map([
    ["items", field({ strategy: "merge", key: "name", schema: ITEM })],
    ["words", field({ strategy: "merge" })],
    ["atoms", field()],
    ["whole", field({ strategy: "replace" })],
    ["keyless", field({ strategy: "merge" })],
  ]),
};

const merge = (original: unknown, patch: unknown): unknown => strategicMergePatch(original, patch, SCHEMA);

const named = (...names: readonly string[]): { name: string }[] => names.map((name) => ({ name }));

describe("an object", () => {
  test.each<[string, object, object, object]>([
    ["is merged field by field", { a: 1, b: { c: 2, d: 3 } }, { b: { c: 4 } }, { a: 1, b: { c: 4, d: 3 } }],
    ["loses fields that the patch sets to null", { a: 1, b: 2 }, { a: null, c: null }, { b: 2 }],
    [
      "drops the nulls of new objects",
      {},
      { a: { b: null, c: [{ d: null, e: 1 }] } },
      { a: { c: [{ e: 1 }] } },
    ],
    ["changes the type of a field", { a: [1] }, { a: { b: 1 } }, { a: { b: 1 } }],
    [
      "is replaced by directive",
      { a: { b: 1 } },
      { a: { $patch: "replace", c: 2, d: null } },
      { a: { c: 2 } },
    ],
    ["is emptied by directive", { a: { b: 1 } }, { a: { $patch: "delete", c: 2 } }, { a: {} }],
    ["that has only directives is not added", {}, { a: { $patch: "delete" } }, {}],
    [
      "is replaced where its type says so",
      { whole: { a: 1 } },
      { whole: { b: null, c: 3 } },
      { whole: { c: 3 } },
    ],
    [
      "retains what is listed",
      { a: { b: 1, c: 2 } },
      { a: { $retainKeys: ["c", "d"], d: 3 } },
      { a: { c: 2, d: 3 } },
    ],
    [
      "is merged if its type is unknown",
      { x: { y: { z: 1 } } },
      { x: { y: { w: 2 } } },
      { x: { y: { z: 1, w: 2 } } },
    ],
    [
      "need not list fields that are null",
      { a: { b: 1, c: 2 } },
      { a: { $retainKeys: ["c"], b: null } },
      { a: { c: 2 } },
    ],
    [
      "drops the directives of a new object",
      {},
      { a: { $retainKeys: ["b"], b: [{ c: 1 }, { $patch: "delete" }], "$setElementOrder/b": [] } },
      { a: { b: [{ c: 1 }] } },
    ],
  ])("%s", (_, original, patch, result) => {
    expect(merge(original, patch)).toStrictEqual(result);
  });

  test("can have a field with any name", () => {
    const result = merge({}, JSON.parse('{"a": {"__proto__": {"b": 1}}}')) as { a: object };
    expect(JSON.stringify(result)).toBe('{"a":{"__proto__":{"b":1}}}');
    expect(Object.getPrototypeOf(result.a)).toBe(Object.prototype);
  });
});

describe("a list", () => {
  test.each<[string, unknown[], object, unknown[]]>([
    [
      "of items is merged by key",
      [{ name: "a", x: 1 }, { name: "b" }],
      { items: [{ name: "a", y: 2 }] },
      [{ name: "a", x: 1, y: 2 }, { name: "b" }],
    ],
    [
      "gets new items in front of those that are not named",
      named("a", "b"),
      { items: named("c") },
      named("c", "a", "b"),
    ],
    [
      "keeps the position of items that are not named",
      named("a", "b", "c"),
      { items: named("c", "n") },
      named("a", "b", "c", "n"),
    ],
    [
      "follows the order of the patch",
      named("a", "b", "c"),
      { items: named("c", "a") },
      named("b", "c", "a"),
    ],
    ["loses items", named("a", "b", "a"), { items: [{ name: "a", $patch: "delete" }] }, named("b")],
    [
      "is replaced by directive",
      named("a", "b"),
      { items: [{ $patch: "replace" }, ...named("c")] },
      named("c"),
    ],
    ["is ordered", named("a", "b", "c"), { "$setElementOrder/items": named("c", "a") }, named("b", "c", "a")],
    [
      "is ordered together with new items",
      named("a", "b"),
      { "$setElementOrder/items": named("b", "n"), items: named("n") },
      named("a", "b", "n"),
    ],
    [
      "merges the lists in its items",
      [{ name: "a", words: ["x"] }],
      { items: [{ name: "a", words: ["y"] }] },
      [{ name: "a", words: ["y", "x"] }],
    ],
    ["takes new items without nulls", named("a"), { items: [{ name: "b", x: null }] }, named("b", "a")],
  ])("%s", (_, items, patch, result) => {
    expect(merge({ items }, patch)).toStrictEqual({ items: result });
  });

  test.each<[string, object, string[]]>([
    ["gets new scalars", { words: ["d", "b"] }, ["d", "a", "b", "c"]],
    ["loses words", { "$deleteFromPrimitiveList/words": ["b", "x"] }, ["a", "c"]],
    ["loses and gets scalars", { "$deleteFromPrimitiveList/words": ["a"], words: ["d"] }, ["d", "b", "c"]],
    ["orders words", { "$setElementOrder/words": ["c", "b", "a"] }, ["c", "b", "a"]],
  ])("of words %s", (_, patch, words) => {
    expect(merge({ words: ["a", "b", "c"] }, patch)).toStrictEqual({ words });
  });

  test("is replaced where its type says nothing", () => {
    expect(merge({ atoms: [1, 2], other: [{ name: "a" }] }, { atoms: [3], other: [] })).toStrictEqual({
      atoms: [3],
      other: [],
    });
  });

  test("with an item twice has it where it comes first", () => {
    expect(merge({ words: ["a", "b", "a"] }, { words: ["b"] })).toStrictEqual({ words: ["a", "b"] });
  });

  test("that is new and ordered is merged only once", () => {
    const items = [{ name: "a" }, { name: "b", $patch: "anything" }];
    expect(merge({}, { "$setElementOrder/items": named("a"), items })).toStrictEqual({ items: named("a") });
  });

  test("that is missing is neither ordered nor emptied", () => {
    expect(
      merge({}, { "$setElementOrder/items": named("a"), "$deleteFromPrimitiveList/words": ["a"] }),
    ).toStrictEqual({});
  });
});

describe("a patch is refused with kube-apiserver's message", () => {
  test.each<[object, object, string, number]>([
    [{}, { $patch: "x", a: 1 }, "unknown patch type: x in map: map[$patch:x a:1]", 500],
    [{}, { $patch: true }, "unknown patch type: %!s(bool=true) in map: map[$patch:true]", 500],
    [{}, { $retainKeys: ["a"], b: 1 }, "invalid patch format of retainKeys", 400],
    [{}, { $deleteFromPrimitiveList: [] }, "invalid patch format of primitive list", 400],
    [{}, { "$setElementOrderly/items": [] }, "invalid patch format of setElementOrder list", 400],
    [{}, { "$setElementOrder/items": 1.5 }, "expected a []interface {}, but received a float64", 500],
    [
      {},
      { "$setElementOrder/none": [] },
      'unable to find api field in struct Thing for the json field "none"',
      500,
    ],
    [
      { items: named("a") },
      { items: [{ x: [1] }] },
      "map: map[x:[1]] does not contain declared merge key: name",
      500,
    ],
    [{ items: named("a") }, { items: [1] }, "list element types are not identical: [[map[name:a]] [1]]", 500],
    [
      { items: named("a") },
      { items: [null] },
      "list element types are not identical: [[map[name:a]] [<nil>]]",
      500,
    ],
    [{ words: [] }, { words: [[]] }, "lists of lists are not supported", 422],
    [{ keyless: [{}] }, { keyless: [{}] }, "cannot merge lists without merge key for struct", 500],
    [
      { words: ["a"] },
      { words: ["a", "b"], "$setElementOrder/words": ["b", "a"] },
      "The order in patch list:\n[a b]\n doesn't match $setElementOrder list:\n[b a]\n",
      500,
    ],
  ])("%j with %j", (original, patch, message, code) => {
    const attempt = (): unknown => merge(original, patch);
    expect(attempt).toThrow(StrategicMergeError);
    expect(attempt).toThrow(expect.objectContaining({ message, code }));
  });

  test("and if it is not an object", () => {
    expect(() => merge({}, [])).toThrow("a strategic merge patch must be an object");
  });
});

describe("every merge", () => {
  const items = fc.uniqueArray(
    fc.record({ name: fc.constantFrom("a", "b", "c", "d"), x: fc.nat(3) }, { requiredKeys: ["name"] }),
    { selector: ({ name }) => name },
  );
  const thing = fc.record(
    {
      items,
      words: fc.uniqueArray(fc.constantFrom("x", "y", "z")),
      whole: fc.dictionary(fc.constantFrom("a", "b"), fc.nat(2)),
      other: fc.dictionary(fc.constantFrom("a", "b"), fc.nat(2)),
    },
    { requiredKeys: [] },
  );

  test("leaves the inputs unchanged and shares nothing with them", () => {
    fc.assert(
      fc.property(thing, thing, (original, patch) => {
        const before = JSON.stringify([original, patch]);
        const result = merge(original, patch) as typeof thing extends fc.Arbitrary<infer T> ? T : never;
        for (const item of result.items ?? []) Object.assign(item, { x: "changed" });
        result.words?.push("z");
        Object.assign(result.other ?? {}, { a: 9 });
        expect(JSON.stringify([original, patch])).toBe(before);
      }),
    );
  });

  test("changes nothing the second time", () => {
    fc.assert(
      fc.property(thing, thing, (original, patch) => {
        const once = merge(original, patch);
        expect(merge(once, patch)).toStrictEqual(once);
      }),
    );
  });

  test("includes everything of the patch", () => {
    fc.assert(
      fc.property(thing, thing, (original, patch) => {
        const { items: wanted = [], words = [] } = patch;
        const result = merge(original, patch) as { items?: { name: string }[]; words?: string[] };
        for (const item of wanted) expect(result.items).toContainEqual(expect.objectContaining(item));
        expect(result.words ?? []).toEqual(expect.arrayContaining(words));
      }),
    );
  });
});

describe("the schemas of Kubernetes' own kinds", () => {
  test("define how lists are merged, at any depth", () => {
    const deployment = { group: "apps", version: "v1", kind: "Deployment" };
    const schema = mergeSchemaOf(deployment);
    const spec = schema?.fields.get("spec")?.schema.fields.get("template")?.schema.fields.get("spec")?.schema;
    expect(spec?.name).toBe("PodSpec");
    expect(spec?.fields.get("volumes")).toMatchObject({ strategy: "merge", key: "name" });
    expect(spec?.fields.get("containers")?.schema.fields.get("ports")).toMatchObject({
      key: "containerPort",
    });
    expect(spec?.fields.get("tolerations")).toMatchObject({ strategy: undefined, key: "" });
    expect(mergeSchemaOf(deployment)).toBe(schema);
  });

  test.each([
    ["", "Pod", "finalizers", { strategy: "merge", key: "" }],
    ["coordination.k8s.io", "Lease", "ownerReferences", { strategy: "merge", key: "uid" }],
  ])("%s %s merges %s", (group, kind, name, expected) => {
    const metadata = mergeSchemaOf({ group, version: "v1", kind })?.fields.get("metadata");
    expect(metadata?.schema.fields.get(name)).toMatchObject(expected);
  });

  test("do not include other kinds", () => {
    expect(mergeSchemaOf({ group: "cluster.x-k8s.io", version: "v1beta2", kind: "Cluster" })).toBeUndefined();
  });
});

describe("the work of a merge", () => {
  /** Items that count how often their merge key is read. */
  const counting = (count: number, reads: { count: number }): { name: string }[] =>
    Array.from({ length: count }, (_, index) => ({
      get name() {
        reads.count++;
        return `item-${index}`;
      },
    }));

  test("grows with the length of its lists as sorting does, not with their square", () => {
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 3000 }), fc.boolean(), (count, isReversed) => {
        const reads = { count: 0 };
        const items = counting(count, reads);
        const order = isReversed ? counting(count, reads).toReversed() : counting(count, reads);
        const patch = { "$setElementOrder/items": order, items: order.filter((_, index) => index % 2 === 0) };
        strategicMergePatch({ items }, patch, SCHEMA);
        expect(reads.count).toBeLessThan(20 * count * Math.log2(count));
      }),
      { numRuns: 20 },
    );
  });
});
