import type { PrinterColumn } from "@capstan/api";
import { describe, expect, test } from "vitest";
import type { StoredObject } from "../storage/storage.ts";
import { columnsFor } from "./columns.ts";
import { customColumns } from "./custom-columns.ts";

const now = Date.parse("2026-01-01T00:10:00Z");

function objectWith(spec: object): StoredObject {
  return { apiVersion: "a/v1", kind: "K", metadata: { name: "n" }, spec };
}

function cell(type: PrinterColumn["type"], value: unknown): unknown {
  const [, column] = customColumns([{ name: "C", type, jsonPath: ".spec.value" }]);
  const spec = value === undefined ? {} : { value };
  return column?.cell(objectWith(spec), now);
}

// What a kube-apiserver 1.35 answers for the same values.
describe("a cell", () => {
  test.each<[PrinterColumn["type"], unknown, unknown]>([
    ["string", "text", "text"],
    ["string", "", ""],
    ["string", 7, "7"],
    ["string", 1.5, "1.5"],
    ["string", true, "true"],
    ["string", null, "<no value>"],
    ["string", { y: "<a&b>", x: 1 }, String.raw`{"x":1,"y":"\u003ca\u0026b\u003e"}`],
    ["string", [1, "a"], '[1,"a"]'],
    ["string", undefined, null],
    ["integer", 7, 7],
    ["integer", 1.5, 1],
    ["integer", "7", null],
    ["number", 1.5, 1.5],
    ["number", 7, 7],
    ["number", "7", null],
    ["boolean", true, true],
    ["boolean", "true", null],
    ["date", "2026-01-01T00:05:00Z", "5m"],
    ["date", "soon", "<invalid>"],
    ["date", 7, null],
    ["date", null, null],
    ["date", undefined, null],
  ])("of a column %s contains for %j: %j", (type, value, shown) => {
    expect(cell(type, value)).toBe(shown);
  });

  test("shows the first of several values", () => {
    const [, column] = customColumns([{ name: "C", type: "integer", jsonPath: ".spec.list[*].v" }]);
    expect(column?.cell(objectWith({ list: [{ v: 1 }, { v: 2 }] }), now)).toBe(1);
  });
});

describe("the columns of a custom kind", () => {
  const heads = (columns: readonly PrinterColumn[]): string[] =>
    customColumns(columns).map(({ name, type, format, priority }) => `${name} ${type} ${format} ${priority}`);

  test("are its name and age if its CRD lists none", () => {
    expect(heads([])).toEqual(["Name string name 0", "Age date  0"]);
  });

  test("are its name and those that its CRD lists", () => {
    expect(heads([{ name: "Phase", type: "string", jsonPath: ".status.phase", priority: 1 }])).toEqual([
      "Name string name 0",
      "Phase string  1",
    ]);
  });

  test("are described by their path without a description", () => {
    expect(customColumns([{ name: "P", type: "string", jsonPath: ".x" }])[1]?.description).toBe(
      "Custom resource definition column (in JSONPath format): .x",
    );
  });

  test("are compiled once for a CRD", () => {
    const custom = { columns: [{ name: "P", type: "string", jsonPath: ".x" } as const] };
    const kind = { group: "g", kind: "K" };
    expect(columnsFor({ kind, custom })).toBe(columnsFor({ kind, custom }));
  });
});
