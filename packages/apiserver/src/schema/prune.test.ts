import type { PrintedSchema } from "@capstan/api";
import { describe, expect, test } from "vitest";
import { compileSchema } from "./node.ts";
import { prune } from "./prune.ts";

const text = { type: "string" };
const object = (properties: object, rest: object = {}): PrintedSchema => ({
  type: "object",
  properties,
  ...rest,
});
const open = { "x-kubernetes-preserve-unknown-fields": true };

/** The pruned value of `spec`, and the paths of the dropped fields. */
function pruned(schema: PrintedSchema, spec: unknown): { left: unknown; dropped: string[] } {
  const value = { apiVersion: "v1", kind: "K", metadata: { name: "n" }, spec };
  const dropped = prune(compileSchema(object({ spec: schema })), value);
  return { left: value.spec, dropped };
}

describe("pruning", () => {
  test.each<[string, PrintedSchema, unknown, unknown, string[]]>([
    ["drops unknown fields", object({ a: text }), { a: "1", b: 2 }, { a: "1" }, ["spec.b"]],
    ["drops all of an object without properties", object({}), { a: { b: 1 } }, {}, ["spec.a"]],
    [
      "prunes the items of lists",
      { type: "array", items: object({ k: text }) },
      [{ k: "1", l: 2 }],
      [{ k: "1" }],
      ["spec[0].l"],
    ],
    [
      "keeps the entries of maps",
      { type: "object", additionalProperties: object({ x: text }) },
      { k: { x: "1", y: 2 } },
      { k: { x: "1" } },
      ["spec.k.y"],
    ],
    [
      "keeps the values of an untyped map, and drops their fields",
      { type: "object", additionalProperties: true },
      { a: { b: 1 }, c: [{ d: 1 }], e: 5 },
      { a: {}, c: [{}], e: 5 },
      ["spec.a.b", "spec.c[0].d"],
    ],
    [
      "keeps everything where the schema is open",
      object({ inner: object({ z: text }) }, open),
      { other: { x: 1 }, inner: { z: "1", y: 2 } },
      { other: { x: 1 }, inner: { z: "1" } },
      ["spec.inner.y"],
    ],
    [
      "keeps the items of an open list whole",
      { type: "array", ...open, items: object({ k: text }) },
      [{ k: "1", l: 2 }],
      [{ k: "1", l: 2 }],
      [],
    ],
    [
      "keeps the type fields and metadata of an embedded object",
      object({ spec: object({ a: text }) }, { "x-kubernetes-embedded-resource": true }),
      { apiVersion: "v1", kind: "P", metadata: { x: 1 }, spec: { b: 1 }, other: 1 },
      { apiVersion: "v1", kind: "P", metadata: { x: 1 }, spec: {} },
      ["spec.other", "spec.spec.b"],
    ],
    ["drops nulls without meaning, and does not report them", object({ a: text }), { a: null }, {}, []],
    [
      "keeps nulls with a meaning",
      object({ a: { ...text, nullable: true }, b: { ...text, default: "d" } }),
      { a: null, b: null },
      { a: null, b: null },
      [],
    ],
    ["keeps nulls in lists for validation to find", { type: "array", items: text }, [null], [null], []],
    ["leaves values of another type to validation", object({ a: text }), "text", "text", []],
  ])("%s", (_, schema, spec, left, dropped) => {
    expect(pruned(schema, spec)).toEqual({ left, dropped });
  });

  test("keeps the metadata of the object itself, and drops unknown fields beside the spec", () => {
    const value = { apiVersion: "v1", kind: "K", metadata: { x: 1 }, other: 1 };
    expect(prune(compileSchema(object({})), value)).toEqual(["other"]);
    expect(value).toEqual({ apiVersion: "v1", kind: "K", metadata: { x: 1 } });
  });

  test("drops `__proto__` and similar names like any other field", () => {
    const spec = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": 1, "a": "1"}') as object;
    const { left, dropped } = pruned(object({ a: text }), spec);
    expect(Object.keys(left as object)).toEqual(["a"]);
    expect(dropped).toEqual(["spec.__proto__", "spec.constructor"]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});
