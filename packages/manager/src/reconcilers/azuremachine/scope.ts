import {
  AzureCluster,
  type AzureMachine,
  Cluster,
  CLUSTER_NAME_LABEL,
  CONTROL_PLANE_LABEL,
  type Frozen,
  groupOf,
  Machine,
} from "@capstan/api";
import type { Clock } from "@capstan/env";
import {
  type Context,
  type Editable,
  explainedBy,
  Failure,
  next,
  type Outcome,
  waiting,
} from "@capstan/runtime";
import {
  type LazyArm,
  lazyArm,
  patientArm,
  type PollBackoff,
  type RegionSizes,
  type VirtualMachineLists,
} from "@capstan/azure";
import { armClientFor, type AzureClientPorts, subscriptionOf } from "../../azure-cluster/arm-client.ts";
import { azureClusterNameOf } from "../../azure-cluster/members.ts";
import { clusterPlanOf } from "../../azure-cluster/spec-view.ts";
import type { MachineFacts } from "./bodies.ts";

/** What the reconciler of AzureMachines works with. */
export interface AzureMachinePorts extends AzureClientPorts {
  readonly clock: Clock;
  readonly regionSizes: RegionSizes;
}

/** What the passes of one process share. */
export interface Shared {
  readonly ports: AzureMachinePorts;
  readonly lists: VirtualMachineLists;
  readonly pollBackoff: PollBackoff;
}

/** What every pass over an AzureMachine has. */
interface Pass {
  readonly context: Context<AzureMachine>;
  readonly machine: Editable<AzureMachine>;
  readonly shared: Shared;
}

/** A pass that can reach Azure. */
export interface AzurePass extends Pass {
  readonly azure: LazyArm;
  readonly facts: MachineFacts;
}

/** A pass over a machine whose cluster and bootstrap data are ready. */
export interface NormalScope extends AzurePass {
  readonly kind: "normal";
  readonly dataSecretName: string;
  /** The ARM id of a resource whose PUT has ended well in this pass: it needs no read. */
  written?: string;
}

/** A pass over a machine that waits for its owner, its cluster or its bootstrap data. */
interface WaitingScope extends Pass {
  readonly kind: "waiting";
  readonly reason: Failure;
}

/** A pass over a machine that is being deleted; without a target when nothing was ever written to Azure for it. */
export interface DeletingScope extends Pass {
  readonly kind: "deleting";
  readonly target: AzurePass | undefined;
}

/** One pass over one AzureMachine. */
export type Scope = NormalScope | WaitingScope | DeletingScope;

/** The name of the reconciler, in metrics and towards Azure. */
export const CONTROLLER = "azuremachine";
/** CAPZ's condition of the virtual machine. */
export const VM_RUNNING = "VMRunning";
/** CAPZ's condition of the network interfaces. */
export const INTERFACES_READY = "NetworkInterfacesReady";
/** CAPZ's condition of the disks, which the virtual machine creates. */
export const DISKS_READY = "DisksReady";

/** Finds the owners of a machine and its place in Azure, from the cache alone. */
export function buildScope(shared: Shared, context: Context<AzureMachine>): Scope {
  const { object: machine } = context;
  const pass: Pass = { context, machine, shared };
  try {
    return machine.metadata.deletionTimestamp === undefined ? normalScope(pass) : deletingScope(pass);
  } catch (error) {
    if (error instanceof Failure) return { ...pass, kind: "waiting", reason: error };
    throw error;
  }
}

/** Reports why a machine waits, or gets the credentials for Azure. */
export async function prepare(scope: Scope): Promise<Outcome> {
  try {
    if (scope.kind === "waiting") throw scope.reason;
    const azure = scope.kind === "normal" ? scope.azure : scope.target?.azure;
    await azure?.connect();
  } catch (error) {
    throw blocked(scope.context, error);
  }
  return next;
}

