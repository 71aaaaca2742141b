import { type Frozen, type PodCondition, resolveRolloutBudget } from "@capstan/api";
import { withConditions } from "./pod-state.ts";
import { templateHash } from "./template-hash.ts";
import type { Deployment, ReplicaSet } from "./workload-kinds.ts";

/** A change of a Deployment's ReplicaSets, and why. */
export type SetAction =
  | { readonly type: "create"; readonly why: string; readonly name: string; readonly replicas: number }
  | {
      readonly type: "scale";
      readonly why: string;
      readonly set: Frozen<ReplicaSet>;
      readonly replicas: number;
    }
  | { readonly type: "delete"; readonly why: string; readonly set: Frozen<ReplicaSet> };

/** The label that separates the pods of different templates. */
export const TEMPLATE_HASH_LABEL = "pod-template-hash";
const HISTORY_LIMIT = 10;

/** The name of the ReplicaSet for the current template. */
export function currentSetName({ metadata, spec }: Frozen<Deployment>): string {
  return `${metadata.name}-${templateHash(spec.template)}`;
}

/** Decides the next step towards having all pods of the newest template. */
export function decideSets(deployment: Frozen<Deployment>, sets: readonly Frozen<ReplicaSet>[]): SetAction[] {
  if (deployment.spec.paused) return [];
  const name = currentSetName(deployment);
  const current = sets.find(({ metadata }) => metadata.name === name);
  const old = sets.filter((set) => set !== current).sort(byAge);
  if (deployment.spec.strategy?.type === "Recreate") return recreate(deployment, { name, current, old });
  return [...grow(deployment, { name, current, old }), ...shrink(deployment, { name, current, old })];
}

interface Generations {
  readonly name: string;
  readonly current: Frozen<ReplicaSet> | undefined;
  readonly old: readonly Frozen<ReplicaSet>[];
}

function recreate({ spec }: Frozen<Deployment>, { name, current, old }: Generations): SetAction[] {
  const down = old.filter((set) => desiredOf(set) > 0);
  if (down.length > 0)
    return down.map((set) => ({ type: "scale", why: "the old pods go first", set, replicas: 0 }));
  if (old.some(({ status }) => (status?.replicas ?? 0) > 0)) return [];
  return resize({ name, current, replicas: spec.replicas ?? 1, why: "the old pods are gone" });
}

/** Scales up the new set as far as maxSurge allows. */
function grow({ spec }: Frozen<Deployment>, { name, current, old }: Generations): SetAction[] {
  const { replicas = 1 } = spec;
  const { maxSurge } = resolveRolloutBudget(spec.strategy?.rollingUpdate ?? {}, replicas);
  const others = sum(old, desiredOf);
  const room = Math.max(0, replicas + maxSurge - others);
  const has = current ? desiredOf(current) : 0;
  const next = has > replicas ? replicas : Math.max(has, Math.min(replicas, room));
  const why = others === 0 ? `${replicas} wanted` : `${others} old ones and at most ${maxSurge} more`;
  return resize({ name, current, replicas: next, why });
}

function resize(to: {
  readonly name: string;
  readonly current: Frozen<ReplicaSet> | undefined;
  readonly replicas: number;
  readonly why: string;
}): SetAction[] {
  const { name, current, replicas, why } = to;
  if (!current) return [{ type: "create", why, name, replicas }];
  return desiredOf(current) === replicas ? [] : [{ type: "scale", why, set: current, replicas }];
}

/** Scales down old sets: unavailable pods first, then as many available ones as allowed, the oldest set first. */
function shrink({ spec }: Frozen<Deployment>, { current, old }: Generations): SetAction[] {
  const { replicas = 1, revisionHistoryLimit = HISTORY_LIMIT } = spec;
  const { maxUnavailable } = resolveRolloutBudget(spec.strategy?.rollingUpdate ?? {}, replicas);
  const all = current ? [...old, current] : old;
  const least = replicas - maxUnavailable;
  const newUnavailable = current ? desiredOf(current) - availableOf(current) : 0;
  let removable = Math.max(0, sum(all, desiredOf) - least - newUnavailable);
  let spare = Math.max(0, sum(all, availableOf) - least);
  const actions: SetAction[] = [];
  for (const set of old) {
    const broken = Math.min(removable, Math.max(0, desiredOf(set) - availableOf(set)));
    const healthy = Math.min(removable - broken, spare, desiredOf(set) - broken);
    removable -= broken + healthy;
    spare -= healthy;
    if (broken + healthy === 0) continue;
    const why = `${least} must stay available, ${sum(all, availableOf)} are`;
    actions.push({ type: "scale", why, set, replicas: desiredOf(set) - broken - healthy });
  }
  const empty = old.filter((set) => desiredOf(set) === 0 && (set.status?.replicas ?? 0) === 0);
  const why = `only ${revisionHistoryLimit} old sets are kept`;
  const surplus = empty.slice(0, Math.max(0, empty.length - revisionHistoryLimit));
  return [...actions, ...surplus.map((set): SetAction => ({ type: "delete", why, set }))];
}

/** The status of a Deployment, for `kubectl rollout status`. */
export function deploymentStatus(
  deployment: Frozen<Deployment>,
  sets: readonly Frozen<ReplicaSet>[],
  nowMs: number,
): object {
  const { metadata, spec, status } = deployment;
  const { replicas: desired = 1 } = spec;
  const { maxUnavailable } = resolveRolloutBudget(spec.strategy?.rollingUpdate ?? {}, desired);
  const current = sets.filter((set) => set.metadata.name === currentSetName(deployment));
  const replicas = sum(sets, podsOf);
  const available = sum(sets, availableOf);
  const updated = sum(current, podsOf);
  const isDone = updated === desired && replicas === desired && available === desired;
  const isAvailable = available >= desired - maxUnavailable;
  const conditions: Omit<PodCondition, "lastTransitionTime">[] = [
    {
      type: "Available",
      status: isAvailable ? "True" : "False",
      reason: isAvailable ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
    },
    {
      type: "Progressing",
      status: "True",
      reason: isDone ? "NewReplicaSetAvailable" : "ReplicaSetUpdated",
    },
  ];
  return {
    observedGeneration: metadata.generation,
    replicas,
    updatedReplicas: updated,
    readyReplicas: sum(sets, (set) => set.status?.readyReplicas ?? 0),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, Math.max(desired, replicas) - available),
    conditions: withConditions(status?.conditions, conditions, nowMs),
  };
}

function desiredOf({ spec }: Frozen<ReplicaSet>): number {
  return spec.replicas ?? 1;
}

function podsOf({ status }: Frozen<ReplicaSet>): number {
  return status?.replicas ?? 0;
}

function availableOf({ status }: Frozen<ReplicaSet>): number {
  return status?.availableReplicas ?? 0;
}

function byAge(a: Frozen<ReplicaSet>, b: Frozen<ReplicaSet>): number {
  const age = (set: Frozen<ReplicaSet>): string =>
    `${set.metadata.creationTimestamp ?? ""} ${set.metadata.name}`;
  return age(a) < age(b) ? -1 : 1;
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
