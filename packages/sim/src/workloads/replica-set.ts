import type { Frozen } from "@capstan/api";
import { isReady } from "../readiness.ts";
import { isActive, type Tally } from "./pod-state.ts";
import type { PodAction, ReplicaSet, WorkloadPod } from "./workload-kinds.ts";

/** Decides which pods to create or delete to reach the desired number. */
export function decideReplicas(desired: number, pods: readonly Frozen<WorkloadPod>[]): PodAction[] {
  const active = pods.filter(isActive);
  const missing = desired - active.length;
  const why = `${desired} wanted, ${active.length} there`;
  if (missing >= 0) return Array.from({ length: missing }, () => ({ type: "create", why }));
  return bySacrifice(active)
    .slice(0, -missing)
    .map((pod) => ({ type: "delete", why, pod }));
}

/** The deletion order: without a node, not ready, next to the most other pods, youngest. */
function bySacrifice(pods: readonly Frozen<WorkloadPod>[]): Frozen<WorkloadPod>[] {
  const perNode = new Map<string, number>();
  for (const pod of pods) perNode.set(nodeOf(pod), (perNode.get(nodeOf(pod)) ?? 0) + 1);
  const rank = (pod: Frozen<WorkloadPod>): number[] => [
    nodeOf(pod) === "" ? 0 : 1,
    isReady(pod) ? 1 : 0,
    -(perNode.get(nodeOf(pod)) ?? 0),
    -Date.parse(pod.metadata.creationTimestamp ?? ""),
  ];
  const ranked = pods.map((pod) => ({ pod, rank: rank(pod) }));
  ranked.sort((a, b) => compare(a.rank, b.rank) || (a.pod.metadata.name < b.pod.metadata.name ? -1 : 1));
  return ranked.map(({ pod }) => pod);
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

function nodeOf(pod: Frozen<WorkloadPod>): string {
  return pod.spec?.nodeName ?? "";
}

/** The status of a ReplicaSet. */
export function replicaSetStatus(
  { metadata }: Frozen<ReplicaSet>,
  pods: readonly Frozen<WorkloadPod>[],
  { ready, available }: Tally,
): object {
  const replicas = pods.filter(isActive).length;
  return {
    observedGeneration: metadata.generation,
    replicas,
    fullyLabeledReplicas: replicas,
    readyReplicas: ready,
    availableReplicas: available,
  };
}
