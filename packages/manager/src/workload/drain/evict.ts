import { type Frozen, type Pod, selectorMatches, selectorOf } from "@capstan/api";
import { type Client, Failure, isConflict, isNotFound } from "@capstan/runtime";
import type { DrainRefusal } from "./decide.ts";
import { Eviction, PodDisruptionBudget } from "./kinds.ts";
import type { Refusals } from "./refusals.ts";

/** What came of evictions. Pods that it was not the turn of yet are in none of the lists. */
export interface Evictions {
  readonly evicted: readonly Frozen<Pod>[];
  /** Those that were not there any more. */
  readonly gone: readonly Frozen<Pod>[];
  readonly refused: readonly DrainRefusal[];
}

/** How pods are asked to go. */
export interface EvictionOptions {
  /** Where nobody is there to stop them, pods need no time for it. */
  readonly isUnreachable: boolean;
  /** Is told of each no with its time, also when the round fails for another pod. */
  readonly refusals: Refusals;
}

// A pass over one Node must not keep others waiting: more pods than a kubelet runs, but an end.
const MOST_AT_ONCE = 250;
// As many as make a full Node quick, and few enough for the server not to mind.
const SIDE_BY_SIDE = 10;
// What kubectl and Cluster API give pods that nobody stops.
const UNREACHABLE_GRACE_SECONDS = 1;

/** What of a client it takes. */
type Evictor = Pick<Client, "create" | "list">;

type Answer =
  | { readonly pod: Frozen<Pod>; readonly said: "evicted" | "gone" }
  | { readonly pod: Frozen<Pod>; readonly said: "no"; readonly failure: Failure };

/** Asks pods to go. A budget that says no is an answer; a server that does not answer is a failure. */
export async function evictPods(
  client: Evictor,
  pods: readonly Frozen<Pod>[],
  options: EvictionOptions,
): Promise<Evictions> {
  const answers: Answer[] = [];
  for (let next = 0; next < Math.min(pods.length, MOST_AT_ONCE); next += SIDE_BY_SIDE) {
    const some = pods.slice(next, next + SIDE_BY_SIDE);
    const asked = some.map((pod) => evict(client, pod, options));
    // Nobody asks again while an answer is still on its way: it may say when.
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
    // A pod of a StatefulSet may be elsewhere by now, under the same name.
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

// The last one is what Kubernetes says, without a reason, of a pod with more than one budget.
const ABOUT_POD: readonly string[] = ["TooManyRequests", "Forbidden", "InternalError", "HTTP500"];

/** No answer about the pod: the server cannot be reached, or is too busy to look at it. */
function isSilence({ reason, failure }: Failure): boolean {
  return failure !== "Terminal" && !ABOUT_POD.includes(reason);
}

/** Finds out which budgets kept pods; a server that is merely too busy says the same word. */
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
