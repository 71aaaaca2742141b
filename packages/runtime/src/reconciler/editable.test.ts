import { deepFreeze, type Frozen } from "@capstan/api";
import { describe, expect, test } from "vitest";
import { editableCopy } from "./editable.ts";

interface Pool {
  spec: {
    replicas?: number;
    template: { labels: Record<string, string> };
    ids: string[];
    refs: { name: string }[];
  };
}

const POOL: Frozen<Pool> = deepFreeze({
  spec: { template: { labels: { a: "b" } }, ids: ["one"], refs: [{ name: "one" }] },
});

describe("an editable copy", () => {
  test("takes new values at any depth, and the original stays as it is", () => {
    const copy = editableCopy<Pool>(POOL);
    copy.spec.replicas = 3;
    copy.spec.template.labels["a"] = "c";
    delete copy.spec.template.labels["b"];
    copy.spec.ids = [...copy.spec.ids, "two"];
    expect(copy.spec).toMatchObject({ replicas: 3, template: { labels: { a: "c" } }, ids: ["one", "two"] });
    expect(POOL.spec).toEqual({ template: { labels: { a: "b" } }, ids: ["one"], refs: [{ name: "one" }] });
  });

  test("shares the frozen lists of the original", () => {
    const copy = editableCopy<Pool>(POOL);
    expect(copy.spec.refs).toBe(POOL.spec.refs);
    expect(() => (copy.spec.ids as string[]).push("two")).toThrow(TypeError);
  });

  test("keeps a field that has the name of the prototype", () => {
    const original = JSON.parse('{"__proto__":{"a":1},"b":null}') as object;
    const copy = editableCopy(original);
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"a":1},"b":null}');
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });
});