function normalScope(pass: Pass): NormalScope {
  const owner = ownerOf(pass.context);
  const { clusterName, bootstrap } = owner.spec;
  const azureCluster = readyCluster(pass.context, clusterName);
  const { dataSecretName } = bootstrap;
  if (dataSecretName === undefined) {
    const message = `Machine ${JSON.stringify(owner.metadata.name)} has no bootstrap data yet`;
    throw waiting("WaitingForBootstrapData", message);
  }
  return { ...targetOf(pass, { azureCluster, clusterName, owner }), kind: "normal", dataSecretName };
}

function deletingScope(pass: Pass): DeletingScope {
  const { machine, context } = pass;
  const { namespace, labels } = machine.metadata;
  if (!hasBegun(machine)) return { ...pass, kind: "deleting", target: undefined };
  const clusterName = labels?.[CLUSTER_NAME_LABEL] ?? "";
  const name = azureClusterNameOf(context.cache, { name: clusterName, namespace });
  const azureCluster = context.cache.get(AzureCluster, name);
  if (!azureCluster) {
    const message = `Cluster ${JSON.stringify(clusterName)} has no AzureCluster whose identity could delete the virtual machine ${machine.metadata.name}; delete it in Azure, then remove the finalizer`;
    throw waiting("AzureClusterMissing", message);
  }
  return { ...pass, kind: "deleting", target: targetOf(pass, { azureCluster, clusterName }) };
}

/** Whether anything was ever written to Azure for a machine: the first intent and this condition are in the status before it. */
export function hasBegun({ spec, status }: Frozen<AzureMachine>): boolean {
  const hasCondition = status?.conditions?.some(({ type }) => type === INTERFACES_READY);
  return spec.providerID !== undefined || status?.operation !== undefined || hasCondition === true;
}

interface Owners {
  readonly azureCluster: Frozen<AzureCluster>;
  readonly clusterName: string;
  /** Absent while the machine is deleted: its Machine may be gone. */
  readonly owner?: Frozen<Machine>;
}

function targetOf(pass: Pass, { azureCluster, clusterName, owner }: Owners): AzurePass {
  const { context, machine, shared } = pass;
  const subscriptionID = subscriptionOf(shared.ports, azureCluster);
  const request = { cluster: azureCluster, cache: context.cache, controller: CONTROLLER };
  return {
    ...pass,
    azure: lazyArm(async () => patientArm(await armClientFor(shared.ports, request), shared.ports.clock)),
    facts: {
      machine,
      plan: clusterPlanOf({ azureCluster, clusterName, subscriptionID }),
      isControlPlane: owner?.metadata.labels?.[CONTROL_PLANE_LABEL] !== undefined,
      version: owner?.spec.version ?? "",
      zone: owner?.spec.failureDomain ?? machine.spec.failureDomain,
    },
  };
}

function ownerOf({ object, cache }: Context<AzureMachine>): Frozen<Machine> {
  const { namespace, ownerReferences = [] } = object.metadata;
  const reference = ownerReferences.find(
    ({ kind, apiVersion }) => kind === Machine.kind && groupOf(apiVersion) === Machine.group,
  );
  const owner = reference && cache.get(Machine, { name: reference.name, namespace });
  if (owner) return owner;
  const message = "No Machine refers to this AzureMachine in spec.infrastructureRef yet";
  throw waiting("WaitingForMachineOwner", message);
}

function readyCluster({ object, cache }: Context<AzureMachine>, name: string): Frozen<AzureCluster> {
  const { namespace } = object.metadata;
  const cluster = cache.get(Cluster, { name, namespace });
  const reference = { name: cluster?.spec.infrastructureRef?.name ?? "", namespace };
  const azureCluster = cache.get(AzureCluster, reference);
  if (isProvisioned(cluster) && azureCluster?.status?.ready === true) return azureCluster;
  const message = `The infrastructure of Cluster ${JSON.stringify(name)} is not ready yet`;
  throw waiting("WaitingForClusterInfrastructure", message);
}

function isProvisioned(cluster: Frozen<Cluster> | undefined): boolean {
  return cluster?.status?.initialization?.infrastructureProvisioned === true;
}

/** Sets the condition that says why nothing is done, and returns the error. */
export function blocked(context: Context<AzureMachine>, error: unknown, type = VM_RUNNING): unknown {
  return explainedBy(context, type, error);
}
