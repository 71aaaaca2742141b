import { Cluster, CLUSTER_NAME_LABEL, CustomResourceDefinition, Node } from "@capstan/api";
import { type Client, Failure } from "@capstan/runtime";
import { CommandError } from "../command-error.ts";

/**
 * Refuses a workload cluster: its kubeconfig is often the current one, and a manager in it would manage nothing. Cluster
 * API writes the name of the cluster to its Nodes. A cluster that manages itself has the kinds of Cluster API, too.
 */
export async function refuseWorkloadCluster(client: Client, advice: string): Promise<void> {
  const cluster = await clusterOfNodes(client);
  if (cluster === undefined || (await hasClusterKind(client))) return;
  throw new CommandError(
    `this is workload cluster ${cluster}, as its Nodes say, not a management cluster; choose the management cluster with --kubeconfig or --context${advice}`,
  );
}

/** The cluster that Cluster API names in an annotation of Nodes; undefined without it, or if the user may not list Nodes. */
async function clusterOfNodes(client: Client): Promise<string | undefined> {
  try {
    for (const { metadata } of await client.list(Node)) {
      const name = metadata.annotations?.[CLUSTER_NAME_LABEL];
      if (name !== undefined) return name;
    }
  } catch (error) {
    // Then the next request says what the user may not do.
    if (!(error instanceof Failure) || error.reason !== "Forbidden") throw error;
  }
  return undefined;
}

async function hasClusterKind(client: Client): Promise<boolean> {
  const name = `${Cluster.plural}.${Cluster.group}`;
  return (await client.find(CustomResourceDefinition, { name })) !== undefined;
}
