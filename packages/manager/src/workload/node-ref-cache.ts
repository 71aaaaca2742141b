import type { Frozen, Node } from "@capstan/api";
import type { Found } from "@capstan/runtime";
import { providerKey, type WorkloadNodes } from "./nodes.ts";

/** A machine whose Node is looked up on each pass: the index entry is cached, and looked up again when it is gone. */
export interface NodeRefCache {
  readonly key: string;
  /** The cached index entry of its Nodes; a reconnection creates another one. */
  nodes: Found<Node> | undefined;
  follower: WorkloadNodes | undefined;
}

export function seekNode(providerID: string): NodeRefCache {
  return { key: providerKey(providerID), nodes: undefined, follower: undefined };
}

/** One list for all machines without a Node, so that its identity is stable between passes. */
export const NO_NODES: readonly Frozen<Node>[] = [];

/** The Nodes that have the machine's provider id. */
export function candidatesOf(nodeRef: NodeRefCache, nodes: WorkloadNodes): readonly Frozen<Node>[] {
  if (nodeRef.follower !== nodes || nodeRef.nodes?.isOver !== false) {
    nodeRef.nodes = nodes.found(nodeRef.key);
    nodeRef.follower = nodes;
  }
  return nodeRef.nodes?.list ?? NO_NODES;
}
