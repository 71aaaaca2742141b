import { type Frozen, type Pod, selectorMatches, selectorOf } from "@capstan/api";
import { type Client, Failure, isConflict, isNotFound } from "@capstan/runtime";
import type { DrainRefusal } from "./decide.ts";
import { Eviction, PodDisruptionBudget } from "./kinds.ts";
import type { Refusals } from "./refusals.ts";

/** The results of evictions. Pods that were not tried yet are in none of the lists. */
export interface Evictions {
  readonly evicted: readonly Frozen<Pod>[];
  /** The pods that no longer existed. */
  readonly gone: readonly Frozen<Pod>[];
  readonly refused: readonly DrainRefusal[];
}

export interface EvictionOptions {
  /** Pods on an unreachable Node get no grace period, because no kubelet stops them. */
  readonly isUnreachable: boolean;
  /** Records each refusal with its Retry-After, also when the round fails for another pod. */
  readonly refusals: Refusals;
}

// A pass over one Node must not block others for long; this is more than a kubelet runs.
const MOST_AT_ONCE = 250;
// Enough to drain a full Node quickly, and few enough not to burden the server.
const SIDE_BY_SIDE = 10;
// The grace period that kubectl and Cluster API use for pods that no kubelet stops.
const UNREACHABLE_GRACE_SECONDS = 1;

type Evictor = Pick<Client, "create" | "list">;

type Answer =
  | { readonly pod: Frozen<Pod>; readonly said: "evicted" | "gone" }
  | { readonly pod: Frozen<Pod>; readonly said: "no"; readonly failure: Failure };

/** Evicts pods. A refusal by a budget is an answer; a server that does not answer is a failure. */
export async function evictPods(
  client: Evictor,
  pods: readonly Frozen<Pod>[],
  options: EvictionOptions,
): Promise<Evictions> {
  const answers: Answer[] = [];
  for (let next = 0; next < Math.min(pods.length, MOST_AT_ONCE); next += SIDE_BY_SIDE) {
    const some = pods.slice(next, next + SIDE_BY_SIDE);
    const asked = some.map((pod) => evict(client, pod, options));
    // Waits for all answers, because each may contain a Retry-After.
    await Promise.allSettled(asked);
    answers.push(...(await Promise.all(asked)));
  }
  const those = (word: Answer["said"]): readonly Frozen<Pod>[] =>
    answers.filter(({ said }) => said === word).map(({ pod }) => pod);
  return {
    evicted: those("evicted"),
    gone: those("gone"),
    refused: await explain(client, answers),
  };
}

async function evict(client: Evictor, pod: Frozen<Pod>, options: EvictionOptions): Promise<Answer> {
  const { isUnreachable, refusals } = options;
  const { name, namespace = "", uid } = pod.metadata;
  const deleteOptions = {
    ...(isUnreachable && { gracePeriodSeconds: UNREACHABLE_GRACE_SECONDS }),
    // A pod of a StatefulSet may run elsewhere by now under the same name.
    ...(uid !== undefined && { preconditions: { uid } }),
  };
  const metadata = { name, namespace };
  try {
    await client.create(Eviction, { metadata, deleteOptions }, { subresource: "eviction" });
    return { pod, said: "evicted" };
  } catch (failure) {
    if (isNotFound(failure) || isConflict(failure)) return { pod, said: "gone" };
    if (!(failure instanceof Failure)) throw failure;
    const { message, retryAfterMs } = failure;
    refusals.note({ pod, why: message, ...(retryAfterMs !== undefined && { retryAfterMs }) });
    if (isSilence(failure)) throw failure;
    return { pod, said: "no", failure };
  }
}

// Kubernetes answers HTTP 500 without a reason for a pod with more than one budget.
const ABOUT_POD: readonly string[] = ["TooManyRequests", "Forbidden", "InternalError", "HTTP500"];

/** Whether the error is not about the pod: the server is unreachable or overloaded. */
function isSilence({ reason, failure }: Failure): boolean {
  return failure !== "Terminal" && !ABOUT_POD.includes(reason);
}

/** Finds the budgets that refused; an overloaded server answers with the same status. */
async function explain(client: Evictor, answers: readonly Answer[]): Promise<readonly DrainRefusal[]> {
  const refused: DrainRefusal[] = [];
  const budgets = new Map<string, readonly Frozen<PodDisruptionBudget>[]>();
  for (const answer of answers) {
    if (answer.said !== "no") continue;
    const { pod, failure } = answer;
    const { retryAfterMs } = failure;
    const { namespace = "" } = pod.metadata;
    if (!budgets.has(namespace))
      budgets.set(namespace, await client.list(PodDisruptionBudget, { namespace }));
    const names = (budgets.get(namespace) ?? []).filter((budget) => covers(budget, pod)).map(nameOf);
    if (names.length === 0 && failure.reason === "TooManyRequests") throw failure;
    const why = whyRefused(names, failure);
    refused.push({ pod, why, ...(retryAfterMs !== undefined && { retryAfterMs }) });
  }
  return refused;
}

function covers({ spec }: Frozen<PodDisruptionBudget>, { metadata }: Frozen<Pod>): boolean {
  return spec?.selector !== undefined && selectorMatches(selectorOf(spec.selector), metadata.labels ?? {});
}

function nameOf({ metadata: { namespace = "", name } }: Frozen<PodDisruptionBudget>): string {
  return `${namespace}/${name}`;
}

function whyRefused(budgets: readonly string[], { reason, message }: Failure): string {
  const [budget] = budgets;
  if (budgets.length > 1)
    return `it has more than one PodDisruptionBudget (${budgets.join(", ")}), and the server refuses evictions then`;
  return budget !== undefined && reason === "TooManyRequests"
    ? `PodDisruptionBudget ${budget} allows no disruption now`
    : message;
}
