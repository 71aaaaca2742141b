import {
  CLUSTER_NAME_LABEL,
  ConfigMap,
  type Frozen,
  isJsonObject,
  Machine,
  ownerReferenceTo,
} from "@capstan/api";
import { isAlreadyExists, waiting } from "@capstan/runtime";
import type { Scope } from "./scope.ts";

const KEY = "lock-information";
const RETRY_MS = 30_000;

/**
 * Takes Cluster API's lock of `kubeadm init` for the machine of this config: two machines that both run init would start
 * two clusters. A lock whose machine is gone is taken over.
 */
export async function takeInitLock(scope: Scope): Promise<void> {
  const { context, cluster, machineName } = scope;
  const { name: clusterName, namespace } = cluster.metadata;
  const name = `${clusterName}-lock`;
  const data = { [KEY]: JSON.stringify({ machineName }) };
  const known = await context.client.find(ConfigMap, { name, namespace });
  if (known) {
    const holder = holderOf(known);
    if (holder === machineName) return;
    if (await exists(scope, holder)) throw held(clusterName, holder);
    const { resourceVersion } = known.metadata;
    const body = { metadata: { resourceVersion }, data };
    await context.client.patch(ConfigMap, { name, namespace }, { type: "merge", body });
    return;
  }
  try {
    await context.client.create(ConfigMap, {
      metadata: {
        name,
        namespace: namespace ?? "",
        labels: { [CLUSTER_NAME_LABEL]: clusterName },
        ownerReferences: [ownerReferenceTo(cluster)],
      },
      data,
    });
  } catch (error) {
    if (isAlreadyExists(error)) throw held(clusterName, "another machine");
    throw error;
  }
}

async function exists({ context, cluster }: Scope, machine: string): Promise<boolean> {
  const { namespace } = cluster.metadata;
  return machine !== "" && (await context.client.find(Machine, { name: machine, namespace })) !== undefined;
}

/** The machine that holds a lock; empty when the lock cannot be read, so that it is taken over. */
function holderOf({ data }: Frozen<ConfigMap>): string {
  try {
    const value: unknown = JSON.parse(data?.[KEY] ?? "");
    return isJsonObject(value) && typeof value["machineName"] === "string" ? value["machineName"] : "";
  } catch {
    return "";
  }
}

function held(clusterName: string, holder: string): Error {
  const message = `Machine ${holder} initializes the control plane of Cluster ${clusterName}; this machine waits until it has`;
  return waiting("WaitingForControlPlaneAvailable", message, RETRY_MS);
}
