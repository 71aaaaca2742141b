import { Secret } from "@capstan/api";
import { kubeconfigPath } from "@capstan/apiserver/layout";
import { readIfThere } from "@capstan/apiserver/private-file";
import type { Transport } from "@capstan/env";
import { connectToCluster, readKubeconfig } from "@capstan/manager";
import type { Client } from "@capstan/runtime";
import { logicalName } from "@capstan/sim";

/** A workload cluster, and how its management cluster is reached. */
export interface WorkloadCluster {
  readonly name: string;
  readonly namespace: string;
  /** A client of the management cluster. */
  readonly client: Client;
  /** The data directory of `capstan up`, if the management cluster is one of its own. */
  readonly home: string | undefined;
}

/**
 * Connects to a workload cluster as its kubeconfig Secret says. The host names of simulated load balancers exist for simulated
 * machines alone: such a cluster is reached as `capstan get kubeconfig` says.
 */
export async function connectToWorkload({
  name,
  namespace,
  client,
  home,
}: WorkloadCluster): Promise<Transport> {
  const simulated =
    home === undefined ? undefined : readIfThere(kubeconfigPath(home, logicalName({ name, namespace })));
  if (simulated !== undefined) return connectToCluster(readKubeconfig(simulated, `kubeconfig of ${name}`));
  const secret = await client.get(Secret, { name: `${name}-kubeconfig`, namespace });
  const text = Buffer.from(secret.data?.["value"] ?? "", "base64").toString();
  return connectToCluster(readKubeconfig(text, `Secret ${secret.metadata.name}`));
}
