import {
  AzureCluster,
  AzureMachinePool,
  AzureMachinePoolMachine,
  AzureManagedMachinePool,
  Cluster,
  type Frozen,
  MachinePool,
} from "@capstan/api";
import { MACHINE_POOL_LABEL } from "@capstan/manager";
import type { Client } from "@capstan/runtime";
import { unknownName } from "../cluster/unknown-name.ts";
import { CommandError } from "../command-error.ts";
import { NO_OBJECTS } from "../plan/read/given-objects.ts";
import {
  isFor,
  machinePoolOf,
  partsOf,
  type PoolParts,
  refusePoolOfAnother,
} from "../plan/planners/pool-parts.ts";
import { OWNER_KINDS, ownerWord } from "./owner-progress.ts";
import { type KindOfPool, KINDS_OF_POOLS, type PoolName } from "./pool-name.ts";

/** Finds a pool by the name of its AzureMachinePool or of its MachinePool, with or without the kind. */
export async function findPool(
  client: Client,
  { name: given, namespace }: PoolName,
): Promise<Frozen<AzureMachinePool>> {
  const { name, kinds } = meantBy(given);
  const [pool, machinePool] = await Promise.all([
    kinds.has("pool") ? client.find(AzureMachinePool, { name, namespace }) : undefined,
    kinds.has("machinePool") ? client.find(MachinePool, { name, namespace }) : undefined,
  ]);
  if (pool && machinePool && !isFor(machinePool, pool)) {
    throw new CommandError(
      `AzureMachinePool and MachinePool ${name} do not belong to one pool; choose one: amp/${name} or mp/${name}`,
    );
  }
  const found = pool ?? (machinePool && (await infrastructureOf(client, machinePool)));
  if (!found) {
    await refuseOwner(client, { name, namespace });
    const called = { noun: "pool", name: given };
    throw await unknownName(client, { kind: AzureMachinePool, called, name, namespace });
  }
  return found;
}

/** People name a MachineDeployment as kubectl prints it, without its kind. */
async function refuseOwner(client: Client, name: { name: string; namespace: string }): Promise<void> {
  const owners = await Promise.all(OWNER_KINDS.map((kind) => client.find(kind, name)));
  const kind = OWNER_KINDS.find((_, index) => owners[index] !== undefined);
  if (kind)
    throw new CommandError(`${name.name} is a ${kind.kind}; name it as ${ownerWord(kind, name.name)}`);
}

function meantBy(given: string): { readonly name: string; readonly kinds: ReadonlySet<KindOfPool> } {
  const [first = "", ...rest] = given.split("/");
  if (rest.length === 0) return { name: first, kinds: new Set(Object.values(KINDS_OF_POOLS)) };
  const kind = KINDS_OF_POOLS[first.toLowerCase()];
  const [name = "", ...more] = rest;
  if (kind !== undefined && name !== "" && more.length === 0) return { name, kinds: new Set([kind]) };
  throw new CommandError(
    `${JSON.stringify(given)} is not the name of a pool; write NAME, NAMESPACE/NAME, azuremachinepool/NAME or machinepool/NAME`,
  );
}

async function infrastructureOf(
  client: Client,
  machinePool: Frozen<MachinePool>,
): Promise<Frozen<AzureMachinePool> | undefined> {
  const { metadata, spec } = machinePool;
  const { namespace } = metadata;
  const { kind, name } = spec.template.spec.infrastructureRef;
  if (kind === AzureManagedMachinePool.kind) {
    throw new CommandError(
      `MachinePool ${metadata.name} is a node pool of AKS, which replaces its nodes itself; see: kubectl describe azuremanagedmachinepool ${name}`,
    );
  }
  if (kind !== AzureMachinePool.kind) {
    throw new CommandError(
      `MachinePool ${metadata.name} belongs to another provider: its machines are of ${kind}`,
    );
  }
  const pool = await client.find(AzureMachinePool, { name, namespace });
  if (pool) refusePoolOfAnother(pool, machinePool);
  return pool;
}

/** Reads all objects that decide about a pool from its management cluster; the caller may pass the MachinePools. */
export async function readPool(
  client: Client,
  pool: Frozen<AzureMachinePool>,
  given: readonly Frozen<MachinePool>[] = [],
): Promise<PoolParts> {
  const { name, namespace = "default" } = pool.metadata;
  const [stored, machines] = await Promise.all([
    client.list(MachinePool, { namespace }),
    client.list(AzureMachinePoolMachine, { namespace, labelSelector: `${MACHINE_POOL_LABEL}=${name}` }),
  ]);
  const machinePools = [...given, ...stored.filter((one) => !given.some((other) => isSame(one, other)))];
  const around = await clusterAround(client, machinePoolOf(pool, machinePools));
  return partsOf(pool, { ...NO_OBJECTS, pools: [pool], machinePools, machines, ...around }, ADVICE);
}

const ADVICE =
  "the controllers ignore it until one does: apply it, or give its manifest to capstan plan as well";

function isSame({ metadata: one }: Frozen<MachinePool>, { metadata: other }: Frozen<MachinePool>): boolean {
  return one.name === other.name && one.namespace === other.namespace;
}

async function clusterAround(
  client: Client,
  machinePool: Frozen<MachinePool> | undefined,
): Promise<{ clusters: readonly Frozen<Cluster>[]; azureClusters: readonly Frozen<AzureCluster>[] }> {
  const { namespace } = machinePool?.metadata ?? {};
  const cluster =
    machinePool && (await client.find(Cluster, { name: machinePool.spec.clusterName, namespace }));
  const { kind, name } = cluster?.spec.infrastructureRef ?? {};
  const azureCluster =
    kind === AzureCluster.kind && name ? await client.find(AzureCluster, { name, namespace }) : undefined;
  return { clusters: cluster ? [cluster] : [], azureClusters: azureCluster ? [azureCluster] : [] };
}
