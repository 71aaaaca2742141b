import {
  AzureCluster,
  type AzureMachinePool,
  Cluster,
  CLUSTER_NAME_LABEL,
  type Features,
  type Frozen,
  groupOf,
  MachinePool,
} from "@capstan/api";
import type { Clock } from "@capstan/env";
import {
  type Context,
  type Editable,
  Failure,
  next,
  type Outcome,
  type Phase,
  waiting,
} from "@capstan/runtime";
import {
  type Arm,
  type InstanceCache,
  type LazyArm,
  lazyArm,
  type ScaleSetInstance,
  type SecretPorts,
} from "@capstan/azure";
import { armClientFor, type AzureClientPorts, subscriptionOf } from "../../azure-cluster/arm-client.ts";
import { keepCloudConfig } from "../../azure-cluster/cloud-config-secret.ts";
import { azureClusterNameOf } from "../../azure-cluster/members.ts";
import { clusterPlanOf, type ClusterSpecView } from "../../azure-cluster/spec-view.ts";
import type { PoolPlan, PoolView } from "@capstan/plan";
import type { WorkloadAccess } from "../../workload/workload-clusters.ts";
import type { Memory, PoolMemory } from "./memory.ts";
import { type HashFunction, desiredHashOf, type DesiredHash } from "./model-hash.ts";
import type { MachineFacts } from "./machine-view.ts";
import type { SeenSet } from "./scale-set-body.ts";
import { scaleSetIDOf, type ScaleSetModel, scaleSetModelOf } from "./scale-set-model.ts";

/** What the reconciler of AzureMachinePools works with. */
export interface AzureMachinePoolPorts extends AzureClientPorts {
  readonly clock: Clock;
  readonly workloads: Pick<WorkloadAccess, "get" | "onNodeChange">;
  /** The results of lists: this reconciler records them, that of the machines reads them. */
  readonly scaleSets: InstanceCache;
  readonly readSecret: SecretPorts["readSecret"];
  readonly features: Features;
}

/** What the passes of one process share. */
export interface Shared {
  readonly ports: AzureMachinePoolPorts;
  readonly memory: Memory;
  /** The versions of the model hash that this release knows, the newest last. */
  readonly hashFunctions: readonly HashFunction[];
}

/** The owners of a pool. */
interface Owners {
  readonly machinePool: Frozen<MachinePool>;
  readonly cluster: Frozen<Cluster>;
  readonly azureCluster: Frozen<AzureCluster>;
}

/** Where the scale set of a pool is, and the client for it. */
export interface AzureTarget extends LazyArm {
  readonly plan: ClusterSpecView;
  readonly scaleSetID: string;
  readonly location: string;
  /** Namespace and name of the pool, for the tag of its scale set. */
  readonly poolKey: string;
}

/** The desired model, and its hash. */
interface DesiredModel {
  readonly model: ScaleSetModel;
  readonly hash: DesiredHash;
}

