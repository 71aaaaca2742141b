import { expect, test } from "vitest";
import type { NodeLookup } from "../../workload/find-node.ts";
import { isDrained } from "./drained.ts";
import { machineOf, nodeOf } from "../../pools/machine.fixture.ts";

const lastTransitionTime = "2026-01-01T00:00:00Z";
const drained = (status: "True" | "False", reason: string) => ({
  conditions: [{ type: "Drained", status, reason, lastTransitionTime }],
});
const FOUND: NodeLookup = { state: "found", node: nodeOf() };
const NONE: NodeLookup = { state: "none" };
const update = (nodeUID: string) => ({ instanceUpdate: { nodeUID, startedAt: lastTransitionTime } });

test.each<[string, object, NodeLookup, boolean]>([
  ["without the condition", {}, FOUND, false],
  ["while pods are evicted", drained("False", "Draining"), FOUND, false],
  ["after its drain", drained("True", "Drained"), FOUND, true],
  ["after its drain, when its Node is gone", drained("True", "Drained"), NONE, true],
  ["that had no Node to drain, and still has none", drained("True", "NoNode"), NONE, true],
  ["that had no Node to drain, and whose Node joined late", drained("True", "NoNode"), FOUND, false],
  ["whose drained Node is updated", { ...drained("True", "Drained"), ...update("new-uid") }, FOUND, true],
  [
    "with another Node than the drained one",
    { ...drained("True", "Drained"), ...update("old-uid") },
    FOUND,
    false,
  ],
])("a machine %s", (_, status, node, expected) => {
  expect(isDrained({ machine: machineOf({ status }), node })).toBe(expected);
});
