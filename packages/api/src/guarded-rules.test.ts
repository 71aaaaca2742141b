import { describe, expect, test } from "vitest";
import { validateObject, withDefaults } from "./admission.ts";
import { defineKind } from "./kind.ts";
import { customKinds } from "./kinds.ts";
import type { KubernetesObject } from "./kubernetes/meta.ts";
import { listOf, object, optional, string } from "./schema/schema.ts";
import { formatFieldError, invalid } from "./values/field-error.ts";

const Thing = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Thing",
  plural: "things",
  description: "A thing.",
  spec: object("A spec.", {
    color: string("A color."),
    parts: optional(listOf("Parts.", string("A part."))),
  }),
  status: object("A status.", { color: optional(string("A color.")) }),
  applyDefaults: ({ spec }, old) => {
    spec.color = (spec.color || old?.spec.color.toLowerCase()) ?? "red";
  },
  validate: ({ object: { spec }, old }) =>
    old && old.spec.color.length !== spec.color.length ? [invalid("spec.color", spec.color, "is fixed")] : [],
  warn: ({ object: { spec } }) => (spec.color.endsWith("d") ? ["red is a common choice"] : []),
});

/** An object of any shape, typed as a valid one. */
function thing(rest: object): typeof Thing.objectType & object {
  const names = { apiVersion: Thing.apiVersion, kind: Thing.kind, metadata: { name: "a" } };
  return Object.assign(names, rest) as unknown as typeof Thing.objectType & object;
}

function errorsOf(rest: object): string[] {
  return validateObject(Thing, { object: thing(rest) }).errors.map(formatFieldError);
}

test("an object that fits gets its defaults, errors and warnings", () => {
  const old = thing({ spec: { color: "BLUE" } });
  expect(withDefaults(Thing, thing({ spec: { color: "" } }), old).spec.color).toBe("blue");
  expect(validateObject(Thing, { object: thing({ spec: { color: "red" } }), old })).toEqual({
    errors: [invalid("spec.color", "red", "is fixed")],
    warnings: ["red is a common choice"],
  });
});

describe("an invalid object", () => {
  test.each([
    [{}, "spec: Required value: does not fit the schema of Thing: must be an object"],
    [{ spec: null }, "spec: Invalid value: null: does not fit the schema of Thing: must be an object"],
    [{ spec: {} }, "spec.color: Required value: does not fit the schema of Thing: must be a string"],
    [
      { spec: { color: "red", parts: "x" } },
      'spec.parts: Invalid value: "x": does not fit the schema of Thing: must be a list',
    ],
    [
      { spec: { color: "red" }, status: 1 },
      "status: Invalid value: 1: does not fit the schema of Thing: must be an object",
    ],
    [
      { spec: { color: "red" }, metadata: { name: "a", labels: { b: 1 } } },
      "metadata.labels[b]: Invalid value: 1: does not fit the schema of Thing: must be a string",
    ],
  ])("is reported: %j", (rest, message) => {
    expect(errorsOf(rest)).toEqual([message]);
  });

  test("is not changed and gets no warnings", () => {
    const odd = thing({ spec: { color: 7 } });
    expect(withDefaults(Thing, odd)).toEqual(odd);
    expect(validateObject(Thing, { object: odd }).warnings).toEqual([]);
  });

  test("is reported at most twenty times", () => {
    expect(errorsOf({ spec: { color: "red", parts: Array(1000).fill(1) } })).toHaveLength(20);
  });

  test("that is stored already is not compared with", () => {
    const wanted = thing({ spec: { color: "" } });
    const old = thing({ spec: { color: 7 } });
    expect(withDefaults(Thing, wanted, old).spec.color).toBe("red");
    expect(validateObject(Thing, { object: wanted, old }).errors).toEqual([]);
  });
});

describe("no kind of ours throws for", () => {
  const odd: unknown[] = [null, 7, "text", [], {}, { metadata: null }, { metadata: { name: "a" }, spec: [] }];
  test.each(odd)("%j", (value) => {
    const given = value as KubernetesObject;
    for (const kind of customKinds) {
      expect(withDefaults(kind, given)).toEqual(value);
      expect(() => validateObject(kind, { object: given, old: given })).not.toThrow();
    }
  });
});
