import type { Frozen, Node } from "@capstan/api";
import type { Found } from "@capstan/runtime";
import { providerKey, type WorkloadNodes } from "./nodes.ts";

/** A machine whose Node is asked for on each pass: where that is told of is looked up once, and again when it has gone. */
export interface NodeRefCache {
  readonly key: string;
  /** Where its Nodes are told of as long as there are any, and by whom: after a reconnection it is somebody else. */
  nodes: Found<Node> | undefined;
  follower: WorkloadNodes | undefined;
}

/** Begins to look for the Node of a machine. */
export function seekNode(providerID: string): NodeRefCache {
  return { key: providerKey(providerID), nodes: undefined, follower: undefined };
}

/** One list for all machines without a Node, so that it is the same from pass to pass. */
export const NO_NODES: readonly Frozen<Node>[] = [];

/** The Nodes that say they are the machine. */
export function candidatesOf(nodeRef: NodeRefCache, nodes: WorkloadNodes): readonly Frozen<Node>[] {
  if (nodeRef.follower !== nodes || nodeRef.nodes?.isOver !== false) {
    nodeRef.nodes = nodes.found(nodeRef.key);
    nodeRef.follower = nodes;
  }
  return nodeRef.nodes?.list ?? NO_NODES;
}
