import {
  AzureCluster,
  type AzureMachinePool,
  Cluster,
  CLUSTER_NAME_LABEL,
  type Frozen,
  groupOf,
  MachinePool,
} from "@capstan/api";
import type { Clock } from "@capstan/env";
import { type Context, type Editable, Failure, waiting } from "@capstan/runtime";
import type { SecretPorts } from "../../azure/credentials/proof.ts";
import type { Arm } from "../../azure/port.ts";
import type { ScaleSetInstance } from "../../azure/scale-set/instance.ts";
import type { InstanceCache } from "../../azure/scale-set/instance-cache.ts";
import { armClientFor, type AzureClientPorts, subscriptionOf } from "../../azure-cluster/arm-client.ts";
import { azureClusterNameOf } from "../../azure-cluster/members.ts";
import type { ClusterSpecView } from "../../azure-cluster/spec-view.ts";
import type { PoolPlan } from "../../rollout/scale-set/plan.ts";
import type { PoolView } from "../../rollout/scale-set/view.ts";
import type { WorkloadAccess } from "../../workload/workload-clusters.ts";
import { keepCloudConfig } from "./cloud-config-secret.ts";
import type { Memory, PoolMemory } from "./memory.ts";
import { type HashFunction, wantedHashOf, type WantedHash } from "./model-hash.ts";
import type { MachineFacts } from "./machine-view.ts";
import type { SeenSet } from "./scale-set-body.ts";
import { clusterPlanOf, scaleSetIDOf, type WantedModel, wantedModelOf } from "./wanted-model.ts";

/** What the reconciler of AzureMachinePools works with. */
export interface AzureMachinePoolPorts extends AzureClientPorts {
  readonly clock: Clock;
  readonly workloads: Pick<WorkloadAccess, "get" | "onNodeChange">;
  /** What lists have shown: this reconciler records, that of the machines looks. */
  readonly scaleSets: InstanceCache;
  readonly readSecret: SecretPorts["readSecret"];
}

/** What the passes of one process share. */
export interface Shared {
  readonly ports: AzureMachinePoolPorts;
  readonly memory: Memory;
  /** The ways to tell models apart that this release knows, the newest last. */
  readonly hashFunctions: readonly HashFunction[];
}

/** Who a pool belongs to. */
interface Owners {
  readonly machinePool: Frozen<MachinePool>;
  readonly cluster: Frozen<Cluster>;
  readonly azureCluster: Frozen<AzureCluster>;
}

/** Where the scale set of a pool is, and the way there. */
interface AzureTarget {
  readonly arm: Arm;
  readonly plan: ClusterSpecView;
  readonly scaleSetID: string;
  readonly location: string;
  /** The pool in one text, for the tag by which its scale set is known. */
  readonly poolKey: string;
}

/** What is wanted. */
interface DesiredModel {
  readonly model: WantedModel;
  readonly hash: WantedHash;
}

/** What a pass has seen. */
export interface Observation {
  readonly set: SeenSet | undefined;
  /** The scale set was read in this very pass, and its instances after it. */
  readonly isLiveRead: boolean;
  readonly instances: readonly ScaleSetInstance[];
  readonly listedAtMs: number;
  readonly machines: readonly MachineFacts[];
  /** Those of them that do not work: whatever is deleted, updated or drained is among them. */
  readonly unavailable: readonly MachineFacts[];
  readonly view: PoolView;
  readonly planned: PoolPlan;
}

/** One pass over one AzureMachinePool. */
export interface Scope {
  readonly context: Context<AzureMachinePool>;
  readonly pool: Editable<AzureMachinePool>;
  readonly shared: Shared;
  readonly memory: PoolMemory;
  /** Undefined when a pool is deleted for which nothing was ever begun. */
  readonly azureTarget: AzureTarget | undefined;
  /** Undefined when a pool is deleted. */
  readonly owners: Owners | undefined;
  readonly desired: DesiredModel | undefined;
  readonly cluster: Frozen<Cluster> | undefined;
  /** Whether the cluster as a whole goes. */
  readonly isClusterGoing: boolean;
  /** What the conditions said when the pass began. */
  readonly conditions: NonNullable<Editable<AzureMachinePool>["status"]>["conditions"];
  observation?: Observation;
  /** The pass has found nothing that anybody wants to know: the conditions stay as they were. */
  isQuiet?: boolean;
  /** Why the scale set cannot be written at the moment. */
  trouble?: Error;
  /** Why what is wanted cannot be built at all: nothing is begun, and what goes on by itself goes on. */
  refusal?: Failure;
}

