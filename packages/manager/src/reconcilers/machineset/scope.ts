import {
  AzureMachine,
  AzureMachineTemplate,
  Cluster,
  type Frozen,
  type Kind,
  KubeadmConfig,
  KubeadmConfigTemplate,
  Machine,
  MachineDeployment,
  type MachineSet,
} from "@capstan/api";
import type { ContestedFields, Context, Editable, Failure } from "@capstan/runtime";
import { controllerIn } from "../../contract/controller-in.ts";
import { controlledBy } from "../../contract/indexes.ts";
import type { MachineOwner } from "../../machines/owner.ts";
import { setOwner } from "../../machines/set-owner.ts";
import type { MachineSetPlan } from "@capstan/plan";

/** One pass over one MachineSet. */
export interface Scope {
  readonly context: Context<MachineSet>;
  readonly set: Editable<MachineSet>;
  /** The set as the owner of its machines. */
  readonly owner: MachineOwner;
  readonly contested: ContestedFields;
  /** The Cluster of the set, if it exists. */
  readonly cluster: Frozen<Cluster> | undefined;
  /** The MachineDeployment that controls the set, if one does. */
  readonly deployment: Frozen<MachineDeployment> | undefined;
  /** The machines of the set in the cache. */
  readonly machines: readonly Frozen<Machine>[];
  plan?: MachineSetPlan;
  /** Why a field of a machine is not written for some minutes: another client keeps changing it back. */
  contest?: Failure;
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

/** The name of the index over Machines without a controller, by namespace. */
export const BY_ORPHAN = "machine-orphans";

export function buildScope(contested: ContestedFields, context: Context<MachineSet>): Scope {
  const { object: set, cache } = context;
  const { namespace } = set.metadata;
  const cluster = cache.get(Cluster, { name: set.spec.clusterName, namespace });
  const deployment = controllerIn(cache, set, MachineDeployment);
  return {
    context,
    set,
    owner: setOwner(set),
    contested,
    cluster,
    deployment,
    machines: controlledBy(cache, Machine, set),
    preflight: [],
  };
}
