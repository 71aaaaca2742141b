import {
  Cluster,
  CustomResourceDefinition,
  customKinds,
  Event,
  type Frozen,
  type KubernetesObject,
} from "@capstan/api";
import type { Env } from "@capstan/env";
import { type Client, createClient, Failure, isNotServed } from "@capstan/runtime";
import { boundedTransport } from "../../cluster/bounded-transport.ts";
import { connectToWorkload, type WorkloadCluster } from "../../cluster/workload-connection.ts";
import type { GivenObject } from "../../plan/read/read-objects.ts";
import { PodDisruptionBudget } from "@capstan/apiserver";
import { kindFor } from "@capstan/sim";

/** Reads a fleet from its management cluster, with lists alone. No Secret is read. */
export async function liveFleet(client: Client): Promise<readonly GivenObject[]> {
  const objects: GivenObject[] = [];
  for (const kind of customKinds) {
    try {
      objects.push(...asGiven(kind, await client.list(kind)));
    } catch (error) {
      if (!isNotServed(error)) throw error;
    }
  }
  objects.push(...(await eventsOf(client)));
  const definitions = await client.list(CustomResourceDefinition);
  const names = new Set(customKinds.map(({ plural, group }) => `${plural}.${group}`));
  const ours = definitions.filter(({ metadata }) => names.has(metadata.name));
  return [...objects, ...asGiven(CustomResourceDefinition, ours)];
}

/** Events say how long drains and deletions took. A user who may not read them can still rehearse. */
async function eventsOf(client: Client): Promise<readonly GivenObject[]> {
  try {
    return asGiven(Event, await client.list(Event));
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}

/** Lists have no kinds in their items. */
function asGiven(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  objects: readonly Frozen<KubernetesObject>[],
): readonly GivenObject[] {
  return objects.map((object) => ({ ...object, apiVersion, kind }));
}

/** The workload cluster of a Cluster, as its kubeconfig Secret leads to it. */
export interface WorkloadAccess {
  readonly namespace: string;
  readonly cluster: string;
}

/** Clusters whose pods can be read, by their kubeconfig Secrets. */
export function workloadsOf(objects: readonly GivenObject[]): readonly WorkloadAccess[] {
  return objects
    .filter(({ kind }) => kind === Cluster.kind)
    .map(({ metadata: { name, namespace = "default" } }) => ({ namespace, cluster: name }));
}

const KINDS = [
  ["apps/v1", "Deployment"],
  ["apps/v1", "StatefulSet"],
  ["apps/v1", "DaemonSet"],
  ["apps/v1", "ReplicaSet"],
  ["v1", "Pod"],
] as const;

/** Reads owners of pods, pods and disruption budgets of a workload cluster, with lists alone. */
export async function liveWorkload(
  management: Pick<WorkloadCluster, "client" | "home">,
  { namespace, cluster }: WorkloadAccess,
  env: Env,
): Promise<readonly GivenObject[]> {
  const connection = await connectToWorkload({ ...management, name: cluster, namespace });
  const transport = boundedTransport(env, connection, `Secret ${namespace}/${cluster}-kubeconfig`);
  try {
    const client = createClient({ transport, env, fieldManager: "capstan-cli" });
    const objects: GivenObject[] = [];
    for (const [apiVersion, kindName] of KINDS) {
      const kind = kindFor({ apiVersion, kind: kindName, metadata: { name: "" } });
      if (kind) objects.push(...asGiven(kind, await client.list(kind)));
    }
    return [...objects, ...asGiven(PodDisruptionBudget, await client.list(PodDisruptionBudget))];
  } finally {
    await transport.close();
  }
}
