import type { Frozen } from "@capstan/api";
import { isReady } from "../readiness.ts";
import { isActive, type Tally } from "./pod-state.ts";
import { templateHash } from "./template-hash.ts";
import type { PodAction, StatefulSet, WorkloadPod } from "./workload-kinds.ts";

/** The label with the template that a pod was created from. */
export const REVISION_LABEL = "controller-revision-hash";

/** The name of the current template. */
export function revisionOf({ metadata, spec }: Frozen<StatefulSet>): string {
  return `${metadata.name}-${templateHash(spec.template)}`;
}

/**
 * Decides the next step of a StatefulSet. Pods are created from the lowest ordinal up, each after the previous ones are
 * Ready, and deleted from the highest down, one at a time; only `Parallel` does not wait.
 */
export function decideOrdinals(set: Frozen<StatefulSet>, pods: readonly Frozen<WorkloadPod>[]): PodAction[] {
  const { replicas = 1, podManagementPolicy } = set.spec;
  const byName = new Map(pods.map((pod) => [pod.metadata.name, pod]));
  const names = Array.from({ length: replicas }, (_, ordinal) => `${set.metadata.name}-${ordinal}`);
  if (podManagementPolicy === "Parallel") return parallel(set, { pods, byName, names });
  for (const name of names) {
    const pod = byName.get(name);
    if (!pod) return [{ type: "create", name, why: "its predecessors are ready" }];
    if (!isActive(pod) || !isReady(pod)) return [];
  }
  const surplus = highestFirst(pods.filter(({ metadata }) => !names.includes(metadata.name)));
  if (surplus.some((pod) => !isActive(pod))) return [];
  const [last] = surplus;
  if (last) return [{ type: "delete", pod: last, why: `${replicas} wanted` }];
  return outdated(set, pods);
}

interface Numbered {
  readonly pods: readonly Frozen<WorkloadPod>[];
  readonly byName: ReadonlyMap<string, Frozen<WorkloadPod>>;
  readonly names: readonly string[];
}

function parallel(set: Frozen<StatefulSet>, { pods, byName, names }: Numbered): PodAction[] {
  const why = `${names.length} wanted`;
  const missing = names.filter((name) => !byName.has(name));
  const surplus = pods.filter((pod) => isActive(pod) && !names.includes(pod.metadata.name));
  const actions: PodAction[] = [
    ...missing.map((name): PodAction => ({ type: "create", name, why })),
    ...surplus.map((pod): PodAction => ({ type: "delete", pod, why })),
  ];
  const isCalm = actions.length === 0 && pods.every((pod) => isActive(pod) && isReady(pod));
  return isCalm ? outdated(set, pods) : actions;
}

function outdated(set: Frozen<StatefulSet>, pods: readonly Frozen<WorkloadPod>[]): PodAction[] {
  if (set.spec.updateStrategy?.type === "OnDelete") return [];
  const [pod] = highestFirst(pods.filter((one) => !isOfRevision(one, revisionOf(set))));
  return pod ? [{ type: "delete", pod, why: "it was made from an older template" }] : [];
}

function isOfRevision({ metadata }: Frozen<WorkloadPod>, revision: string): boolean {
  return metadata.labels?.[REVISION_LABEL] === revision;
}

function highestFirst(pods: readonly Frozen<WorkloadPod>[]): Frozen<WorkloadPod>[] {
  const ordinal = ({ metadata }: Frozen<WorkloadPod>): number =>
    Number(metadata.name.slice(metadata.name.lastIndexOf("-") + 1));
  return pods.toSorted((a, b) => ordinal(b) - ordinal(a));
}

/** The status of a StatefulSet, for `kubectl rollout status`. */
export function statefulSetStatus(
  set: Frozen<StatefulSet>,
  pods: readonly Frozen<WorkloadPod>[],
  { ready, available }: Tally,
): object {
  const updateRevision = revisionOf(set);
  const updated = pods.filter((pod) => isOfRevision(pod, updateRevision)).length;
  const isDone = updated === pods.length && pods.length === (set.spec.replicas ?? 1);
  const currentRevision = isDone ? updateRevision : (set.status?.currentRevision ?? updateRevision);
  return {
    observedGeneration: set.metadata.generation,
    replicas: pods.length,
    readyReplicas: ready,
    availableReplicas: available,
    currentReplicas: pods.filter((pod) => isOfRevision(pod, currentRevision)).length,
    updatedReplicas: updated,
    currentRevision,
    updateRevision,
  };
}
