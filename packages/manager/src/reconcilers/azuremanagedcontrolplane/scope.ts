import {
  type AsoObject,
  type AzureManagedControlPlane,
  Cluster,
  type Frozen,
  type Kind,
  ManagedCluster,
} from "@capstan/api";
import type { Clock } from "@capstan/env";
import { type Context, type Editable, waiting } from "@capstan/runtime";
import type { AsoObjects } from "../../aks/aso-objects.ts";
import type { SecretPorts } from "@capstan/azure";
import { clusterNameOf } from "../../aks/members.ts";
import { subscriptionOf, type AzureClientPorts } from "../../azure-cluster/arm-client.ts";
import type { Owner } from "@capstan/plan";

/** What the reconciler of AKS control planes works with. */
export interface AzureManagedControlPlanePorts extends AzureClientPorts {
  readonly clock: Clock;
  readonly readSecret: SecretPorts["readSecret"];
}

/** What the passes of one process share. */
export interface Shared {
  readonly ports: AzureManagedControlPlanePorts;
  readonly aso: AsoObjects;
}

/** One pass over one AzureManagedControlPlane. */
export interface Scope extends Shared {
  readonly context: Context<AzureManagedControlPlane>;
  readonly controlPlane: Editable<AzureManagedControlPlane>;
  /** The Cluster; undefined only while the control plane is deleted. */
  readonly cluster: Frozen<Cluster> | undefined;
  readonly clusterName: string;
  readonly subscriptionID: string;
  /** Who owns resources in Azure, by their tags. */
  readonly owner: Owner;
  /** ManagedCluster in the version that is submitted. */
  readonly kind: Kind<AsoObject>;
  /** The Secret with the credentials for Azure Service Operator; undefined when it uses its own. */
  credentialFrom?: string;
  /** The ManagedCluster as Azure Service Operator reports it. */
  managedCluster?: Frozen<AsoObject>;
  /** It was created by its user, and is only read. */
  isBringYourOwn?: boolean;
}

/** Finds the Cluster of a control plane. Throws a Failure while there is none. */
export async function buildScope(shared: Shared, context: Context<AzureManagedControlPlane>): Promise<Scope> {
  const { object: controlPlane, cache } = context;
  const { namespace = "", deletionTimestamp } = controlPlane.metadata;
  const name = clusterNameOf(controlPlane);
  const cluster = name === undefined ? undefined : cache.get(Cluster, { name, namespace });
  if (!cluster && deletionTimestamp === undefined) {
    const message = "No Cluster refers to this AzureManagedControlPlane in spec.controlPlaneRef yet";
    throw waiting("WaitingForClusterOwner", message);
  }
  const clusterName = name ?? controlPlane.metadata.name;
  const preview = controlPlane.spec.enablePreviewFeatures ?? false;
  return {
    ...shared,
    context,
    controlPlane,
    cluster,
    clusterName,
    // A deletion needs none, and must not wait for one.
    subscriptionID: deletionTimestamp === undefined ? subscriptionOf(shared.ports, controlPlane) : "",
    owner: { clusterName, clusterKey: `${namespace}/${clusterName}` },
    kind: await shared.aso.kindOf(context, ManagedCluster, { preview }),
  };
}
