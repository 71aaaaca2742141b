import {
  AzureCluster,
  AzureMachinePool,
  baseImageOf,
  Cluster,
  CLUSTER_NAME_LABEL,
  type Frozen,
  isPausedByAnnotation,
  nodePrototypingOf,
} from "@capstan/api";
import type { Context } from "@capstan/runtime";
import { azureClusterNameOf } from "../../../azure-cluster/members.ts";
import { baseKeyOf } from "../../../virtual-machine/image-reference.ts";
import { azureTargetOf } from "../../../pools/azure-target.ts";
import { machinePoolOf } from "../../../pools/machine-pool-owner.ts";
import { poolFleet } from "./pool-fleet.ts";
import { CONTROLLER, imagesIn, type PrototypePlace, type Scope, type Shared, whyOff } from "../scope.ts";

/** Finds the owners of a pool and the place of its images, from the cache alone. */
export function poolScope(shared: Shared, context: Context<AzureMachinePool>): Scope {
  const { object: pool, cache } = context;
  const { namespace = "", name, labels = {} } = pool.metadata;
  const clusterName = labels[CLUSTER_NAME_LABEL] ?? "";
  const cluster = cache.get(Cluster, { name: clusterName, namespace });
  const azureCluster = cache.get(AzureCluster, azureClusterNameOf(cache, { name: clusterName, namespace }));
  const machinePool = machinePoolOf(cache, pool);
  const settings = nodePrototypingOf(pool);
  const fleet = poolFleet(context, machinePool);
  return {
    context,
    shared,
    owner: pool,
    ownerKind: AzureMachinePool,
    ownerKey: `${namespace}/${name}`,
    fleet,
    cluster,
    clusterKey: clusterKeyOf(pool),
    settings,
    offBecause: whyOff(settings, shared.ports.features, "spec.template.image.nodePrototyping"),
    isPaused:
      [pool, machinePool].some((one) => one && isPausedByAnnotation(one)) || cluster?.spec.paused === true,
    isDeleting: pool.metadata.deletionTimestamp !== undefined,
    azure:
      azureCluster && placeOf(shared, context, { azureCluster, clusterName, version: fleet.version ?? "" }),
  };
}

function placeOf(
  shared: Shared,
  context: Context<AzureMachinePool>,
  facts: {
    readonly azureCluster: Frozen<AzureCluster>;
    readonly clusterName: string;
    readonly version: string;
  },
): PrototypePlace {
  const { object: pool } = context;
  const { azureCluster, clusterName, version } = facts;
  const target = azureTargetOf(shared.ports, context, { azureCluster, clusterName, controller: CONTROLLER });
  const place = {
    ...target,
    machinesID: `${target.scaleSetID}/virtualMachines`,
    groupID: target.scaleSetID.split("/providers/")[0] ?? "",
    base: baseKeyOf(baseImageOf(pool), version),
  };
  return { ...place, ...imagesIn(place, pool.metadata.name) };
}

/** Namespace and name of the Cluster of a pool. */
export function clusterKeyOf({ metadata }: Frozen<AzureMachinePool>): string {
  return `${metadata.namespace}/${metadata.labels?.[CLUSTER_NAME_LABEL]}`;
}
