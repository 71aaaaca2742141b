import type { ResourceType } from "../resource-type.ts";
import {
  CLUSTER_REMOVED,
  deleteCluster,
  patchCluster,
  powerAction,
  putCluster,
  removeCluster,
} from "./cluster-write.ts";
import { CLUSTER_TYPE, CONTAINER_SERVICE, MANAGED_CLUSTERS } from "./cluster-state.ts";
import { maintenanceConfigurations } from "./maintenance.ts";
import { NODES_REIMAGED, reimageNodes } from "./nodes.ts";
import { deleteAgentPool, putAgentPool } from "./pool-write.ts";
import { getAgentPool, getCluster, listAgentPools, listClusters, listCredential } from "./reads.ts";
import { CLUSTER_SETTLED, POOL_SETTLED, settleCluster, settlePool } from "./work.ts";

/** AKS clusters. */
const managedClusters: ResourceType = {
  provider: CONTAINER_SERVICE,
  type: MANAGED_CLUSTERS,
  get: getCluster,
  put: putCluster,
  patch: patchCluster,
  delete: deleteCluster,
  list: listClusters,
  actions: {
    listclusteradmincredential: listCredential("admin"),
    listclusterusercredential: listCredential("user"),
    stop: powerAction("stop"),
    start: powerAction("start"),
  },
  effects: {
    [CLUSTER_SETTLED]: settleCluster,
    [CLUSTER_REMOVED]: removeCluster,
    [POOL_SETTLED]: settlePool,
    [NODES_REIMAGED]: reimageNodes,
    // Runs when the resource group of a cluster is deleted.
    [`${CLUSTER_TYPE}.removed`]: removeCluster,
  },
};

/** The node pools of AKS clusters. */
const agentPools: ResourceType = {
  provider: CONTAINER_SERVICE,
  type: `${MANAGED_CLUSTERS}/agentPools`,
  get: getAgentPool,
  put: putAgentPool,
  delete: deleteAgentPool,
  list: listAgentPools,
};

/** AKS: clusters, their node pools and their maintenance. */
export const managedClusterTypes: readonly ResourceType[] = [
  managedClusters,
  agentPools,
  maintenanceConfigurations,
];
