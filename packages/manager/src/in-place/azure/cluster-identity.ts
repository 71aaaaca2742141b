import {
  AzureCluster,
  AzureClusterIdentity,
  type AzureMachine,
  Cluster,
  CLUSTER_NAME_LABEL,
  type Frozen,
} from "@capstan/api";
import type { Arm } from "@capstan/azure";
import { type Client, waiting } from "@capstan/runtime";
import { armClientWith, type AzureClientPorts, identityNameOf } from "../../azure-cluster/arm-client.ts";

/** The way to Azure for a machine, with the identity that its cluster names, as for its controller. */
export async function armOfMachine(
  ports: AzureClientPorts,
  client: Pick<Client, "find">,
  { metadata: { namespace, labels } }: Frozen<AzureMachine>,
): Promise<Arm> {
  const clusterName = labels?.[CLUSTER_NAME_LABEL] ?? "";
  const owner = await client.find(Cluster, { name: clusterName, namespace });
  const name = owner?.spec.infrastructureRef?.name ?? clusterName;
  const cluster = await client.find(AzureCluster, { name, namespace });
  if (!cluster)
    throw waiting(
      "AzureClusterMissing",
      `Cluster ${JSON.stringify(clusterName)} has no AzureCluster, whose identity could change the virtual machine`,
    );
  const reference = identityNameOf(cluster);
  const identity = reference && (await client.find(AzureClusterIdentity, reference));
  return armClientWith(ports, { cluster, identity, controller: "azureupdater" });
}
