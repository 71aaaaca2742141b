import { type Frozen, type Node, scaledValue, type Toleration } from "@capstan/api";
import { NOT_READY, UNREACHABLE } from "../node-taints.ts";
import { isReady } from "../readiness.ts";
import { isActive, untilAvailableMs } from "./pod-state.ts";
import { REVISION_LABEL } from "./stateful-set.ts";
import { templateHash } from "./template-hash.ts";
import { matchesSelector, repellingTaint } from "./tolerations.ts";
import type { DaemonSet, PodAction, WorkloadPod } from "./workload-kinds.ts";

// Daemons must run on nodes in trouble too.
const condition = (name: string, effect: "NoSchedule" | "NoExecute"): Toleration => ({
  key: name,
  operator: "Exists",
  effect,
});

/** The tolerations of every pod of a DaemonSet. */
export const DAEMON_TOLERATIONS: readonly Toleration[] = [
  condition(NOT_READY, "NoExecute"),
  condition(UNREACHABLE, "NoExecute"),
  condition("node.kubernetes.io/disk-pressure", "NoSchedule"),
  condition("node.kubernetes.io/memory-pressure", "NoSchedule"),
  condition("node.kubernetes.io/pid-pressure", "NoSchedule"),
  condition("node.kubernetes.io/unschedulable", "NoSchedule"),
  // In Kubernetes a node that is not Ready keeps its daemons. Here the pod names its node at creation, so such a node gets
  // new ones too.
  condition(NOT_READY, "NoSchedule"),
  condition(UNREACHABLE, "NoSchedule"),
];

/** A DaemonSet, all nodes, and its pods. */
export interface Daemons {
  readonly set: Frozen<DaemonSet>;
  readonly nodes: readonly Frozen<Node>[];
  readonly pods: readonly Frozen<WorkloadPod>[];
  readonly nowMs: number;
}

/**
 * Decides which nodes get a pod and which pods are deleted. Pods of deleted nodes are left to the eviction timeout. The pod
 * names its node at creation, where Kubernetes uses an affinity and its scheduler: the outcome is the same unless a node is
 * full.
 */
export function decideDaemons({ set, nodes, pods, nowMs }: Daemons): PodAction[] {
  const byNode = groupByNode(pods);
  const actions: PodAction[] = [];
  for (const node of nodes) {
    const here = byNode.get(node.metadata.name) ?? [];
    const active = here.filter(isActive);
    const keep = isEligible(set, node) ? 1 : 0;
    // A terminating pod keeps its place: its files and ports are still in use.
    if (keep === 1 && here.length === 0)
      actions.push({ type: "create", nodeName: node.metadata.name, why: "the node has none" });
    const why = keep === 1 ? "the node has one already" : "the node does not want it any more";
    for (const pod of active.slice(keep)) actions.push({ type: "delete", pod, why });
  }
  return [...actions, ...outdated({ set, nodes, pods, nowMs })];
}

/** Deletes pods of older templates as far as maxUnavailable allows, unready ones first. */
function outdated({ set, nodes, pods, nowMs }: Daemons): PodAction[] {
  const { updateStrategy, minReadySeconds = 0 } = set.spec;
  if (updateStrategy?.type === "OnDelete") return [];
  const hash = templateHash(set.spec.template);
  const old = pods.filter((pod) => isActive(pod) && pod.metadata.labels?.[REVISION_LABEL] !== hash);
  if (old.length === 0) return [];
  const desired = nodes.filter((node) => isEligible(set, node)).length;
  const limit = Math.max(1, scaledValue(updateStrategy?.rollingUpdate?.maxUnavailable ?? 1, desired, "up"));
  const isAvailable = (pod: Frozen<WorkloadPod>): boolean =>
    isActive(pod) && untilAvailableMs(pod, minReadySeconds, nowMs) === 0;
  const broken = old.filter((pod) => !isAvailable(pod));
  const budget = Math.max(0, limit - (desired - pods.filter(isAvailable).length));
  const healthy = old.filter(isAvailable).slice(0, budget);
  const why = "it was made from an older template";
  return [...broken, ...healthy].map((pod) => ({ type: "delete", pod, why }));
}

function isEligible({ spec }: Frozen<DaemonSet>, node: Frozen<Node>): boolean {
  const { nodeSelector, tolerations = [] } = spec.template.spec;
  return (
    matchesSelector(node, nodeSelector) &&
    repellingTaint(node, [...tolerations, ...DAEMON_TOLERATIONS]) === undefined
  );
}

function groupByNode(pods: readonly Frozen<WorkloadPod>[]): Map<string, Frozen<WorkloadPod>[]> {
  const groups = new Map<string, Frozen<WorkloadPod>[]>();
  for (const pod of pods) {
    const name = pod.spec?.nodeName ?? "";
    const group = groups.get(name);
    if (group) group.push(pod);
    else groups.set(name, [pod]);
  }
  return groups;
}

/** The status of a DaemonSet, for `kubectl rollout status`. */
export function daemonSetStatus({ set, nodes, pods, nowMs }: Daemons): object {
  const { minReadySeconds = 0, template } = set.spec;
  const hash = templateHash(template);
  const eligible = new Set(
    nodes.filter((node) => isEligible(set, node)).map(({ metadata }) => metadata.name),
  );
  const active = pods.filter(isActive);
  const placed = active.filter(({ spec }) => eligible.has(spec?.nodeName ?? ""));
  const available = placed.filter((pod) => untilAvailableMs(pod, minReadySeconds, nowMs) === 0).length;
  return {
    observedGeneration: set.metadata.generation,
    desiredNumberScheduled: eligible.size,
    currentNumberScheduled: placed.length,
    numberMisscheduled: active.length - placed.length,
    numberReady: placed.filter(isReady).length,
    updatedNumberScheduled: placed.filter(({ metadata }) => metadata.labels?.[REVISION_LABEL] === hash)
      .length,
    numberAvailable: available,
    numberUnavailable: Math.max(0, eligible.size - available),
  };
}
