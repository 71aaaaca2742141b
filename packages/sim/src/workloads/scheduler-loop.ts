import { deepEqual, type Frozen, Node } from "@capstan/api";
import type { Timer } from "@capstan/env";
import { keyOf } from "@capstan/runtime";
import { createLoop, type Loop, type LoopWorld } from "./loop.ts";
import { isReady } from "../readiness.ts";
import { hasEnded, isActive, withConditions } from "./pod-state.ts";
import { amountsOf, choose, Usage } from "./scheduler.ts";
import { Binding, WorkloadPod } from "./workload-kinds.ts";

const UNSCHEDULED = "unscheduled";
// Each waiting pod is compared with each node, so the changes of a second share one pass.
const GATHER_MS = 1_000;

/** Binds each pod without a node as soon as a node fits. */
export function followUnscheduled(world: LoopWorld): Loop {
  const { cache } = world;
  const pods = cache.informer(WorkloadPod);
  const usage = new Usage();
  pods.store.addIndex(UNSCHEDULED, (pod) => (isUnscheduled(pod) ? ["yes"] : []));
  // One pod at a time: each choice depends on the ones before it.
  const loop = createLoop(world, {
    name: "scheduler",
    concurrency: 1,
    look: (key) => place(world, usage, key),
  });
  const waiting = (): readonly Frozen<WorkloadPod>[] => pods.store.byIndex(UNSCHEDULED, "yes");
  let retry: Timer | undefined;
  const retryAll = (): void => {
    // Pods that arrive later are scheduled when they arrive.
    if (waiting().length === 0) return;
    retry ??= world.env.clock.timer(GATHER_MS, () => {
      retry = undefined;
      for (const pod of waiting()) loop.queue.add(keyOf(pod));
    });
  };
  pods.addHandler((change) => {
    const { object: pod } = change;
    const isGone = change.type === "deleted" || hasEnded(pod.status?.phase);
    if (isGone) {
      usage.release(uidOf(pod));
      retryAll();
      return;
    }
    const { nodeName = "" } = pod.spec ?? {};
    if (nodeName !== "") usage.place(uidOf(pod), nodeName, amountsOf(pod));
    else if (isUnscheduled(pod)) loop.queue.add(keyOf(pod));
  });
  cache.informer(Node).addHandler((change) => {
    if (change.type === "updated" && isSameOffer(change.previous, change.object)) return;
    if (change.type !== "deleted") retryAll();
  });
  return loop;
}

function isUnscheduled(pod: Frozen<WorkloadPod>): boolean {
  return (pod.spec?.nodeName ?? "") === "" && isActive(pod);
}

/** Nodes change often; only scheduling-relevant changes count. */
function isSameOffer(before: Frozen<Node>, after: Frozen<Node>): boolean {
  return (
    isReady(before) === isReady(after) &&
    deepEqual(before.spec, after.spec) &&
    deepEqual(before.metadata.labels, after.metadata.labels) &&
    deepEqual(before.status?.allocatable, after.status?.allocatable)
  );
}

async function place(world: LoopWorld, usage: Usage, key: string): Promise<undefined> {
  const { cache } = world;
  const pod = cache.informer(WorkloadPod).store.get(key);
  if (!pod || !isUnscheduled(pod) || usage.has(uidOf(pod))) return undefined;
  const { node, why } = choose(pod, cache.list(Node), (name) => usage.on(name));
  if (node === undefined) {
    await reportUnschedulable(world, pod, why);
    return undefined;
  }
  world.log.debug("Binding a pod", { pod: key, node, why });
  usage.place(uidOf(pod), node, amountsOf(pod));
  try {
    await bind(world, pod, node);
  } catch (error) {
    // If the binding was stored and only its answer was lost, the watch reports it, perhaps already.
    if (!cache.get(WorkloadPod, pod.metadata)?.spec?.nodeName) usage.release(uidOf(pod));
    throw error;
  }
  return undefined;
}

async function bind({ client }: LoopWorld, pod: Frozen<WorkloadPod>, node: string): Promise<void> {
  const { name, namespace = "" } = pod.metadata;
  const metadata = { name, namespace, uid: uidOf(pod) };
  const target = { apiVersion: "v1", kind: "Node", name: node };
  await client.create(Binding, { metadata, target }, { subresource: "binding" });
}

function uidOf({ metadata }: Frozen<WorkloadPod>): string {
  return metadata.uid ?? "";
}

async function reportUnschedulable(
  { client, env }: LoopWorld,
  pod: Frozen<WorkloadPod>,
  message: string,
): Promise<void> {
  const known = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (known?.message === message) return;
  const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message } as const;
  const conditions = withConditions(pod.status?.conditions, [condition], env.clock.now());
  const body = { metadata: { resourceVersion: pod.metadata.resourceVersion }, status: { conditions } };
  await client.patch(WorkloadPod, pod.metadata, { type: "merge", subresource: "status", body });
}
