import type { AzureCluster, AzureMachinePool, Cluster, Features, Frozen, MachinePool } from "@capstan/api";
import type { InstanceCache, RegionSizes, ScaleSetInstance, SecretPorts } from "@capstan/azure";
import type { Clock } from "@capstan/env";
import type { PoolPlan, PoolView } from "@capstan/plan";
import type { Context, Editable, Failure, Phase } from "@capstan/runtime";
import type { AzureClientPorts } from "../../azure-cluster/arm-client.ts";
import type { AzureTarget } from "../../pools/azure-target.ts";
import type { WorkloadAccess } from "../../workload/workload-clusters.ts";
import type { PoolCache, PoolCaches } from "./cache/pool-cache.ts";
import type { ObservedSet } from "./model/body.ts";
import type { DesiredHash, HashFunction } from "./model/hash.ts";
import type { ScaleSetModel } from "./model/model.ts";
import type { MachineFacts } from "./observation/machine-view.ts";

/** The name of the reconciler, in metrics and towards Azure. */
export const CONTROLLER = "azuremachinepool";
/** CAPZ's condition for the scale set as a whole. */
export const SCALE_SET_RUNNING = "ScaleSetRunning";

/** What the reconciler of AzureMachinePools works with. */
export interface AzureMachinePoolPorts extends AzureClientPorts {
  readonly clock: Clock;
  readonly workloads: Pick<WorkloadAccess, "get" | "onNodeChange">;
  /** The results of lists: this reconciler records them, that of the machines reads them. */
  readonly scaleSets: InstanceCache;
  readonly regionSizes: RegionSizes;
  readonly readSecret: SecretPorts["readSecret"];
  readonly features: Features;
  readonly isBesideOtherCore: boolean;
  readonly rendersBootstrapData: boolean;
}

/** What the passes of one process share. */
export interface Shared {
  readonly ports: AzureMachinePoolPorts;
  readonly poolCaches: PoolCaches;
  /** The versions of the model hash that this release knows, the newest last. */
  readonly hashFunctions: readonly HashFunction[];
}

/** The owners of a pool. */
export interface Owners {
  readonly machinePool: Frozen<MachinePool>;
  readonly cluster: Frozen<Cluster>;
  readonly azureCluster: Frozen<AzureCluster>;
}

/** The desired model, and its hash. */
interface DesiredModel {
  readonly model: ScaleSetModel;
  readonly hash: DesiredHash;
}

/** The scale set and its instances as Azure shows them. */
export interface AzureObservation {
  readonly set: ObservedSet | undefined;
  /** The scale set was read in this pass, and its instances after it. */
  readonly isLiveRead: boolean;
  readonly instances: readonly ScaleSetInstance[];
  readonly listedAtMs: number;
}

/** What a pass has observed. */
export interface Observation extends AzureObservation {
  readonly machines: readonly MachineFacts[];
  /** The unavailable ones; machines that are deleted, updated or drained are among them. */
  readonly unavailable: readonly MachineFacts[];
  readonly view: PoolView;
}

/** An observation with the plan made from it. */
export interface PlannedObservation extends Observation {
  readonly planned: PoolPlan;
}

/** What every pass over an AzureMachinePool has. */
export interface Pass {
  readonly context: Context<AzureMachinePool>;
  readonly pool: Editable<AzureMachinePool>;
  readonly shared: Shared;
  readonly poolCache: PoolCache;
  readonly cluster: Frozen<Cluster> | undefined;
  /** The whole Cluster is being deleted. */
  readonly isClusterGoing: boolean;
  /** The conditions at the beginning of the pass. */
  readonly conditions: NonNullable<Editable<AzureMachinePool>["status"]>["conditions"];
  /** The pass has nothing to report: the conditions stay as they were. */
  isQuiet?: boolean;
}

/** A pass that can reach Azure. */
export interface AzurePass extends Pass {
  readonly azureTarget: AzureTarget;
}

/** A pass over a pool whose owners and infrastructure are ready; each phase adds what it has found. */
export interface NormalScope extends AzurePass {
  readonly kind: "normal";
  readonly owners: Owners;
  readonly desired: DesiredModel;
  /** Why the desired model cannot be built: nothing is begun, and operations that run are only polled. Set by `validate`. */
  specProblem?: Failure;
  /** Set by `observe`. */
  observation?: Observation;
  /** Set by `plan`. */
  planned?: PoolPlan;
}

/** A pass over a pool that waits for its Cluster, its infrastructure or its bootstrap data. */
export interface WaitingScope extends Pass {
  readonly kind: "waiting";
  readonly clusterName: string;
  readonly reason: Failure;
}

/** A pass over a pool that is being deleted; without a target when nothing was ever written to Azure for it. */
export interface DeletingScope extends Pass {
  readonly kind: "deleting";
  readonly azureTarget: AzureTarget | undefined;
}

/** One pass over one AzureMachinePool. */
export type Scope = NormalScope | WaitingScope | DeletingScope;

/** Whether anything in Azure can be reached for the pool. */
export function hasTarget<T extends Pass & { readonly azureTarget: AzureTarget | undefined }>(
  scope: T,
): scope is T & AzurePass {
  return scope.azureTarget !== undefined;
}

/** Phases for one kind of pass, in the form the runner takes; a scope of another kind is a bug. */
export function phasesOf<K extends Scope["kind"]>(
  kind: K,
  ...phases: readonly Phase<Extract<Scope, { readonly kind: K }>>[]
): readonly Phase<Scope>[] {
  return phases.map((phase) => {
    const checked: Phase<Scope> = (scope) => {
      if (scope.kind !== kind)
        throw new TypeError(`${phase.name} needs a ${kind} pass, not a ${scope.kind} one`);
      return phase(scope as Extract<Scope, { readonly kind: K }>);
    };
    // Traces and tests know phases by their names.
    return Object.defineProperty(checked, "name", { value: phase.name });
  });
}
