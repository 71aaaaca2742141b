import { type Frozen, Node, type ObjectReference } from "@capstan/api";
import { isNodeReady, isNodeUsable, longReadyAtMs } from "../../workload/availability.ts";

/** The Nodes of a pool, as far as they are there. */
export interface NodeCount {
  readonly refs: readonly ObjectReference[];
  readonly ready: number;
  readonly available: number;
  /** When the next Node will have been ready for long enough, if one is about to. */
  readonly nextAvailableMs?: number;
  /** Machines that two Nodes say they are; none of these Nodes counts. */
  readonly disputed: readonly string[];
}

/** Who asks, and when. */
export interface CountOptions {
  readonly minReadySeconds: number;
  readonly nowMs: number;
}

/** Counts the Nodes of the machines of a pool. A Node that says it is a machine of another pool is not looked at. */
export function countNodes(
  providerIDs: readonly string[],
  nodesOf: (providerID: string) => readonly Frozen<Node>[],
  options: CountOptions,
): NodeCount {
  const found = [...new Set(providerIDs)].map((id) => ({ id, nodes: nodesOf(id) }));
  const nodes = found.flatMap(({ nodes: all }) => (all.length === 1 ? all : []));
  const readySince = nodes
    .filter(isNodeReady)
    .map((node) => ({ node, sinceMs: longReadyAtMs(node, options.minReadySeconds) }));
  const usable = readySince.filter(({ node }) => isNodeUsable(node));
  const coming = usable.map(({ sinceMs }) => sinceMs).filter((sinceMs) => sinceMs > options.nowMs);
  return {
    refs: nodes.map(({ metadata: { name, uid } }) => ({
      apiVersion: Node.apiVersion,
      kind: Node.kind,
      name,
      ...(uid !== undefined && { uid }),
    })),
    ready: readySince.length,
    available: usable.length - coming.length,
    ...(coming.length > 0 && { nextAvailableMs: Math.min(...coming) }),
    disputed: found.filter(({ nodes: all }) => all.length > 1).map(({ id }) => id),
  };
}
