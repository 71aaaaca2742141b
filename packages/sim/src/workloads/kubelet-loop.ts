import { type ContainerImage, type Frozen, Node } from "@capstan/api";
import { type Client, isConflict, isNotFound, keyOf } from "@capstan/runtime";
import { nextStep, type PodSettings, type PodStep } from "./kubelet-pods.ts";
import { createLoop, type Loop, type LoopWorld } from "./loop.ts";
import { isReady } from "../readiness.ts";
import { WorkloadPod } from "./workload-kinds.ts";

/** The options of all kubelets. */
interface KubeletWorld extends LoopWorld {
  readonly settings: PodSettings;
}

const BY_NODE = "node";
// Kubelets work in parallel; so many of them send requests at once.
const CONCURRENCY = 100;

/** Acts for the kubelets of all nodes on all pods. */
export function followPods(world: KubeletWorld): Loop {
  const { cache } = world;
  const pods = cache.informer(WorkloadPod);
  pods.store.addIndex(BY_NODE, ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []));
  const loop = createLoop(world, {
    name: "kubelets",
    concurrency: CONCURRENCY,
    look: (key) => attend(world, key),
  });
  pods.addHandler(({ type, object }) => {
    if (type !== "deleted" && object.spec?.nodeName) loop.queue.add(keyOf(object));
  });
  cache.informer(Node).addHandler((change) => {
    if (change.type === "updated" && isReady(change.previous) === isReady(change.object)) return;
    for (const pod of pods.store.byIndex(BY_NODE, change.object.metadata.name)) loop.queue.add(keyOf(pod));
  });
  return loop;
}

async function attend(world: KubeletWorld, key: string): Promise<number | undefined> {
  const { cache, env, log, settings } = world;
  const pod = cache.informer(WorkloadPod).store.get(key);
  if (!pod) return undefined;
  const node = cache.get(Node, { name: pod.spec?.nodeName ?? "" });
  const step = nextStep({ pod, node, nowMs: env.clock.now(), settings });
  if (step.type === "wait") return step.afterMs;
  log.debug(`Pod: ${step.type}`, { pod: key, why: step.why });
  await carryOut(world, { pod, node, step });
  return undefined;
}

interface Attended {
  readonly pod: Frozen<WorkloadPod>;
  readonly node: Frozen<Node> | undefined;
  readonly step: Exclude<PodStep, { type: "wait" }>;
}

async function carryOut(world: KubeletWorld, { pod, node, step }: Attended): Promise<void> {
  const { client } = world;
  if (step.type === "remove") return await forceDelete(client, pod);
  if (step.type === "evict")
    return await client.delete(WorkloadPod, pod.metadata, { uid: pod.metadata.uid ?? "" });
  if (node && step.pulled && step.pulled.length > 0) await keepImages(world, node, step.pulled);
  const body = { metadata: { resourceVersion: pod.metadata.resourceVersion }, status: step.status };
  await client.patch(WorkloadPod, pod.metadata, { type: "merge", subresource: "status", body });
}

/** Records pulled images on the node. */
async function keepImages(
  { client }: KubeletWorld,
  { metadata, status }: Frozen<Node>,
  pulled: readonly ContainerImage[],
): Promise<void> {
  const { resourceVersion } = metadata;
  const body = { metadata: { resourceVersion }, status: { images: [...(status?.images ?? []), ...pulled] } };
  await client.patch(Node, metadata, { type: "merge", subresource: "status", body });
}

/** Deletes a pod from the API without a grace period. */
async function forceDelete(client: Client, { metadata }: Frozen<WorkloadPod>): Promise<void> {
  try {
    await client.delete(WorkloadPod, metadata, { uid: metadata.uid ?? "", gracePeriodSeconds: 0 });
  } catch (error) {
    // The pod is gone, or another pod has its name: both mean that this one no longer exists.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
