import {
  AzureCluster,
  AzureMachinePool,
  type AzureMachinePoolMachine,
  type Cluster,
  type Frozen,
  type KubernetesObject,
  type MachinePool,
} from "@capstan/api";
import { MACHINE_POOL_LABEL } from "@capstan/manager";
import { CommandError } from "../command-error.ts";
import { type PlanObjects, titleOf } from "./given-objects.ts";

/** A pool with everything that decides about it. */
export interface PoolParts {
  readonly pool: Frozen<AzureMachinePool>;
  readonly machinePool: Frozen<MachinePool>;
  readonly machines: readonly Frozen<AzureMachinePoolMachine>[];
  /** Absent where only the parts of the pool itself are known. */
  readonly cluster: Frozen<Cluster> | undefined;
  readonly azureCluster: Frozen<AzureCluster> | undefined;
}

/** Puts together what belongs to each pool; throws with what to add where something is missing. */
export function partsOfPools(objects: PlanObjects): readonly PoolParts[] {
  return objects.pools.map((pool) => partsOf(pool, objects));
}

/** Puts together what belongs to a pool. */
export function partsOf(pool: Frozen<AzureMachinePool>, objects: PlanObjects): PoolParts {
  const machinePool = objects.machinePools.find((one) => isFor(one, pool));
  if (!machinePool) {
    throw new CommandError(
      `no MachinePool refers to ${titleOf(pool)}; add it, for example with kubectl get machinepools,azuremachinepools,azuremachinepoolmachines,clusters,azureclusters -o yaml`,
    );
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
  return { pool, machinePool, machines, cluster, azureCluster };
}

/** Whether a MachinePool is the one that a pool is the infrastructure of. */
export function isFor(machinePool: Frozen<MachinePool>, pool: Frozen<AzureMachinePool>): boolean {
  const {
    kind,
    name,
    namespace = machinePool.metadata.namespace,
  } = machinePool.spec.template.spec.infrastructureRef;
  return (
    kind === AzureMachinePool.kind && name === pool.metadata.name && namespace === pool.metadata.namespace
  );
}

/** Whether a machine is of that pool: its owner says so, or its label where it has no owner. */
function isOwnedBy(machine: Frozen<AzureMachinePoolMachine>, pool: Frozen<AzureMachinePool>): boolean {
  if (!isBeside(machine, pool)) return false;
  const owners = machine.metadata.ownerReferences?.filter(({ kind }) => kind === AzureMachinePool.kind) ?? [];
  if (owners.length > 0) return owners.some(({ name }) => name === pool.metadata.name);
  return machine.metadata.labels?.[MACHINE_POOL_LABEL] === pool.metadata.name;
}

function isBeside(one: Frozen<KubernetesObject>, other: Frozen<KubernetesObject>): boolean {
  return one.metadata.namespace === other.metadata.namespace;
}
