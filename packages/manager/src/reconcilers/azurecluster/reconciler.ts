import { AzureCluster, AzureClusterIdentity } from "@capstan/api";
import { defineReconciler, index, on, type Reconciler } from "@capstan/runtime";
import { identityKeyOf } from "../../azure-cluster/login.ts";
import { build } from "./build.ts";
import { deleteResources } from "./deletion.ts";
import { Inventory } from "./inventory.ts";
import { Memory } from "./memory.ts";
import { findZones, refuseInvalid, refuseUnsupported, rememberApplied } from "./prepare.ts";
import { publish } from "./publish.ts";
import { type AzureClusterPorts, buildScope, CONTROLLER, type Scope } from "./scope.ts";
import { RegionZones } from "./zones.ts";

const BY_IDENTITY = "identity";

/**
 * Keeps the network of a self-managed cluster as its AzureCluster asks: resource group, virtual network with subnets,
 * security groups and route tables, addresses and load balancers.
 */
export function azureClusterReconciler(ports: AzureClusterPorts): Reconciler {
  const { clock } = ports;
  const shared = {
    ports,
    memory: new Memory(),
    inventory: new Inventory(clock),
    zones: new RegionZones(clock),
  };
  return defineReconciler<AzureCluster, Scope>({
    name: CONTROLLER,
    for: AzureCluster,
    // CAPZ's, so that either can let go of what the other has built.
    finalizer: "azurecluster.infrastructure.cluster.x-k8s.io",
    indexes: [index(AzureCluster, BY_IDENTITY, (cluster) => [identityKeyOf(cluster)])],
    watches: [
      on(AzureClusterIdentity, ({ metadata }, cache) =>
        cache
          .list(AzureCluster, { index: BY_IDENTITY, value: `${metadata.namespace}/${metadata.name}` })
          .map((cluster) => cluster.metadata),
      ),
    ],
    scope: (context) => buildScope(shared, context),
    normal: [refuseInvalid, refuseUnsupported, findZones, rememberApplied, build, publish],
    deleting: [deleteResources],
    status: ({ ledger }) => ledger.show(),
  });
}
