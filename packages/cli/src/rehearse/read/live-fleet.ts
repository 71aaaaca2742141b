import {
  Cluster,
  CustomResourceDefinition,
  customKinds,
  type Frozen,
  type KubernetesObject,
  parseYaml,
  Secret,
} from "@capstan/api";
import type { Env } from "@capstan/env";
import { type Client, connectWithKubeconfig, createClient, isNotServed } from "@capstan/runtime";
import { boundedTransport } from "../../cluster/bounded-transport.ts";
import { CommandError } from "../../command-error.ts";
import type { GivenObject } from "../../plan/read/read-objects.ts";
import { PodDisruptionBudget } from "@capstan/apiserver";
import { kindFor } from "@capstan/sim";
import { fieldOf } from "./owned-objects.ts";

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
  const definitions = await client.list(CustomResourceDefinition);
  const names = new Set(customKinds.map(({ plural, group }) => `${plural}.${group}`));
  const ours = definitions.filter(({ metadata }) => names.has(metadata.name));
  return [...objects, ...asGiven(CustomResourceDefinition, ours)];
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

const OWN_LOGINS = new Set(["client-certificate-data", "client-key-data", "token"]);

/** A kubeconfig in a Secret was written by others: it may neither start programs here nor name files of this machine. */
function refuseOtherLogins(text: string, origin: string): void {
  const kubeconfig: unknown = parseYaml(text);
  const users = fieldOf(kubeconfig, "users");
  const clusters = fieldOf(kubeconfig, "clusters");
  const logins = Array.isArray(users) ? users.flatMap((one) => Object.keys(fieldOf(one, "user") ?? {})) : [];
  const places = Array.isArray(clusters)
    ? clusters.flatMap((one) => Object.keys(fieldOf(one, "cluster") ?? {}))
    : [];
  const field =
    logins.find((key) => !OWN_LOGINS.has(key)) ?? places.find((key) => key === "certificate-authority");
  if (field === undefined) return;
  throw new CommandError(
    `${origin} logs in with ${JSON.stringify(field)}; only certificates and tokens in the Secret itself are used: give --workload NAME=FILE instead`,
  );
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
  management: Client,
  { namespace, cluster }: WorkloadAccess,
  env: Env,
): Promise<readonly GivenObject[]> {
  const name = `${cluster}-kubeconfig`;
  const secret = await management.find(Secret, { namespace, name });
  const text = Buffer.from(secret?.data?.["value"] ?? "", "base64").toString();
  if (text === "")
    throw new CommandError(
      `Secret ${namespace}/${name} has no kubeconfig; give --workload ${cluster}=FILE instead`,
    );
  const origin = `Secret ${namespace}/${name}`;
  refuseOtherLogins(text, origin);
  const transport = boundedTransport(env, await connectWithKubeconfig({ text, origin }), origin);
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
