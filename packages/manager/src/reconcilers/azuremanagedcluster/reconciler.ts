import { AzureManagedCluster, AzureManagedControlPlane, Cluster, type Frozen } from "@capstan/api";
import {
  type CacheReader,
  type Context,
  defineReconciler,
  next,
  type ObjectName,
  on,
  type Outcome,
  type Reconciler,
  waiting,
} from "@capstan/runtime";
import { mattersToMembers } from "../../contract/initialized.ts";
import { clusterNameOf } from "../../aks/members.ts";
import { validEndpoint } from "../../contract/contract-object.ts";
import { readinessFields } from "../../contract/provisioned.ts";
import { refersTo } from "../../contract/reference.ts";

/** The infrastructure of an AKS cluster has no resources of its own: it repeats the endpoint of the control plane. */
export function azureManagedClusterReconciler(): Reconciler {
  return defineReconciler<AzureManagedCluster, Context<AzureManagedCluster>>({
    name: "azuremanagedcluster",
    for: AzureManagedCluster,
    watches: [
      on(AzureManagedControlPlane, infrastructureOf),
      on(Cluster, infrastructureOfCluster, { predicate: mattersToMembers }),
    ],
    alwaysReportsPaused: true,
    scope: (context) => context,
    normal: [repeatEndpoint],
  });
}

function repeatEndpoint(context: Context<AzureManagedCluster>): Outcome {
  const { object, cache } = context;
  const cluster = cache.get(Cluster, {
    name: clusterNameOf(object) ?? "",
    namespace: object.metadata.namespace,
  });
  const name = cluster?.spec.controlPlaneRef?.name;
  const controlPlane =
    name === undefined
      ? undefined
      : cache.get(AzureManagedControlPlane, { name, namespace: object.metadata.namespace });
  const endpoint = validEndpoint(controlPlane?.spec.controlPlaneEndpoint);
  if (!endpoint) {
    object.status = { ...object.status, ...readinessFields(object.status, object.status?.ready ?? false) };
    throw waiting(
      "WaitingForControlPlaneEndpoint",
      "The AzureManagedControlPlane of the Cluster has no endpoint yet",
    );
  }
  object.spec.controlPlaneEndpoint = endpoint;
  object.status = { ...object.status, ...readinessFields(object.status, true) };
  return next;
}

function infrastructureOf(
  controlPlane: Frozen<AzureManagedControlPlane>,
  cache: CacheReader,
): readonly ObjectName[] {
  const name = clusterNameOf(controlPlane);
  const cluster =
    name === undefined ? undefined : cache.get(Cluster, { name, namespace: controlPlane.metadata.namespace });
  return cluster ? infrastructureOfCluster(cluster) : [];
}

function infrastructureOfCluster({ spec, metadata }: Frozen<Cluster>): readonly ObjectName[] {
  const { infrastructureRef } = spec;
  return infrastructureRef && refersTo(infrastructureRef, AzureManagedCluster)
    ? [{ name: infrastructureRef.name, namespace: metadata.namespace }]
    : [];
}
