import type { Frozen, Node } from "@capstan/api";
import { expect, test } from "vitest";
import { nodeOf } from "../pools/machine.fixture.ts";
import type { WorkloadNodes } from "./nodes.ts";
import { candidatesOf, seekNode } from "./node-ref-cache.ts";

test("a cached lookup follows its Node through creation, change and deletion, and through a reconnection", () => {
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
  expect(candidatesOf(nodeRef, nodes), "the cached entry stays").toBe(first.list);
  first.isOver = true;
  expect(candidatesOf(nodeRef, nodes)).toBe(second.list);
  const reconnected = { found: () => undefined } as unknown as WorkloadNodes;
  expect(candidatesOf(nodeRef, reconnected)).toEqual([]);
});
