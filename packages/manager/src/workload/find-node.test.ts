import type { Node } from "@capstan/api";
import type { Overrides } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import type { ScaleSetInstance } from "@capstan/azure";
import { findNode } from "./find-node.ts";
import { instanceOf, nodeOf } from "../pools/machine.fixture.ts";

const STRANGER = { metadata: { name: "stranger" }, status: { nodeInfo: { systemUUID: "other" } } };
const ask = (
  candidates: readonly Node[],
  instance: ScaleSetInstance | undefined = instanceOf(),
  knownUID?: string,
) => findNode(candidates, { instance, knownUID });

test.each<[string, Overrides<Node>]>([
  ["its computer name", { status: { nodeInfo: { systemUUID: "other" } } }],
  [
    "its computer name in capitals",
    { metadata: { name: "POOL000000" }, status: { nodeInfo: { systemUUID: "o" } } },
  ],
  ["the id of its VM", { metadata: { name: "custom" } }],
  [
    "the id of its VM in the byte order of old firmware",
    {
      metadata: { name: "custom" },
      status: { nodeInfo: { systemUUID: "78563412-BC9A-F0DE-1122-334455667788" } },
    },
  ],
])("a Node belongs to the machine by %s", (_, overrides) => {
  const node = nodeOf(overrides);
  expect(ask([node])).toEqual({ state: "found", node });
});

test("a Node that was found before stays the machine's, even without the instance", () => {
  const node = nodeOf(STRANGER);
  expect(findNode([node], { instance: undefined, knownUID: "new-uid" })).toEqual({ state: "found", node });
});

test.each<[string, readonly Node[]]>([
  ["with another name and another UUID", [nodeOf(STRANGER)]],
  ["from before the VM", [nodeOf({ metadata: { creationTimestamp: "2025-12-31T23:58:59Z" } })]],
])("a Node %s does not", (_, candidates) => {
  expect(ask(candidates).state).toBe("impostor");
});

test("a Node may be a little older than its VM, by the difference of the clocks", () => {
  expect(ask([nodeOf({ metadata: { creationTimestamp: "2025-12-31T23:59:30Z" } })]).state).toBe("found");
});

test("the matching Node is found among others", () => {
  const node = nodeOf();
  expect(ask([nodeOf(STRANGER, { metadata: { uid: "x" } }), node])).toEqual({ state: "found", node });
});

test("without a Node, or without the instance to compare with, none is found", () => {
  expect(ask([]).state).toBe("none");
  expect(findNode([nodeOf()], { instance: undefined, knownUID: undefined }).state).toBe("impostor");
});

test("two matching Nodes are disputed", () => {
  const other = nodeOf({ metadata: { name: "custom", uid: "x" } });
  expect(ask([nodeOf(), other])).toEqual({
    state: "disputed",
    message: "Node custom and Node pool000000 both have the provider id of this machine",
  });
});
