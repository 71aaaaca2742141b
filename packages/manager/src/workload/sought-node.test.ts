import type { Frozen, Node } from "@capstan/api";
import { expect, test } from "vitest";
import { nodeOf } from "../reconcilers/azuremachinepoolmachine/machine.fixture.ts";
import type { WorkloadNodes } from "./nodes.ts";
import { candidatesOf, seekNode } from "./node-ref-cache.ts";

test("a Node that came, changed and went is seen by whoever has asked before, and so is that of another connection", () => {
  const nodeRef = seekNode("azure:///Machine");
  const found: { list: readonly Frozen<Node>[]; isOver: boolean }[] = [];
  const nodes = { found: () => found.at(-1) } as unknown as WorkloadNodes;
  expect(candidatesOf(nodeRef, nodes)).toEqual([]);
  const first = { list: [nodeOf()], isOver: false };
  found.push(first);
  expect(candidatesOf(nodeRef, nodes)).toBe(first.list);
  first.list = [nodeOf()];
  expect(candidatesOf(nodeRef, nodes)).toBe(first.list);
  const second = { list: [nodeOf()], isOver: false };
  found.push(second);
  expect(candidatesOf(nodeRef, nodes), "what is followed goes on").toBe(first.list);
  first.isOver = true;
  expect(candidatesOf(nodeRef, nodes)).toBe(second.list);
  const reconnected = { found: () => undefined } as unknown as WorkloadNodes;
  expect(candidatesOf(nodeRef, reconnected)).toEqual([]);
});