/** What a pass has observed. */
export interface Observation {
  readonly set: SeenSet | undefined;
  /** The scale set was read in this pass, and its instances after it. */
  readonly isLiveRead: boolean;
  readonly instances: readonly ScaleSetInstance[];
  readonly listedAtMs: number;
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
  readonly memory: PoolMemory;
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

/** A pass over a pool whose owners and infrastructure are ready. */
export interface NormalScope extends AzurePass {
  readonly kind: "normal";
  readonly owners: Owners;
  readonly desired: DesiredModel;
  observation?: Observation;
  planned?: PoolPlan;
  /** Why the scale set cannot be written at the moment. */
  trouble?: Error;
  /** Why the desired model cannot be built: nothing is begun, and operations that run are only followed. */
  refusal?: Failure;
}

/** A pass over a pool that waits for its Cluster, its infrastructure or its bootstrap data. */
interface WaitingScope extends Pass {
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

/** The name of the reconciler, in metrics and towards Azure. */
export const CONTROLLER = "azuremachinepool";
/** CAPZ's condition for the scale set as a whole. */
export const SCALE_SET_RUNNING = "ScaleSetRunning";

/** Finds the owners of a pool and its place in Azure, from the cache alone. Throws a Failure while there is no MachinePool. */
export function buildScope(shared: Shared, context: Context<AzureMachinePool>): Scope {
  try {
    return context.object.metadata.deletionTimestamp === undefined
      ? normalScope(shared, context)
      : deletingScope(shared, context);
  } catch (error) {
    throw blocked(context, error);
  }
}

/**
 * Keeps the cloud-provider config, then gets the credentials for Azure. The config comes first, and also while the pool
 * still waits: the bootstrap data that the pool waits for may be made from it.
 */
export async function prepare(scope: Scope): Promise<Outcome> {
  const { context } = scope;
  try {
    if (scope.kind === "waiting") await keepConfig(scope, scope.clusterName);
    if (scope.kind === "normal") await keepConfig(scope, scope.azureTarget.plan.clusterName);
    if (scope.kind === "waiting") throw scope.reason;
    await scope.azureTarget?.connect();
  } catch (error) {
    throw blocked(context, error);
  }
  return next;
}

async function keepConfig({ shared: { ports, memory }, context }: Scope, clusterName: string): Promise<void> {
  const { object: owner } = context;
  const known = memory.of(owner.metadata.uid ?? "");
  const { cloudConfig: checked } = known;
  const request = { owner, machines: owner.spec, clusterName, checked };
  known.cloudConfig = await keepCloudConfig(ports, context, request);
}

function normalScope(shared: Shared, context: Context<AzureMachinePool>): NormalScope | WaitingScope {
  const { object: pool } = context;
  const machinePool = ownerOf(context);
  const { clusterName } = machinePool.spec;
  const owners = ownersOf(context, machinePool);
  const pass = { context, pool, shared, conditions: pool.status?.conditions };
  if (owners instanceof Failure) {
    const memory = shared.memory.of(pool.metadata.uid ?? "");
    const cluster = context.cache.get(Cluster, { name: clusterName, namespace: pool.metadata.namespace });
    const isClusterGoing = cluster?.metadata.deletionTimestamp !== undefined;
    return { ...pass, kind: "waiting", clusterName, reason: owners, memory, cluster, isClusterGoing };
  }
  const azureTarget = azureTargetOf(shared, context, owners);
  const { subscriptionID } = azureTarget.plan;
  const facts = { pool, clusterName, subscriptionID, ...owners };
  return {
    ...pass,
    kind: "normal",
    memory: memoryOf(shared, pool, azureTarget.arm),
    azureTarget,
    owners,
    desired: { model: scaleSetModelOf(facts), hash: desiredHashOf(facts, shared.hashFunctions) },
    cluster: owners.cluster,
    isClusterGoing: owners.cluster.metadata.deletionTimestamp !== undefined,
  };
}

function deletingScope(shared: Shared, context: Context<AzureMachinePool>): DeletingScope {
  const { object: pool } = context;
  const { cluster, azureCluster, clusterName } = clusterLabelled(context);
  if (hasBegun(pool) && !azureCluster) throw orphaned(pool, clusterName);
  const isTouched = hasBegun(pool) && azureCluster !== undefined;
  const azureTarget = isTouched ? azureTargetOf(shared, context, { azureCluster, clusterName }) : undefined;
  return {
    kind: "deleting",
    context,
    pool,
    shared,
    memory: memoryOf(shared, pool, azureTarget?.arm),
    azureTarget,
    conditions: pool.status?.conditions,
    cluster,
    isClusterGoing: !cluster || cluster.metadata.deletionTimestamp !== undefined,
  };
}

interface LabelledCluster {
  readonly clusterName: string;
  readonly cluster: Frozen<Cluster> | undefined;
  readonly azureCluster: Frozen<AzureCluster> | undefined;
}

/** The cluster by the label of the pool: its MachinePool may be gone already. */
function clusterLabelled({ object, cache }: Context<AzureMachinePool>): LabelledCluster {
  const { namespace, labels } = object.metadata;
  const clusterName = labels?.[CLUSTER_NAME_LABEL] ?? "";
  const cluster = cache.get(Cluster, { name: clusterName, namespace });
  const azureCluster = cache.get(AzureCluster, azureClusterNameOf(cache, { name: clusterName, namespace }));
  return { clusterName, cluster, azureCluster };
}

function orphaned({ metadata, spec }: Frozen<AzureMachinePool>, clusterName: string): Failure {
  const set = spec.providerID ?? metadata.name;
  const message = `Cluster ${JSON.stringify(clusterName)} has no AzureCluster whose identity could delete the scale set ${set}; delete the scale set in Azure, then remove the finalizer`;
  return waiting("AzureClusterMissing", message);
}

function memoryOf(
  { memory }: Shared,
  { metadata }: Frozen<AzureMachinePool>,
  arm: Arm | undefined,
): PoolMemory {
  const known = memory.of(metadata.uid ?? "");
  if (arm) known.use(arm);
  return known;
}

/** Whether anything was ever written to Azure for a pool: the intent of the first write is in the status before it. */
export function hasBegun({ spec, status }: Frozen<AzureMachinePool>): boolean {
  return spec.providerID !== undefined || status?.operation !== undefined || status?.modelHash !== undefined;
}

interface AzureTargetFacts {
  /** The name of the controller, in metrics and towards Azure. */
  readonly controller?: string;
  readonly azureCluster: Frozen<AzureCluster>;
  readonly clusterName?: string;
  readonly machinePool?: Frozen<MachinePool>;
}

/** Where the scale set of a pool is, and a client for it that has not connected yet. */
export function azureTargetOf(
  shared: { readonly ports: AzureClientPorts },
  context: Context<AzureMachinePool>,
  facts: AzureTargetFacts,
): AzureTarget {
  const { object: pool, cache } = context;
  const { azureCluster, machinePool, controller = CONTROLLER } = facts;
  const { clusterName = machinePool?.spec.clusterName ?? "" } = facts;
  const subscriptionID = subscriptionOf(shared.ports, azureCluster);
  const request = { cluster: azureCluster, cache, controller };
  const plan = clusterPlanOf({ azureCluster, clusterName, subscriptionID });
  return {
    ...lazyArm(() => armClientFor(shared.ports, request)),
    plan,
    scaleSetID: scaleSetIDOf(plan, pool.metadata.name),
    location: pool.spec.location.replaceAll(" ", "").toLowerCase(),
    poolKey: `${pool.metadata.namespace}/${pool.metadata.name}`,
  };
}

function ownersOf(context: Context<AzureMachinePool>, machinePool: Frozen<MachinePool>): Owners | Failure {
  const { clusterName, template } = machinePool.spec;
  const parents = readyCluster(context, clusterName);
  if (!parents) {
    const message = `The infrastructure of Cluster ${JSON.stringify(clusterName)} is not ready yet`;
    return waiting("WaitingForClusterInfrastructure", message);
  }
  if (template.spec.bootstrap.dataSecretName === undefined) {
    const message = `MachinePool ${JSON.stringify(machinePool.metadata.name)} has no bootstrap data yet`;
    return waiting("WaitingForBootstrapData", message);
  }
  return { machinePool, ...parents };
}

function ownerOf({ object, cache }: Context<AzureMachinePool>): Frozen<MachinePool> {
  const { namespace, ownerReferences = [] } = object.metadata;
  const reference = ownerReferences.find(
    ({ kind, apiVersion }) => kind === MachinePool.kind && groupOf(apiVersion) === MachinePool.group,
  );
  const owner = reference && cache.get(MachinePool, { name: reference.name, namespace });
  if (owner) return owner;
  const message =
    "No MachinePool refers to this AzureMachinePool in spec.template.spec.infrastructureRef yet";
  throw waiting("WaitingForMachinePoolOwner", message);
}

function readyCluster(
  { object, cache }: Context<AzureMachinePool>,
  name: string,
): Pick<Owners, "cluster" | "azureCluster"> | undefined {
  const { namespace } = object.metadata;
  const cluster = cache.get(Cluster, { name, namespace });
  if (cluster?.status?.infrastructureReady !== true) return undefined;
  const azureCluster = cache.get(AzureCluster, {
    name: cluster.spec.infrastructureRef?.name ?? "",
    namespace,
  });
  return azureCluster?.status?.ready === true ? { cluster, azureCluster } : undefined;
}

/** Sets the condition that says why nothing is done, and returns the error. */
function blocked(context: Context<AzureMachinePool>, error: unknown): unknown {
  if (error instanceof Failure) {
    const { reason, message, failure } = error;
    const severity = failure === "Terminal" ? "Error" : failure === "Waiting" ? "Info" : "Warning";
    context.setCondition({ type: SCALE_SET_RUNNING, status: "False", severity, reason, message });
  }
  return error;
}
