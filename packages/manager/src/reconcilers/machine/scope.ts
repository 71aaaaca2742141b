import {
  AzureMachine,
  Cluster,
  type Frozen,
  type Kind,
  KubeadmConfig,
  type Machine,
  MachineDeployment,
  MachineSet,
} from "@capstan/api";
import type { Clock } from "@capstan/env";
import type { Client, Context, Editable } from "@capstan/runtime";
import { controllerIn } from "../../contract/controller-in.ts";
import type { ResolvedReference } from "../../contract/resolve.ts";
import type { Refusals } from "../../workload/drain/refusals.ts";
import type { UpdaterPorts } from "../../in-place/hooks/updaters.ts";
import type { NodeLookup } from "../../workload/find-node.ts";
import type { WorkloadAccess } from "../../workload/workload-clusters.ts";
import type { MachineOwners } from "./up-to-date.ts";

export interface MachinePorts {
  readonly clock: Clock;
  readonly workloads: Pick<WorkloadAccess, "get" | "onNodeChange">;
  /** Without it no updater runs. */
  readonly updaters?: UpdaterPorts;
}

/** One pass over one Machine. */
export interface Scope extends MachineOwners {
  readonly context: Context<Machine>;
  readonly machine: Editable<Machine>;
  readonly ports: MachinePorts;
  /** Refused evictions of all workload clusters. */
  readonly refusals: Refusals;
  /** The Cluster of the machine, if it exists. */
  readonly cluster: Frozen<Cluster> | undefined;
  bootstrap?: ResolvedReference;
  infrastructure?: ResolvedReference;
  node: NodeLookup;
  /** A client of the workload cluster, while it answers. */
  workload?: Client;
  /** The object that the deletion waits for. */
  waitsFor?: { readonly reason: string; readonly message: string };
}

/** Capstan's kinds that a Machine may refer to: watched from the start. Other kinds are watched once a reference names them. */
export const FOLLOWED: readonly Kind[] = [AzureMachine, KubeadmConfig];

const NOT_OBSERVED = {
  state: "unknown",
  reason: "WaitingForNodes",
  message: "The controller has not looked up the Node yet",
} as const;

export function buildScope(
  { ports, refusals }: Pick<Scope, "ports" | "refusals">,
  context: Context<Machine>,
): Scope {
  const { object: machine, cache } = context;
  const { namespace } = machine.metadata;
  const cluster = cache.get(Cluster, { name: machine.spec.clusterName, namespace });
  const set = controllerIn(cache, machine, MachineSet);
  const deployment = set && controllerIn(cache, set, MachineDeployment);
  return { context, machine, ports, refusals, cluster, set, deployment, node: NOT_OBSERVED };
}
