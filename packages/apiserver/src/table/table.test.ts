import { describe, expect, test } from "vitest";
import type { StoredObject, WatchLine } from "../storage/storage.ts";
import { columnsFor } from "./columns.ts";
import { tableEvent, tableEvents, tableOf, type TableOptions } from "./table.ts";

const options: TableOptions = {
  version: "v1",
  columns: columnsFor({ kind: { group: "", kind: "ConfigMap" } }),
  includeObject: "Metadata",
  now: Date.parse("2026-01-01T00:05:00Z"),
};

const metadata = { name: "a", resourceVersion: "7", creationTimestamp: "2026-01-01T00:00:00Z" };
const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { x: "1" } } as unknown as StoredObject;

describe("a Table", () => {
  test("of a list has its metadata, the columns and a row for each object", () => {
    const table = tableOf({
      ...options,
      objects: [object],
      listMetadata: { resourceVersion: "9", continue: "c" },
    });
    expect(table).toMatchObject({
      kind: "Table",
      apiVersion: "meta.k8s.io/v1",
      metadata: { resourceVersion: "9", continue: "c" },
      rows: [
        {
          cells: ["a", 1, "5m"],
          object: { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata },
        },
      ],
    });
    expect(table.columnDefinitions?.map((one) => Object.keys(one))).toEqual(
      Array.from({ length: 3 }, () => ["name", "type", "format", "description", "priority"]),
    );
  });

  test("of one object has the version of the object", () => {
    expect(tableOf({ ...options, objects: [object] }).metadata).toEqual({ resourceVersion: "7" });
  });

  test("of an empty list has columns and no rows", () => {
    const table = tableOf({ ...options, objects: [], listMetadata: {} });
    expect(table.rows).toEqual([]);
    expect(table.columnDefinitions).toHaveLength(3);
  });

  test("contains the whole object or none on request", () => {
    expect(tableOf({ ...options, objects: [object], includeObject: "Object" }).rows[0]?.object).toBe(object);
    expect(tableOf({ ...options, objects: [object], includeObject: "None" }).rows[0]?.object).toBeNull();
  });

  test("has the version v1beta1 throughout on request", () => {
    expect(tableOf({ ...options, objects: [object], version: "v1beta1" })).toMatchObject({
      apiVersion: "meta.k8s.io/v1beta1",
      rows: [{ object: { apiVersion: "meta.k8s.io/v1beta1" } }],
    });
  });
});

describe("a watch in Tables", () => {
  test("describes its columns in the first event only", async () => {
    const lines: WatchLine[] = [
      { type: "ADDED", object },
      { type: "MODIFIED", object },
    ];
    const seen: WatchLine[] = [];
    const source = (async function* () {
      yield* lines;
    })();
    for await (const line of tableEvents(source, { ...options, now: () => options.now })) seen.push(line);
    expect(seen).toMatchObject([
      { type: "ADDED", object: { metadata: { resourceVersion: "7" }, columnDefinitions: [{}, {}, {}] } },
      { type: "MODIFIED", object: { columnDefinitions: null, rows: [{ cells: ["a", 1, "5m"] }] } },
    ]);
  });

  test("sends bookmarks as a row with the version of the watch", () => {
    const bookmark = { apiVersion: "v1", kind: "ConfigMap", metadata: { resourceVersion: "8" } };
    expect(tableEvent({ type: "BOOKMARK", object: bookmark }, { ...options, isFirst: false })).toMatchObject({
      type: "BOOKMARK",
      object: {
        metadata: { resourceVersion: "8" },
        rows: [{ cells: ["", 0, "<unknown>"], object: { metadata: { resourceVersion: "8" } } }],
      },
    });
  });

  test("leaves errors as they are", () => {
    const line: WatchLine = { type: "ERROR", object: { kind: "Status", code: 410 } };
    expect(tableEvent(line, { ...options, isFirst: true })).toBe(line);
  });
});
