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
  const refs: ObjectReference[] = [];
  const disputed: string[] = [];
  let ready = 0;
  let available = 0;
  let nextAvailableMs = Infinity;
  for (const id of new Set(providerIDs)) {
    const [node, second] = nodesOf(id);
    if (second) disputed.push(id);
    if (!node || second) continue;
    const { name, uid } = node.metadata;
    refs.push({ apiVersion: Node.apiVersion, kind: Node.kind, name, ...(uid !== undefined && { uid }) });
    if (!isNodeReady(node)) continue;
    ready++;
    if (!isNodeUsable(node)) continue;
    const availableAtMs = longReadyAtMs(node, options.minReadySeconds);
    if (availableAtMs <= options.nowMs) available++;
    else nextAvailableMs = Math.min(nextAvailableMs, availableAtMs);
  }
  return { refs, ready, available, disputed, ...(nextAvailableMs < Infinity && { nextAvailableMs }) };
}