/** The name of the reconciler, in metrics and towards Azure. */
export const CONTROLLER = "azuremachinepool";
/** CAPZ's condition for the scale set as a whole. */
export const SCALE_SET_RUNNING = "ScaleSetRunning";

/** A part of the scope that a phase cannot do without. */
export function needed<T>(part: T | undefined): T {
  if (part === undefined) throw new Error("a phase ran without what it needs");
  return part;
}

/** Finds out whose pool it is and how to reach Azure for it. Nothing is touched when that is not clear. */
export async function buildScope(shared: Shared, context: Context<AzureMachinePool>): Promise<Scope> {
  const { object: pool } = context;
  try {
    return pool.metadata.deletionTimestamp === undefined
      ? await normalScope(shared, context)
      : await deletingScope(shared, context);
  } catch (error) {
    throw blocked(context, error);
  }
}

async function normalScope(shared: Shared, context: Context<AzureMachinePool>): Promise<Scope> {
  const { object: pool } = context;
  const machinePool = ownerOf(context);
  // First of all: bootstrap data may be made from it.
  await keepCloudConfig(shared, context, machinePool.spec.clusterName);
  const owners = ownersOf(context, machinePool);
  const azureTarget = await azureTargetOf(shared, context, owners);
  const { clusterName, subscriptionID } = azureTarget.plan;
  const facts = { pool, clusterName, subscriptionID, ...owners };
  return {
    context,
    pool,
    shared,
    memory: memoryOf(shared, pool, azureTarget.arm),
    azureTarget,
    owners,
    desired: { model: wantedModelOf(facts), hash: wantedHashOf(facts, shared.hashFunctions) },
    conditions: pool.status?.conditions,
    cluster: owners.cluster,
    isClusterGoing: owners.cluster.metadata.deletionTimestamp !== undefined,
  };
}

async function deletingScope(shared: Shared, context: Context<AzureMachinePool>): Promise<Scope> {
  const { object: pool } = context;
  const { cluster, azureCluster, clusterName } = clusterLabelled(context);
  if (hasBegun(pool) && !azureCluster) throw orphaned(pool, clusterName);
  const isTouched = hasBegun(pool) && azureCluster !== undefined;
  const azureTarget = isTouched
    ? await azureTargetOf(shared, context, { azureCluster, clusterName })
    : undefined;
  return {
    context,
    pool,
    shared,
    memory: memoryOf(shared, pool, azureTarget?.arm),
    azureTarget,
    owners: undefined,
    desired: undefined,
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
  readonly azureCluster: Frozen<AzureCluster>;
  readonly clusterName?: string;
  readonly machinePool?: Frozen<MachinePool>;
}

async function azureTargetOf(
  shared: Shared,
  context: Context<AzureMachinePool>,
  facts: AzureTargetFacts,
): Promise<AzureTarget> {
  const { object: pool, cache } = context;
  const { azureCluster, machinePool, clusterName = machinePool?.spec.clusterName ?? "" } = facts;
  const subscriptionID = subscriptionOf(shared.ports, azureCluster);
  const arm = await armClientFor(shared.ports, { cluster: azureCluster, cache, controller: CONTROLLER });
  const plan = clusterPlanOf({ azureCluster, clusterName, subscriptionID });
  return {
    arm,
    plan,
    scaleSetID: scaleSetIDOf(plan, pool.metadata.name),
    location: pool.spec.location.replaceAll(" ", "").toLowerCase(),
    poolKey: `${pool.metadata.namespace}/${pool.metadata.name}`,
  };
}

function ownersOf(context: Context<AzureMachinePool>, machinePool: Frozen<MachinePool>): Owners {
  const { clusterName, template } = machinePool.spec;
  const parents = readyCluster(context, clusterName);
  if (!parents) {
    const message = `The infrastructure of Cluster ${JSON.stringify(clusterName)} is not ready yet`;
    throw waiting("WaitingForClusterInfrastructure", message);
  }
  if (template.spec.bootstrap.dataSecretName === undefined) {
    const message = `MachinePool ${JSON.stringify(machinePool.metadata.name)} has no bootstrap data yet`;
    throw waiting("WaitingForBootstrapData", message);
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

/** Marks why nothing is done; says it again by failing. */
function blocked(context: Context<AzureMachinePool>, error: unknown): unknown {
  if (error instanceof Failure) {
    const { reason, message, failure } = error;
    const severity = failure === "Terminal" ? "Error" : failure === "Waiting" ? "Info" : "Warning";
    context.setCondition({ type: SCALE_SET_RUNNING, status: "False", severity, reason, message });
  }
  return error;
}
