import {
  controllerOf,
  deepCopy,
  deepEqual,
  formatTimestamp,
  type Frozen,
  type KubernetesObject,
  Pod,
} from "@capstan/api";
import {
  budgetStatus,
  isAbout,
  PodDisruptionBudget,
  type PodDisruptionBudget as Budget,
} from "../built-in/disruption-budget.ts";
import type { Context } from "../registry/context.ts";
import { keyOf, tableOf } from "../registry/registry.ts";
import { type Draft, StaleWriteError, type StoredObject } from "../storage/storage.ts";
import { createWorker } from "./worker.ts";

const BUDGETS = tableOf(PodDisruptionBudget);
const PODS = tableOf(Pod);
// The owners of pods; when one of these changes, the desired number of pods may change.
const OWNERS: ReadonlySet<string> = new Set(["apps/deployments", "apps/replicasets", "apps/statefulsets"]);

/** Keeps the status of disruption budgets up to date. */
export function startDisruption(context: Context): () => void {
  const { env, storage } = context;
  const worker = createWorker(env, (namespace) => review(context, namespace));
  const unfollow = storage.follow((resource, { namespace }) => {
    const isRelevant = resource === BUDGETS || resource === PODS || OWNERS.has(resource);
    if (isRelevant && storage.count({ resource: BUDGETS, namespace }) > 0) worker.add(namespace);
  });
  for (const { metadata } of storage.list({ resource: BUDGETS })) worker.add(metadata.namespace ?? "");
  return () => {
    unfollow();
    worker.stop();
  };
}

/** Updates all budgets of a namespace at once, so that it reads the pods a single time for any number of changes. */
async function review(context: Context, namespace: string): Promise<void> {
  const { storage, env } = context;
  const pods = [...storage.list({ resource: PODS, namespace })] as Frozen<Pod>[];
  for (const stored of Array.from(storage.list({ resource: BUDGETS, namespace }))) {
    const budget = stored as Frozen<Budget>;
    const nowMs = env.clock.now();
    const status = budgetStatus(budget, {
      pods: pods.filter((pod) => isAbout(budget, pod)),
      replicasOf: (pod) => replicasOf(context, pod),
      nowMs,
      now: formatTimestamp(nowMs),
    });
    if (deepEqual(budget.status, status)) continue;
    const key = { resource: BUDGETS, namespace, name: budget.metadata.name };
    const draft = { ...deepCopy(stored), status } as unknown as Draft;
    await storage.replace(key, stored, draft).catch((error: unknown) => {
      // Another client has changed the budget meanwhile, and that change enqueues this namespace again.
      if (!(error instanceof StaleWriteError)) throw error;
    });
  }
}

/** The desired replicas of the topmost known controller of a pod: those of the Deployment for its ReplicaSets. */
function replicasOf(context: Context, pod: Frozen<Pod>): number | undefined {
  const owner = controllerObject(context, pod);
  if (!owner) return undefined;
  const above = controllerObject(context, owner) ?? owner;
  const { replicas } = (above["spec"] ?? {}) as { replicas?: number };
  return replicas;
}

function controllerObject(
  { registry, storage }: Context,
  object: Frozen<KubernetesObject>,
): StoredObject | undefined {
  const reference = controllerOf(object);
  const resource = reference && registry.ofKind(reference.apiVersion, reference.kind);
  const owner = resource && storage.get(keyOf(resource, object.metadata.namespace ?? "", reference.name));
  return owner?.metadata.uid === reference?.uid ? owner : undefined;
}
