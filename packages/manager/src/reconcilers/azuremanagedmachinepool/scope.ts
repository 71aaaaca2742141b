import {
  type AsoObject,
  AzureManagedControlPlane,
  type AzureManagedMachinePool,
  Cluster,
  type Frozen,
  type Kind,
  type MachinePool,
  ManagedCluster,
  ManagedClustersAgentPool,
} from "@capstan/api";
import type { Clock } from "@capstan/env";
import { type Context, type Editable, waiting } from "@capstan/runtime";
import type { AsoObjects } from "../../aks/aso-objects.ts";
import { clusterNameOf, controlPlaneNameOf } from "../../aks/members.ts";
import { machinePoolOf } from "../../pools/machine-pool-owner.ts";
import type { AzureClientPorts } from "../../azure-cluster/arm-client.ts";
import type { ListedScaleSet } from "./provider-ids.ts";
import type { WorkloadAccess } from "../../workload/workload-clusters.ts";

/** What the reconciler of AKS pools works with. */
export interface AzureManagedMachinePoolPorts extends AzureClientPorts {
  readonly clock: Clock;
  readonly workloads: Pick<WorkloadAccess, "get" | "onNodeChange">;
}

/** What the passes of one process share. */
export interface Shared {
  readonly ports: AzureManagedMachinePoolPorts;
  readonly aso: AsoObjects;
  /** The scale sets of pools whose Nodes cannot be read, by the UID of the pool. */
  readonly listed: Map<string, ListedScaleSet>;
}

/** The owners of a pool. */
export interface Owners {
  readonly machinePool: Frozen<MachinePool>;
  readonly cluster: Frozen<Cluster>;
  readonly controlPlane: Frozen<AzureManagedControlPlane>;
}

/** One pass over one AzureManagedMachinePool. */
export interface Scope extends Shared {
  readonly context: Context<AzureManagedMachinePool>;
  readonly pool: Editable<AzureManagedMachinePool>;
  readonly clusterName: string;
  /** Undefined only while the pool is deleted. */
  readonly owners: Owners | undefined;
  /** The whole cluster goes, and its pools with it. */
  readonly isClusterGoing: boolean;
  /** The kinds in the versions that are submitted. */
  readonly poolKind: Kind<AsoObject>;
  readonly clusterKind: Kind<AsoObject>;
  agentPool?: Frozen<AsoObject>;
  isBringYourOwn?: boolean;
}

/** Finds the owners of a pool. Throws a Failure while one is missing. */
export async function buildScope(shared: Shared, context: Context<AzureManagedMachinePool>): Promise<Scope> {
  const { object: pool } = context;
  const { clusterName, machinePool, cluster, controlPlane } = foundOwners(context);
  const owners = machinePool && cluster && controlPlane ? { machinePool, cluster, controlPlane } : undefined;
  if (!owners && pool.metadata.deletionTimestamp === undefined) throw missingOwner({ machinePool, cluster });
  const preview = controlPlane?.spec.enablePreviewFeatures ?? false;
  return {
    ...shared,
    context,
    pool,
    clusterName,
    owners,
    isClusterGoing: [cluster, controlPlane].some(
      (one) => !one || one.metadata.deletionTimestamp !== undefined,
    ),
    poolKind: await shared.aso.kindOf(context, ManagedClustersAgentPool, { preview }),
    clusterKind: await shared.aso.kindOf(context, ManagedCluster, { preview }),
  };
}

function foundOwners({ object: pool, cache }: Context<AzureManagedMachinePool>): {
  readonly clusterName: string;
  readonly machinePool: Frozen<MachinePool> | undefined;
  readonly cluster: Frozen<Cluster> | undefined;
  readonly controlPlane: Frozen<AzureManagedControlPlane> | undefined;
} {
  const { namespace } = pool.metadata;
  const machinePool = machinePoolOf(cache, pool);
  const clusterName = machinePool?.spec.clusterName ?? clusterNameOf(pool) ?? "";
  const cluster = cache.get(Cluster, { name: clusterName, namespace });
  const name = controlPlaneNameOf(cache, { name: clusterName, namespace });
  return {
    clusterName,
    machinePool,
    cluster,
    controlPlane: name && cache.get(AzureManagedControlPlane, name),
  };
}

function missingOwner({
  machinePool,
  cluster,
}: {
  readonly machinePool: unknown;
  readonly cluster: unknown;
}): Error {
  if (!machinePool)
    return waiting("WaitingForMachinePoolOwner", "No MachinePool refers to this AzureManagedMachinePool yet");
  if (!cluster) return waiting("WaitingForClusterOwner", "The Cluster of the MachinePool does not exist yet");
  return waiting("WaitingForControlPlane", "The AzureManagedControlPlane of the Cluster does not exist yet");
}
