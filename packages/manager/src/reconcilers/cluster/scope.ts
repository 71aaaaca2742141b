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

export interface ClusterPorts {
  readonly workloads: WorkloadAccess;
}

/** One pass over one Cluster. */
export interface Scope {
  readonly context: Context<Cluster>;
  readonly cluster: Editable<Cluster>;
  readonly ports: ClusterPorts;
  observed?: Observed;
  /** The current step of the deletion. */
  step?: DeletionStep;
}

/** Capstan's kinds that a Cluster may refer to: watched from the start. Other kinds are watched once a reference names them. */
export const FOLLOWED: readonly Kind[] = [
  AzureCluster,
  AzureManagedCluster,
  KubeadmControlPlane,
  AzureManagedControlPlane,
];

export function buildScope(ports: ClusterPorts, context: Context<Cluster>): Scope {
  const { object: cluster } = context;
  return { context, cluster, ports };
}
