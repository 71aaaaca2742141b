import { customKinds, deepEqual, deepFreeze, type JsonObject } from "@capstan/api";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { misfits } from "../../packages/api/src/schema/misfits.ts";
import { repetitions } from "../sample.ts";
import { objectsOf, pairOf, type Schemas } from "./kind-objects.ts";

const RUNS = repetitions("objects of each kind converted and back", 60, 10_000);

const context = { versionOf: () => "v1beta1" };

const cases = customKinds.flatMap((kind) => {
  const pair = pairOf(kind);
  return pair ? [{ name: kind.kind, kind, pair }] : [];
});

test("kinds whose stored version is the older one are among those that are converted", () => {
  expect(cases.map(({ name }) => name)).toContain("AzureCluster");
});

/** The parts of two objects that differ, for the message of a failure. */
function same(left: JsonObject, right: JsonObject): void {
  if (!deepEqual(left, right)) expect(left).toEqual(right);
}

describe.each(cases)("a $name", ({ kind, pair }) => {
  const { up, down } = pair;

  test("of the newer version is the same after a way down and up", () => {
    fc.assert(
      fc.property(objectsOf(kind, "newer"), (object) => {
        const older = down(object, context);
        expect(older.warnings).toEqual([]);
        expect([...misfits(pair.older.specSchema as never, older.object["spec"])]).toEqual([]);
        const back = up(deepFreeze(older.object), context);
        expect(back.warnings).toEqual([]);
        same(back.object, object);
      }),
      { numRuns: RUNS },
    );
  });

  test("of the older version loses nothing more after the first way up", () => {
    fc.assert(
      fc.property(objectsOf(kind, "older"), (object) => {
        const first = up(object, context).object;
        const older = down(deepFreeze(first), context).object;
        const second = up(deepFreeze(older), context).object;
        same(second, first);
        same(down(deepFreeze(second), context).object, older);
      }),
      { numRuns: RUNS },
    );
  });

  test("without a spec, or with anything in place of it, is converted", () => {
    const anything = fc.oneof(fc.constant(undefined), fc.jsonValue());
    fc.assert(
      fc.property(anything, anything, anything, (metadata, spec, status) => {
        const object = { metadata, spec, status };
        up(object, context);
        down(object, context);
      }),
      { numRuns: RUNS },
    );
  });
});

/** The paths of all leaves of a schema; items of lists and entries of maps are part of their field. */
function leaves(schema: object, path: string): string[] {
  const { properties } = schema as { properties?: Record<string, object> };
  if (!properties || Object.keys(properties).length === 0) return [path];
  return Object.entries(properties).flatMap(([name, field]) => leaves(field, `${path}.${name}`));
}

function allLeaves({ specSchema, statusSchema }: Schemas): string[] {
  return [...leaves(specSchema, "spec"), ...(statusSchema ? leaves(statusSchema, "status") : [])];
}

function covers(paths: readonly string[], path: string): boolean {
  return paths.some((one) => path === one || path.startsWith(`${one}.`) || path.startsWith(`${one}[`));
}

describe.each(cases)("the rules of $name", ({ pair }) => {
  const older = pair.fieldRules.flatMap((rule) => rule.older);
  const newerPaths = pair.fieldRules.flatMap((rule) => rule.newer);
  const [olderLeaves, newerLeaves] = [allLeaves(pair.older), allLeaves(pair.newer)];

  test("know every field that the versions do not share", () => {
    const without = (leavesOfOne: string[], others: string[], known: string[]): string[] =>
      leavesOfOne.filter((path) => !others.includes(path) && !covers(known, path));
    expect(without(olderLeaves, newerLeaves, older)).toEqual([]);
    expect(without(newerLeaves, olderLeaves, newerPaths)).toEqual([]);
  });

  test("name only fields that exist", () => {
    const exists = (paths: string[]) => (path: string) => {
      const field = path.replaceAll("[]", "");
      return paths.some(
        (leaf) => leaf === field || leaf.startsWith(`${field}.`) || field.startsWith(`${leaf}.`),
      );
    };
    expect(older.filter((path) => !exists(olderLeaves)(path))).toEqual([]);
    expect(newerPaths.filter((path) => !exists(newerLeaves)(path))).toEqual([]);
  });
});
