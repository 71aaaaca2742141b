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

export interface MachinePoolPorts {
  readonly workloads: Pick<WorkloadAccess, "get" | "onNodeChange">;
}

/** One pass over one MachinePool. */
export interface Scope {
  readonly context: Context<MachinePool>;
  readonly pool: Editable<MachinePool>;
  readonly ports: MachinePoolPorts;
  /** The Cluster of the pool, if it exists. */
  readonly cluster: Frozen<Cluster> | undefined;
  bootstrap?: ResolvedReference;
  infrastructure?: ResolvedReference;
  nodes?: NodesView;
  /** The remaining objects that the deletion waits for. */
  left?: readonly string[];
}

/** Capstan's kinds that a pool may refer to: watched from the start. Other kinds are watched once a reference names them. */
export const FOLLOWED: readonly Kind[] = [AzureMachinePool, AzureManagedMachinePool, KubeadmConfig];

export function buildScope(ports: MachinePoolPorts, context: Context<MachinePool>): Scope {
  const { object: pool, cache } = context;
  const cluster = cache.get(Cluster, { name: pool.spec.clusterName, namespace: pool.metadata.namespace });
  return { context, pool, ports, cluster };
}
