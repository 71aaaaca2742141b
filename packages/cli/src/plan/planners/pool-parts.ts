import {
  AzureCluster,
  AzureMachinePool,
  type AzureMachinePoolMachine,
  type Cluster,
  type Frozen,
  groupOf,
  type KubernetesObject,
  MachinePool,
} from "@capstan/api";
import { MACHINE_POOL_LABEL } from "@capstan/manager";
import { CommandError } from "../../command-error.ts";
import { type PlanObjects, titleOf } from "../read/given-objects.ts";

/** A pool with all objects that decide about it. */
export interface PoolParts {
  readonly pool: Frozen<AzureMachinePool>;
  readonly machinePool: Frozen<MachinePool>;
  /** Other MachinePools that refer to the pool; the controllers ignore them. */
  readonly rivals: readonly Frozen<MachinePool>[];
  readonly machines: readonly Frozen<AzureMachinePoolMachine>[];
  /** Absent if only the objects of the pool itself are known. */
  readonly cluster: Frozen<Cluster> | undefined;
  readonly azureCluster: Frozen<AzureCluster> | undefined;
}

/** Collects the objects that belong to a pool; throws if its MachinePool is missing, with the next step. */
export function partsOf(pool: Frozen<AzureMachinePool>, objects: PlanObjects, advice: string): PoolParts {
  const machinePool = machinePoolOf(pool, objects.machinePools);
  if (!machinePool) {
    throw new CommandError(`${whyNoMachinePool(pool)}; ${advice}`);
  }
  const cluster = objects.clusters.find(
    (one) => one.metadata.name === machinePool.spec.clusterName && isBeside(one, machinePool),
  );
  const reference = cluster?.spec.infrastructureRef;
  const azureCluster = objects.azureClusters.find(
    (one) =>
      reference?.kind === AzureCluster.kind &&
      one.metadata.name === reference.name &&
      isBeside(one, machinePool),
  );
  const machines = objects.machines.filter((machine) => isOwnedBy(machine, pool));
  const rivals = objects.machinePools.filter((one) => one !== machinePool && isFor(one, pool));
  return { pool, machinePool, rivals, machines, cluster, azureCluster };
}

/**
 * The MachinePool of a pool, as the controllers choose it: its owner, or without an owner the one that refers to it.
 */
export function machinePoolOf(
  pool: Frozen<AzureMachinePool>,
  machinePools: readonly Frozen<MachinePool>[],
): Frozen<MachinePool> | undefined {
  const owner = ownerNameOf(pool);
  return machinePools.find((one) =>
    owner === undefined ? isFor(one, pool) : one.metadata.name === owner && isBeside(one, pool),
  );
}

/** The name of the MachinePool that owns a pool. */
function ownerNameOf({ metadata }: Frozen<AzureMachinePool>): string | undefined {
  return metadata.ownerReferences?.find(
    ({ kind, apiVersion }) => kind === MachinePool.kind && groupOf(apiVersion) === MachinePool.group,
  )?.name;
}

/** Refuses a MachinePool that refers to another MachinePool's pool: the controllers ignore it, so there is no plan. */
export function refusePoolOfAnother(pool: Frozen<AzureMachinePool>, machinePool: Frozen<MachinePool>): void {
  const owner = ownerNameOf(pool);
  if (owner === undefined || owner === machinePool.metadata.name) return;
  throw new CommandError(
    `${titleOf(machinePool)} refers to ${titleOf(pool)}, which belongs to MachinePool ${owner}; each needs an AzureMachinePool of its own`,
  );
}

/** Why a pool has no MachinePool. */
export function whyNoMachinePool(pool: Frozen<AzureMachinePool>): string {
  const owner = ownerNameOf(pool);
  return owner === undefined
    ? `no MachinePool refers to ${titleOf(pool)}`
    : `${titleOf(pool)} belongs to MachinePool ${owner}, which does not exist`;
}

/** The other MachinePools that refer to a pool, one line each. */
export function rivalNotes({ pool, machinePool, rivals }: PoolParts): readonly string[] {
  const { name } = machinePool.metadata;
  const why = ownerNameOf(pool) === undefined ? `${name} comes first` : `it belongs to ${name}`;
  return rivals.map((rival) => `${titleOf(rival)} refers to ${titleOf(pool)}, too, and is ignored: ${why}`);
}

/** Whether a MachinePool refers to a pool as its infrastructure. */
export function isFor(machinePool: Frozen<MachinePool>, pool: Frozen<AzureMachinePool>): boolean {
  const { metadata, spec } = machinePool;
  const { kind, name } = spec.template.spec.infrastructureRef;
  return (
    kind === AzureMachinePool.kind &&
    name === pool.metadata.name &&
    metadata.namespace === pool.metadata.namespace
  );
}

/** Whether a machine belongs to the pool: by its owner, or by its label if it has no owner. */
function isOwnedBy(machine: Frozen<AzureMachinePoolMachine>, pool: Frozen<AzureMachinePool>): boolean {
  if (!isBeside(machine, pool)) return false;
  const owners = machine.metadata.ownerReferences?.filter(({ kind }) => kind === AzureMachinePool.kind) ?? [];
  if (owners.length > 0) return owners.some(({ name }) => name === pool.metadata.name);
  return machine.metadata.labels?.[MACHINE_POOL_LABEL] === pool.metadata.name;
}

function isBeside(one: Frozen<KubernetesObject>, other: Frozen<KubernetesObject>): boolean {
  return one.metadata.namespace === other.metadata.namespace;
}
