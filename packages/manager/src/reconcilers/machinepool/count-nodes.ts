import { type Frozen, Node, type ObjectReference } from "@capstan/api";
import { sumVersions } from "@capstan/plan";
import { isNodeReady, isNodeUsable, longEnoughAtMs, readySinceMs } from "../../workload/availability.ts";
import { providerKey } from "../../workload/nodes.ts";
import { seekNode, type NodeRefCache } from "../../workload/node-ref-cache.ts";

/** The existing Nodes of a pool. */
export interface NodeCount {
  readonly refs: readonly ObjectReference[];
  readonly ready: number;
  readonly available: number;
  /** When the next Node will have been Ready for long enough, if one will. */
  readonly nextAvailableMs?: number;
  /** Machines that several Nodes claim; none of these Nodes counts. */
  readonly disputed: readonly string[];
  /** The versions of their kubelets. */
  readonly versions: ReturnType<typeof sumVersions>;
}

export interface CountOptions {
  readonly minReadySeconds: number;
  readonly nowMs: number;
}

/** The facts of a Node that a count needs. */
interface Gist {
  readonly ref: ObjectReference;
  readonly isReady: boolean;
  readonly isUsable: boolean;
  readonly readySinceMs: number;
  readonly version: string;
}

/** Facts of unchanged Nodes are cached: a pool has a thousand Nodes, and hardly any change matters to a count. */
const gists = new WeakMap<Frozen<Node>, Gist>();

function gistOf(node: Frozen<Node>): Gist {
  const known = gists.get(node);
  if (known) return known;
  const { name, uid } = node.metadata;
  const ref = { apiVersion: Node.apiVersion, kind: Node.kind, name, ...(uid !== undefined && { uid }) };
  const made: Gist = {
    ref,
    isReady: isNodeReady(node),
    isUsable: isNodeUsable(node),
    readySinceMs: readySinceMs(node),
    version: node.status?.nodeInfo?.kubeletVersion ?? "",
  };
  gists.set(node, made);
  return made;
}

/** Caches by list, without duplicates: a list is the same object until a machine is added or removed. */
const nodeRefLists = new WeakMap<readonly string[], readonly NodeRefCache[]>();

function nodeRefsOf(providerIDs: readonly string[]): readonly NodeRefCache[] {
  const known = nodeRefLists.get(providerIDs);
  if (known) return known;
  const made = [...new Set(providerIDs.map(providerKey))].map(seekNode);
  nodeRefLists.set(providerIDs, made);
  return made;
}

/** Counts the Nodes of the machines of a pool, and ignores Nodes of other pools. */
export function countNodes(
  providerIDs: readonly string[],
  nodesOf: (nodeRef: NodeRefCache) => readonly Frozen<Node>[],
  options: CountOptions,
): NodeCount {
  const refs: ObjectReference[] = [];
  const disputed: string[] = [];
  const versions: string[] = [];
  let ready = 0;
  let available = 0;
  let nextAvailableMs = Infinity;
  for (const nodeRef of nodeRefsOf(providerIDs)) {
    const found = nodesOf(nodeRef);
    const node = found[0];
    const second = found[1];
    if (!node) continue;
    if (second) {
      disputed.push(node.spec?.providerID ?? nodeRef.key);
      continue;
    }
    const { ref, isReady, isUsable, readySinceMs: sinceMs, version } = gistOf(node);
    refs.push(ref);
    versions.push(version);
    if (!isReady) continue;
    ready++;
    if (!isUsable) continue;
    const availableAtMs = longEnoughAtMs(sinceMs, options.minReadySeconds);
    if (availableAtMs <= options.nowMs) available++;
    else nextAvailableMs = Math.min(nextAvailableMs, availableAtMs);
  }
  return {
    refs,
    ready,
    available,
    disputed,
    versions: countVersions(versions),
    ...(nextAvailableMs < Infinity && { nextAvailableMs }),
  };
}

/** Counts versions, the oldest first. A Node whose kubelet has reported nothing yet has none. */
function countVersions(versions: readonly string[]): NodeCount["versions"] {
  const groups = Map.groupBy(versions, (version) => version);
  groups.delete("");
  return sumVersions([[...groups].map(([version, { length }]) => ({ version, replicas: length }))]);
}
