import {
  builtInKind,
  controllerOf,
  type Frozen,
  type KubernetesObject,
  type LabelSelectorLike,
  type Pod,
  scaledValue,
  selectorMatches,
  selectorOf,
} from "@capstan/api";
import type { Condition } from "../controllers/namespace-conditions.ts";

/** How many of some pods may be evicted at a time. */
export interface PodDisruptionBudget extends KubernetesObject {
  spec?: {
    minAvailable?: number | string;
    maxUnavailable?: number | string;
    selector?: LabelSelectorLike;
    unhealthyPodEvictionPolicy?: "IfHealthyBudget" | "AlwaysAllow";
  };
  status?: BudgetStatus;
}

/** What a budget allows now. */
export interface BudgetStatus {
  observedGeneration?: number;
  disruptionsAllowed: number;
  currentHealthy: number;
  desiredHealthy: number;
  expectedPods: number;
  /** Pods whose eviction was granted and that still exist, with the time of the grant. */
  disruptedPods?: Record<string, string>;
  conditions?: Condition[];
}

/** How many of some pods may be evicted at a time. */
export const PodDisruptionBudget = builtInKind<PodDisruptionBudget>({
  group: "policy",
  version: "v1",
  kind: "PodDisruptionBudget",
  plural: "poddisruptionbudgets",
  namespaced: true,
  subresources: ["status"],
});

// A pod that still exists this long after its eviction was granted counts as not evicted.
const DISRUPTION_LIMIT_MS = 2 * 60_000;

/** Whether the budget selects the pod. A budget without a selector selects none, one with an empty selector all. */
export function isAbout({ spec }: Frozen<PodDisruptionBudget>, { metadata }: Frozen<Pod>): boolean {
  return spec?.selector !== undefined && selectorMatches(selectorOf(spec.selector), metadata.labels);
}

/** Whether the pod has the condition Ready. */
export function isReady({ status }: Frozen<Pod>): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;
}

/** Whether the pod has ended by itself. */
export function hasEnded({ status }: Frozen<Pod>): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** The input of a budget's status. */
export interface Situation {
  readonly pods: readonly Frozen<Pod>[];
  /** The desired replicas of a pod's controller, if it has one that is known. */
  readonly replicasOf: (pod: Frozen<Pod>) => number | undefined;
  readonly nowMs: number;
  readonly now: string;
}

/** What the budget allows in this situation. */
export function budgetStatus(budget: Frozen<PodDisruptionBudget>, situation: Situation): BudgetStatus {
  const { pods, nowMs } = situation;
  const disruptedPods = stillDisrupted(budget, pods, nowMs);
  const currentHealthy = pods.filter(
    (pod) =>
      isReady(pod) &&
      pod.metadata.deletionTimestamp === undefined &&
      disruptedPods[pod.metadata.name] === undefined,
  ).length;
  const { expectedPods, desiredHealthy } = expectation(budget, situation);
  const disruptionsAllowed = expectedPods > 0 ? Math.max(0, currentHealthy - desiredHealthy) : 0;
  return {
    ...(Object.keys(disruptedPods).length > 0 && { disruptedPods }),
    ...(budget.metadata.generation !== undefined && { observedGeneration: budget.metadata.generation }),
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    conditions: [allowedCondition(budget, disruptionsAllowed, situation.now)],
  };
}

function allowedCondition(
  { status, metadata }: Frozen<PodDisruptionBudget>,
  allowed: number,
  now: string,
): Condition {
  const condition = {
    type: "DisruptionAllowed",
    status: allowed > 0 ? ("True" as const) : ("False" as const),
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
    reason: allowed > 0 ? "SufficientPods" : "InsufficientPods",
    message: "",
  };
  const old = status?.conditions?.find(({ type }) => type === condition.type);
  return {
    ...condition,
    lastTransitionTime: old?.status === condition.status ? old.lastTransitionTime : now,
  };
}

/** The pods that are being evicted, without those that are gone or whose eviction has expired. */
function stillDisrupted(
  { status }: Frozen<PodDisruptionBudget>,
  pods: readonly Frozen<Pod>[],
  nowMs: number,
): Record<string, string> {
  const waiting = new Set(
    pods
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata.name),
  );
  const disrupted = Object.entries(status?.disruptedPods ?? {}).filter(
    ([name, since]) => waiting.has(name) && Date.parse(since) + DISRUPTION_LIMIT_MS > nowMs,
  );
  return Object.fromEntries(disrupted);
}

interface Expectation {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
}

/** A number refers to the existing pods; a percentage, and maxUnavailable, refer to the desired ones. */
function expectation({ spec = {} }: Frozen<PodDisruptionBudget>, situation: Situation): Expectation {
  const { minAvailable, maxUnavailable } = spec;
  if (maxUnavailable !== undefined) {
    const expectedPods = wantedPods(situation);
    const desiredHealthy = Math.max(0, expectedPods - scaledValue(maxUnavailable, expectedPods, "up"));
    return { expectedPods, desiredHealthy };
  }
  if (typeof minAvailable === "string") {
    const expectedPods = wantedPods(situation);
    return { expectedPods, desiredHealthy: scaledValue(minAvailable, expectedPods, "up") };
  }
  return { expectedPods: situation.pods.length, desiredHealthy: minAvailable ?? 0 };
}

/** The replicas of all controllers that own the pods, each counted once. */
function wantedPods({ pods, replicasOf }: Situation): number {
  const counted = new Set<string>();
  let wanted = 0;
  for (const pod of pods) {
    const uid = controllerOf(pod)?.uid;
    if (uid === undefined || counted.has(uid)) continue;
    counted.add(uid);
    wanted += replicasOf(pod) ?? 0;
  }
  return wanted;
}
