import type { Frozen, Node, Taint } from "@capstan/api";
import { expect, test } from "vitest";
import { NOT_READY, taintsByHealth, UNREACHABLE } from "./node-taints.ts";

const NOW_MS = Date.UTC(2026, 0, 1);
const NOW = "2026-01-01T00:00:00Z";
const OTHER = { key: "dedicated", value: "batch", effect: "NoSchedule" };

function node(status: "True" | "False" | "Unknown" | undefined, taints: Taint[]): Frozen<Node> {
  const conditions = status === undefined ? [] : [{ type: "Ready", status }];
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n" },
    spec: { taints },
    status: { conditions },
  };
}

const both = (key: string, timeAdded: string): Taint[] => [
  { key, effect: "NoSchedule" },
  { key, effect: "NoExecute", timeAdded },
];

test.each([
  ["is Ready and has none", node("True", [OTHER]), undefined],
  ["has become Ready", node("True", [OTHER, ...both(UNREACHABLE, NOW)]), [OTHER]],
  ["is not Ready", node("False", [OTHER]), [OTHER, ...both(NOT_READY, NOW)]],
  ["has not spoken yet", node(undefined, [both(NOT_READY, NOW)[0] ?? OTHER]), both(NOT_READY, NOW)],
  ["has fallen silent", node("Unknown", both(NOT_READY, "earlier")), both(UNREACHABLE, NOW)],
  ["is still silent", node("Unknown", both(UNREACHABLE, "earlier")), undefined],
])("a node that %s gets the right taints", (_, given, desired) => {
  expect(taintsByHealth(given, NOW_MS)).toEqual(desired);
});
