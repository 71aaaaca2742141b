import { deepCopy, formatTimestamp, type Frozen, type Pod } from "@capstan/api";
import { readDeleteOptions } from "../http/delete-options.ts";
import { ApiError, badRequest, conflict, notFound } from "../http/status.ts";
import type { Context } from "../registry/context.ts";
import { type DeleteOptions, remove } from "../registry/delete.ts";
import { keyOf, tableOf } from "../registry/registry.ts";
import { update } from "../registry/update.ts";
import { type Draft, StaleWriteError, type StoredObject } from "../storage/storage.ts";
import { type Call, success } from "./call.ts";
import { hasEnded, isAbout, isReady, PodDisruptionBudget } from "./disruption-budget.ts";

const ATTEMPTS = 5;
const BUDGETS = tableOf(PodDisruptionBudget);

/** Evicts a pod: deletes it unless a disruption budget forbids it for now. */
export async function evict(context: Context, call: Call): Promise<unknown> {
  const { target, body, options } = call;
  const { metadata, deleteOptions } = body as { metadata?: { name?: string }; deleteOptions?: object };
  if ((metadata?.name ?? "") !== target.name)
    throw badRequest("name in URL does not match name in Eviction object");
  const asked = readDeleteOptions(deleteOptions ?? {});
  const wanted = { ...asked, dryRun: asked.dryRun || options.dryRun, user: options.user };
  for (let attempt = 1; ; attempt++) {
    try {
      await attemptEviction(context, call, wanted);
      return success(201);
    } catch (error) {
      if (!(error instanceof StaleWriteError) || attempt === ATTEMPTS) throw settled(error, call);
    }
  }
}

function settled(error: unknown, { target }: Call): unknown {
  if (!(error instanceof StaleWriteError)) return error;
  return conflict(target.resource.kind, target.name, "too many changes at the same time");
}

async function attemptEviction(context: Context, { target }: Call, options: DeleteOptions): Promise<void> {
  const { resource, namespace, name } = target;
  const stored = context.storage.get(keyOf(resource, namespace, name));
  if (!stored) throw notFound(resource.kind, name);
  const pod = stored as Frozen<Pod>;
  if (!isDisrupted(pod)) return await deletePod(context, target, { pod, options });
  const budget = budgetOf(context, pod);
  if (budget && !isBeyondBudget(budget, pod)) await spend(context, { budget, name, dryRun: options.dryRun });
  await deletePod(context, target, { pod, options });
}

/** A pod that has not started, has ended, or is being deleted already is not disrupted by its deletion. */
function isDisrupted(pod: Frozen<Pod>): boolean {
  return pod.status?.phase !== "Pending" && !hasEnded(pod) && pod.metadata.deletionTimestamp === undefined;
}

function budgetOf({ storage }: Context, pod: Frozen<Pod>): Frozen<PodDisruptionBudget> | undefined {
  const { namespace = "" } = pod.metadata;
  const all = [...storage.list({ resource: BUDGETS, namespace })] as Frozen<PodDisruptionBudget>[];
  const budgets = all.filter((budget) => isAbout(budget, pod));
  if (budgets.length > 1) {
    const message =
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    throw new ApiError({ code: 500, message });
  }
  return budgets[0];
}

/**
 * A pod that is not ready does not count as healthy, so it may be evicted if enough others are, or always if the budget
 * says so.
 */
function isBeyondBudget({ spec, status }: Frozen<PodDisruptionBudget>, pod: Frozen<Pod>): boolean {
  if (isReady(pod)) return false;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return (
    spec?.unhealthyPodEvictionPolicy === "AlwaysAllow" ||
    (currentHealthy >= desiredHealthy && desiredHealthy > 0)
  );
}

interface Spending {
  readonly budget: Frozen<PodDisruptionBudget>;
  readonly name: string;
  readonly dryRun: boolean;
}

/**
 * Takes one disruption off the budget before the pod is deleted, so that two evictions cannot both use the last one.
 */
async function spend({ storage, env }: Context, { budget, name, dryRun }: Spending): Promise<void> {
  const refused = refusal(budget);
  if (refused) throw refused;
  if (dryRun || !budget.status) return;
  const draft = deepCopy(budget) as unknown as Draft & PodDisruptionBudget;
  const { disruptionsAllowed, disruptedPods } = budget.status;
  draft.status = {
    ...deepCopy(budget.status),
    disruptionsAllowed: disruptionsAllowed - 1,
    disruptedPods: { ...disruptedPods, [name]: formatTimestamp(env.clock.now()) },
  } as NonNullable<PodDisruptionBudget["status"]>;
  const { namespace = "", name: budgetName } = budget.metadata;
  const key = { resource: BUDGETS, namespace, name: budgetName };
  await storage.replace(key, budget, draft);
}

const UNKNOWN = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };

function refusal({ metadata, status = UNKNOWN }: Frozen<PodDisruptionBudget>): ApiError | undefined {
  const { name, generation = 0 } = metadata;
  const { observedGeneration = 0, disruptionsAllowed, currentHealthy, desiredHealthy } = status;
  if (observedGeneration < generation)
    return tooMany(`The disruption budget ${name} is still being processed by the server.`, 10);
  if (disruptionsAllowed > 0) return undefined;
  return tooMany(
    currentHealthy <= desiredHealthy
      ? `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`
      : `The disruption budget ${name} does not allow evicting pods currently`,
  );
}

function tooMany(why: string, retryAfterSeconds?: number): ApiError {
  return new ApiError({
    code: 429,
    reason: "TooManyRequests",
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: {
      causes: [{ reason: "DisruptionBudget", message: why }],
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    },
  });
}

/** Sets the condition of the eviction on the pod, and deletes it. */
async function deletePod(
  context: Context,
  target: Call["target"],
  { pod, options }: { readonly pod: Frozen<Pod>; readonly options: DeleteOptions },
): Promise<void> {
  const named = { ...target, subresource: "" };
  const { dryRun, user } = options;
  const now = formatTimestamp(context.env.clock.now());
  if (!dryRun) {
    const produce = (old: StoredObject): unknown => {
      if (old.metadata.uid !== pod.metadata.uid) throw notFound(target.resource.kind, target.name);
      return withEvictionCondition(old, now);
    };
    await update(
      context,
      { ...target, subresource: "status" },
      { produce, source: "patch", options: { dryRun, user, fieldValidation: "Ignore" } },
    );
  }
  await remove(context, named, options);
}

function withEvictionCondition(old: StoredObject, now: string): Draft {
  const pod = deepCopy(old) as unknown as Draft & Pod;
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== "DisruptionTarget");
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    lastTransitionTime: now,
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
  } as const;
  pod.status = { ...pod.status, conditions: [...others, condition] };
  return pod;
}
