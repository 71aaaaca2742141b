/** The owners of a pool, from the cache alone. */
import {
  AzureCluster,
  type AzureMachinePool,
  Cluster,
  CLUSTER_NAME_LABEL,
  type Frozen,
  type MachinePool,
} from "@capstan/api";
import { type Context, type Failure, waiting } from "@capstan/runtime";
import { azureClusterNameOf } from "../../azure-cluster/members.ts";
import { machinePoolOf } from "../../pools/machine-pool-owner.ts";
import type { Owners } from "./scope.ts";

type PoolContext = Pick<Context<AzureMachinePool>, "object" | "cache">;

/** The MachinePool of a pool. Throws a Failure while there is none. */
export function machinePoolOfPool({ object, cache }: PoolContext): Frozen<MachinePool> {
  const owner = machinePoolOf(cache, object);
  if (owner) return owner;
  const message =
    "No MachinePool refers to this AzureMachinePool in spec.template.spec.infrastructureRef yet";
  throw waiting("WaitingForMachinePoolOwner", message);
}

/** The owners of a pool, or what it waits for. */
export function ownersOf(context: PoolContext, machinePool: Frozen<MachinePool>): Owners | Failure {
  const { clusterName, template } = machinePool.spec;
  const parents = readyCluster(context, clusterName);
  if (!parents) {
    const message = `The infrastructure of Cluster ${JSON.stringify(clusterName)} is not ready yet`;
    return waiting("WaitingForClusterInfrastructure", message);
  }
  if (template.spec.bootstrap.dataSecretName === undefined) {
    const message = `MachinePool ${JSON.stringify(machinePool.metadata.name)} has no bootstrap data yet`;
    return waiting("WaitingForBootstrapData", message);
  }
  return { machinePool, ...parents };
}

function readyCluster(
  { object, cache }: PoolContext,
  name: string,
): Pick<Owners, "cluster" | "azureCluster"> | undefined {
  const { namespace } = object.metadata;
  const cluster = cache.get(Cluster, { name, namespace });
  if (cluster?.status?.initialization?.infrastructureProvisioned !== true) return undefined;
  const azureCluster = cache.get(AzureCluster, {
    name: cluster.spec.infrastructureRef?.name ?? "",
    namespace,
  });
  return azureCluster?.status?.ready === true ? { cluster, azureCluster } : undefined;
}

/** The cluster that the label of a pool names. */
interface LabelledCluster {
  readonly clusterName: string;
  readonly cluster: Frozen<Cluster> | undefined;
  readonly azureCluster: Frozen<AzureCluster> | undefined;
}

/** The cluster by the label of the pool: its MachinePool may be gone already. */
export function clusterByLabel({ object, cache }: PoolContext): LabelledCluster {
  const { namespace, labels } = object.metadata;
  const clusterName = labels?.[CLUSTER_NAME_LABEL] ?? "";
  const cluster = cache.get(Cluster, { name: clusterName, namespace });
  const azureCluster = cache.get(AzureCluster, azureClusterNameOf(cache, { name: clusterName, namespace }));
  return { clusterName, cluster, azureCluster };
}

/** Why a pool whose AzureCluster is gone cannot be deleted. */
export function orphaned({ metadata, spec }: Frozen<AzureMachinePool>, clusterName: string): Failure {
  const set = spec.providerID ?? metadata.name;
  const message = `Cluster ${JSON.stringify(clusterName)} has no AzureCluster whose identity could delete the scale set ${set}; delete the scale set in Azure, then remove the finalizer`;
  return waiting("AzureClusterMissing", message);
}
