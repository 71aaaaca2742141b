import { type ContainerImage, type Frozen, Node } from "@capstan/api";
import { type Client, isConflict, isNotFound, keyOf } from "@capstan/runtime";
import { nextStep, type PodSettings, type PodStep } from "./kubelet-pods.ts";
import { createLoop, type Loop, type LoopWorld } from "./loop.ts";
import { isReady } from "../readiness.ts";
import { WorkloadPod } from "./workload-kinds.ts";

/** What the kubelets of all nodes share. */
interface KubeletWorld extends LoopWorld {
  readonly settings: PodSettings;
}

const BY_NODE = "node";
// Kubelets do not wait for each other; so many of them talk to the server at once.
const CONCURRENCY = 100;

/** Does to all pods of all nodes what their kubelets would. */
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

/** What was pulled is on the node from now on. */
async function keepImages(
  { client }: KubeletWorld,
  { metadata, status }: Frozen<Node>,
  pulled: readonly ContainerImage[],
): Promise<void> {
  const { resourceVersion } = metadata;
  const body = { metadata: { resourceVersion }, status: { images: [...(status?.images ?? []), ...pulled] } };
  await client.patch(Node, metadata, { type: "merge", subresource: "status", body });
}

/** Takes a pod out of the API at once. */
async function forceDelete(client: Client, { metadata }: Frozen<WorkloadPod>): Promise<void> {
  try {
    await client.delete(WorkloadPod, metadata, { uid: metadata.uid ?? "", gracePeriodSeconds: 0 });
  } catch (error) {
    // Gone, or another pod of that name: both mean that this one is not there any more.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
