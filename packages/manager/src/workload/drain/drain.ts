import { type Frozen, type MachineDrainRule, Namespace, type Node, Pod } from "@capstan/api";
import type { Client } from "@capstan/runtime";
import { isNodeUnreachable } from "../availability.ts";
import {
  daemonSetOf,
  type DrainLimit,
  type DrainVerdict,
  type DrainView,
  judgeDrain,
  type JudgedPod,
  planPods,
  type PodPlan,
} from "./decide.ts";
import { needsNamespaces } from "./drain-rules.ts";
import { evictPods } from "./evict.ts";
import { DaemonSet } from "./kinds.ts";
import type { Refusals } from "./refusals.ts";

/** One pass over a Node that is being drained. */
export interface DrainRound {
  readonly node: Frozen<Node>;
  readonly limit: DrainLimit | undefined;
  readonly nowMs: number;
  readonly rules: readonly Frozen<MachineDrainRule>[];
  /** The refusals of earlier passes. */
  readonly refusals: Refusals;
}

export interface DrainResult {
  readonly verdict: DrainVerdict;
  /** The pods that may stay. */
  readonly staying: readonly JudgedPod[];
}

/** Lists the pods of a Node once, evicts those that must go, and returns the progress. It never sleeps. */
export async function drainRound(client: Client, round: DrainRound): Promise<DrainResult> {
  const { node, limit, nowMs, refusals, rules } = round;
  const pods = await client.list(Pod, { fieldSelector: `spec.nodeName=${node.metadata.name}` });
  const seen = { node, pods, nowMs, rules, namespaces: await namespacesFor(client, rules) };
  const plan = await withOrphans(client, seen);
  const isLate = limit !== undefined && nowMs >= limit.startedMs + limit.timeoutMs;
  const { due, held } = refusals.sort(plan.evict.map(({ pod }) => pod));
  // After the timeout no pod is evicted any more: the rest is deleted with the machine.
  const evictions = isLate
    ? { evicted: [], gone: [], refused: [] }
    : await evictPods(client, due, { isUnreachable: isNodeUnreachable(node), refusals });
  const refused = isLate ? [] : [...evictions.refused, ...held];
  return { verdict: judgeDrain(node, { plan, ...evictions, refused, limit, nowMs }), staying: plan.skip };
}

/** Pods of DaemonSets that no longer exist are evicted last: which ones exist costs a list, and most Nodes have no such pod. */
async function withOrphans(client: Client, seen: DrainView): Promise<PodPlan> {
  const plan = planPods(seen);
  const isEmpty = [plan.evict, plan.wait, plan.later].every((pods) => pods.length === 0);
  if (!isEmpty || !plan.skip.some(({ pod }) => daemonSetOf(pod) !== undefined)) return plan;
  const daemonSets = await client.list(DaemonSet);
  return planPods({ ...seen, daemonSets: new Set(daemonSets.map(({ metadata }) => metadata.uid ?? "")) });
}

async function namespacesFor(
  client: Client,
  rules: DrainRound["rules"],
): Promise<ReadonlyMap<string, Readonly<Record<string, string>> | undefined>> {
  if (!needsNamespaces(rules)) return new Map();
  const namespaces = await client.list(Namespace);
  return new Map(namespaces.map(({ metadata: { name, labels } }) => [name, labels]));
}
