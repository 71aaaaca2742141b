import { builtInKind, type Frozen, Node, Pod } from "@capstan/api";
import { type Client, Failure, isNotFound } from "@capstan/runtime";
import type { World } from "../world/world.ts";
import { StepError } from "./step-error.ts";

// An Eviction is posted to a pod of the core group, but belongs to another group.
const Eviction = {
  ...builtInKind({ group: "", version: "v1", kind: "Eviction", plural: "pods", namespaced: true }),
  apiVersion: "policy/v1",
};

// As kubectl drain: an eviction that a budget refuses is retried after five seconds.
const PAUSE_MS = 5_000;

/** Cordons or uncordons a node. */
export async function setUnschedulable(
  world: World,
  client: Client,
  change: { name: string; is: boolean },
): Promise<void> {
  const body = { spec: { unschedulable: change.is ? true : null } };
  await world.run(client.patch(Node, { name: change.name }, { type: "merge", body }));
}

/** Cordons a node and evicts its pods as kubectl does; fails when pods are left after the time limit. */
export async function drain(
  world: World,
  client: Client,
  { name, withinMs }: { readonly name: string; readonly withinMs: number },
): Promise<void> {
  await setUnschedulable(world, client, { name, is: true });
  const untilMs = world.scheduler.monotonicMs + withinMs;
  for (;;) {
    const pods = await world.run(podsToMove(client, name));
    if (pods.length === 0) return;
    if (world.scheduler.monotonicMs >= untilMs) {
      const left = pods.map(({ metadata }) => metadata.name).join(", ");
      throw new StepError(`node ${name} still has pods after ${withinMs / 60_000} minutes: ${left}`);
    }
    for (const pod of pods) {
      if (pod.metadata.deletionTimestamp === undefined) await world.run(evict(client, pod));
    }
    await world.advance(PAUSE_MS);
  }
}

/** The pods of a node that their controllers recreate elsewhere: all but those of DaemonSets. */
async function podsToMove(client: Client, nodeName: string): Promise<readonly Frozen<Pod>[]> {
  const pods = await client.list(Pod, { fieldSelector: `spec.nodeName=${nodeName}` });
  return pods.filter(({ metadata }) => !metadata.ownerReferences?.some(({ kind }) => kind === "DaemonSet"));
}

/** A budget that refuses an eviction may allow it later. */
async function evict(client: Client, { metadata: { name, namespace } }: Frozen<Pod>): Promise<void> {
  try {
    await client.create(
      Eviction,
      { metadata: { name, namespace: namespace ?? "" } },
      { subresource: "eviction" },
    );
  } catch (error) {
    const isRefused = error instanceof Failure && error.reason === "TooManyRequests";
    if (!isRefused && !isNotFound(error)) throw error;
  }
}
