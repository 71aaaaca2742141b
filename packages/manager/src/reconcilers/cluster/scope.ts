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
import { type Members, membersOf } from "./members.ts";
import type { DeletionStep } from "./decide-deletion.ts";

export interface ClusterPorts {
  readonly workloads: WorkloadAccess;
}

/** One pass over one Cluster. */
export interface Scope {
  readonly context: Context<Cluster>;
  readonly cluster: Editable<Cluster>;
  readonly ports: ClusterPorts;
  /** The objects that have its machines. */
  readonly members: Members;
  observed?: Observed;
  /** Whether the API server of the cluster answers; undefined before its control plane is initialized. */
  probe?: { readonly isAnswering: boolean; readonly message: string };
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
  const { object: cluster, cache } = context;
  return { context, cluster, ports, members: membersOf(cache, cluster) };
}
