import {
  AzureMachinePool,
  AzureManagedMachinePool,
  Cluster,
  type Frozen,
  type Kind,
  KubeadmConfig,
  type MachinePool,
} from "@capstan/api";
import type { Context, Editable } from "@capstan/runtime";
import type { ResolvedReference } from "../../contract/resolve.ts";
import type { WorkloadAccess } from "../../workload/workload-clusters.ts";
import type { NodesView } from "./decide.ts";

/** What the reconciler of MachinePools works with. */
export interface MachinePoolPorts {
  readonly workloads: Pick<WorkloadAccess, "get" | "onNodeChange">;
}

/** One pass over one MachinePool. */
export interface Scope {
  readonly context: Context<MachinePool>;
  readonly pool: Editable<MachinePool>;
  readonly ports: MachinePoolPorts;
  /** The Cluster it belongs to, while there is one. */
  readonly cluster: Frozen<Cluster> | undefined;
  bootstrap?: ResolvedReference;
  infrastructure?: ResolvedReference;
  nodes?: NodesView;
  /** What a deletion still waits for. */
  left?: readonly string[];
}

/** Kinds of ours that a pool may refer to: the manager starts with watches of them. Other kinds are watched once a reference names them. */
export const FOLLOWED: readonly Kind[] = [AzureMachinePool, AzureManagedMachinePool, KubeadmConfig];

/** Begins a pass. */
export function buildScope(ports: MachinePoolPorts, context: Context<MachinePool>): Scope {
  const { object: pool, cache } = context;
  const cluster = cache.get(Cluster, { name: pool.spec.clusterName, namespace: pool.metadata.namespace });
  return { context, pool, ports, cluster };
}
