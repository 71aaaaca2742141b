import {
  AzureMachine,
  AzureMachineTemplate,
  Cluster,
  controllerOf,
  type Frozen,
  type Kind,
  KubeadmConfig,
  KubeadmConfigTemplate,
  Machine,
  MachineDeployment,
  type MachineSet,
} from "@capstan/api";
import type { CacheReader, Context, Editable } from "@capstan/runtime";
import { controllerIn } from "../../contract/controller-in.ts";
import type { MachineSetPlan } from "@capstan/plan";

/** One pass over one MachineSet. */
export interface Scope {
  readonly context: Context<MachineSet>;
  readonly set: Editable<MachineSet>;
  /** The Cluster of the set, if it exists. */
  readonly cluster: Frozen<Cluster> | undefined;
  /** The MachineDeployment that controls the set, if one does. */
  readonly deployment: Frozen<MachineDeployment> | undefined;
  /** The machines of the set in the cache. */
  readonly machines: readonly Frozen<Machine>[];
  plan?: MachineSetPlan;
  /** Why no machine can be created, from the preflight checks. */
  preflight: readonly string[];
  /** Machines that the deletion waits for. */
  left?: number;
}

/** Capstan's kinds that a MachineSet clones, and their templates: watched from the start. */
export const FOLLOWED: readonly Kind[] = [
  AzureMachineTemplate,
  KubeadmConfigTemplate,
  AzureMachine,
  KubeadmConfig,
];

/** The name of the index over the controllers of Machines, by UID. */
export const BY_CONTROLLER = "machine-controller";
/** The name of the index over Machines without a controller, by namespace. */
export const BY_ORPHAN = "machine-orphans";

export function buildScope(context: Context<MachineSet>): Scope {
  const { object: set, cache } = context;
  const { namespace } = set.metadata;
  const cluster = cache.get(Cluster, { name: set.spec.clusterName, namespace });
  const deployment = controllerIn(cache, set, MachineDeployment);
  return { context, set, cluster, deployment, machines: machinesOf(set, cache), preflight: [] };
}

/** The machines that a set controls, oldest first. */
function machinesOf({ metadata }: Frozen<MachineSet>, cache: CacheReader): readonly Frozen<Machine>[] {
  return cache.list(Machine, { index: BY_CONTROLLER, value: metadata.uid ?? "" });
}

/** The value of a Machine in the index over controllers. */
export function controllerUids(machine: Frozen<Machine>): readonly string[] {
  const controller = controllerOf(machine);
  return controller ? [controller.uid] : [];
}
