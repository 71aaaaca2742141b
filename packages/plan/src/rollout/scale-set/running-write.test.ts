import { expect, test } from "vitest";
import { pool } from "./plan.fixture.ts";
import { runningWrite } from "./running-write.ts";
import type { PoolView } from "./view.ts";

const OURS = { kind: "PutModel", sinceMs: 0 } as const;
const OF_INSTANCES = { kind: "DeleteInstances", sinceMs: 0 } as const;

test.each<[string, Partial<PoolView>, ReturnType<typeof runningWrite>]>([
  ["nothing runs on a set that is at rest", { isSetChanging: false }, undefined],
  ["nothing runs without a set", { setHash: undefined, capacity: 0 }, undefined],
  ["our write runs", { operation: OURS, isSetChanging: true }, "ours"],
  ["our write runs, and a read does not show it yet", { operation: OURS, isSetChanging: false }, "ours"],
  ["another client's write runs", { isSetChanging: true }, "another client's"],
  [
    "our operations on instances show in the set",
    { operation: OF_INSTANCES, isSetChanging: true },
    undefined,
  ],
  [
    "another client resizes the set beside our operations on instances",
    { operation: OF_INSTANCES, isSetChanging: true, isResized: true },
    "another client's",
  ],
])("%s", (_, facts, expected) => {
  expect(runningWrite(pool(facts))).toBe(expected);
});
