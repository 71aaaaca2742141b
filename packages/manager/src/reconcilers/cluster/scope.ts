import {
  AzureCluster,
  AzureManagedCluster,
  AzureManagedControlPlane,
  type Cluster,
  type Kind,
  KubeadmControlPlane,
} from "@capstan/api";
import type { Context, Editable } from "@capstan/runtime";
import type { WorkloadAccess } from "../../workload/workload-clusters.ts";
import type { Observed } from "./decide.ts";
import type { DeletionStep } from "./decide-deletion.ts";

/** What the reconciler of Clusters works with. */
export interface ClusterPorts {
  readonly workloads: WorkloadAccess;
}

/** One pass over one Cluster. */
export interface Scope {
  readonly context: Context<Cluster>;
  readonly cluster: Editable<Cluster>;
  readonly ports: ClusterPorts;
  observed?: Observed;
  /** How far the deletion has come. */
  step?: DeletionStep;
}

/** Kinds of ours that a Cluster may refer to: the manager starts with watches of them. Other kinds are watched once a reference names them. */
export const FOLLOWED: readonly Kind[] = [
  AzureCluster,
  AzureManagedCluster,
  KubeadmControlPlane,
  AzureManagedControlPlane,
];

/** Begins a pass. */
export function buildScope(ports: ClusterPorts, context: Context<Cluster>): Scope {
  const { object: cluster } = context;
  return { context, cluster, ports };
}
