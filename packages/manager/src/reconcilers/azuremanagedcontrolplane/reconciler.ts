import {
  AzureClusterIdentity,
  AzureManagedControlPlane,
  AzureManagedMachinePool,
  Cluster,
  CLUSTER_NAME_LABEL,
  controllerOf,
  type Frozen,
  type KubernetesObject,
  MachinePool,
} from "@capstan/api";
import { type CacheReader, defineReconciler, type ObjectName, on, type Reconciler } from "@capstan/runtime";
import { mattersToMembers } from "../../contract/initialized.ts";
import { identityKeyOf } from "../../azure-cluster/arm-client.ts";
import { AsoObjects } from "../../aks/aso-objects.ts";
import { clusterNameOf, controlPlaneNameOf, managedPoolsByCluster } from "../../aks/members.ts";
import { provideCredentials } from "./credentials.ts";
import { awaitPools, deleteObjects } from "./deletion.ts";
import { blockMoveOfCluster, pauseObjects } from "./pause.ts";
import { publishEndpoint, publishKubeconfigs, report } from "./publish.ts";
import { reconcileCluster, reconcileNetwork } from "./reconcile.ts";
import { type AzureManagedControlPlanePorts, buildScope, type Scope } from "./scope.ts";

/**
 * Reconciles an AKS cluster by objects of Azure Service Operator: resource group, network, subnet and ManagedCluster, with
 * the patches of the user. The pools have a controller of their own.
 */
export function azureManagedControlPlaneReconciler(ports: AzureManagedControlPlanePorts): Reconciler {
  const shared = { ports, aso: new AsoObjects(ports.clock) };
  return defineReconciler<AzureManagedControlPlane, Scope>({
    name: "azuremanagedcontrolplane",
    for: AzureManagedControlPlane,
    finalizer: "azuremanagedcontrolplane.infrastructure.cluster.x-k8s.io",
    indexes: [managedPoolsByCluster],
    watches: [
      on(Cluster, (cluster, cache) => toArray(controlPlaneNameOf(cache, cluster.metadata)), {
        predicate: mattersToMembers,
      }),
      on(AzureClusterIdentity, controlPlanesOfIdentity),
      on(AzureManagedMachinePool, controlPlaneOfMember),
      on(MachinePool, controlPlaneOfMachinePool),
    ],
    referrersOf: controllerOfAsoObject,
    alwaysReportsPaused: true,
    scope: (context) => buildScope(shared, context),
    normal: [
      blockMoveOfCluster,
      provideCredentials,
      reconcileNetwork,
      reconcileCluster,
      publishEndpoint,
      publishKubeconfigs,
    ],
    deleting: [awaitPools, deleteObjects],
    whilePaused: [pauseObjects],
    status: report,
  });
}

/** An identity changes rarely, so all control planes are looked at. */
function controlPlanesOfIdentity(
  { metadata }: Frozen<AzureClusterIdentity>,
  cache: CacheReader,
): readonly ObjectName[] {
  const key = `${metadata.namespace}/${metadata.name}`;
  return cache
    .list(AzureManagedControlPlane)
    .filter((one) => identityKeyOf(one) === key)
    .map((one) => one.metadata);
}

function controlPlaneOfMember(member: Frozen<KubernetesObject>, cache: CacheReader): readonly ObjectName[] {
  const name = clusterNameOf(member);
  return name === undefined
    ? []
    : toArray(controlPlaneNameOf(cache, { name, namespace: member.metadata.namespace }));
}

function controlPlaneOfMachinePool(
  { metadata, spec }: Frozen<MachinePool>,
  cache: CacheReader,
): readonly ObjectName[] {
  return toArray(controlPlaneNameOf(cache, { name: spec.clusterName, namespace: metadata.namespace }));
}

/** The control plane that an object of Azure Service Operator belongs to: its controller, or the one of its cluster. */
function controllerOfAsoObject(object: Frozen<KubernetesObject>, cache: CacheReader): readonly ObjectName[] {
  const { namespace, labels, name } = object.metadata;
  const controller = controllerOf(object);
  if (controller?.kind === AzureManagedControlPlane.kind) return [{ name: controller.name, namespace }];
  if (labels?.[CLUSTER_NAME_LABEL] !== undefined) return controlPlaneOfMember(object, cache);
  // One that a user brought has the name of the control plane.
  return [{ name, namespace }];
}

function toArray(name: ObjectName | undefined): readonly ObjectName[] {
  return name ? [name] : [];
}
