import {
  AzureMachinePool,
  type AzureMachinePoolMachine,
  Cluster,
  CLUSTER_NAME_LABEL,
  deepCopy,
  type Frozen,
  isPausedByAnnotation,
  MachinePool,
  type Node,
  parseProviderId,
  POOL_NAME_LABEL,
  providerIdProblem,
} from "@capstan/api";
import type { Clock } from "@capstan/env";
import type { CacheReader, Client, Context, Editable } from "@capstan/runtime";
import type { InstanceCache, ObservedInstance } from "@capstan/azure";
import type { Refusals } from "../../workload/drain/refusals.ts";
import type { WorkloadAccess } from "../../workload/workload-clusters.ts";
import { providerKey } from "../../workload/nodes.ts";
import { poolNameOf, poolReferenceOf } from "../../pools/machines-of-pool.ts";
import type { NodeLookup } from "../../workload/find-node.ts";

export interface AzureMachinePoolMachinePorts {
  readonly clock: Clock;
  readonly workloads: Pick<WorkloadAccess, "get" | "onNodeChange">;
  /** The instances that the pool controller has listed; the machine controller never calls Azure. */
  readonly scaleSets: Pick<InstanceCache, "instance" | "onChange">;
}

/** One pass over one machine. */
export interface Scope {
  readonly context: Context<AzureMachinePoolMachine>;
  readonly machine: Editable<AzureMachinePoolMachine>;
  readonly ports: AzureMachinePoolMachinePorts;
  /** Cached Nodes whose deletion was requested: the cache shows the deletion later. */
  readonly askedToGo: WeakSet<Frozen<Node>>;
  /** Refused evictions of all workload clusters. */
  readonly refusals: Refusals;
  /** The status at the start of the pass. */
  readonly before: Editable<AzureMachinePoolMachine>["status"];
  readonly pool: Frozen<AzureMachinePool> | undefined;
  readonly machinePool: Frozen<MachinePool> | undefined;
  readonly cluster: Frozen<Cluster> | undefined;
  observed: ObservedInstance;
  node: NodeLookup;
  /** A client of the workload cluster, while it answers. */
  workload?: Client;
  /** The pass has nothing to report: the status stays as it was. */
  isQuiet?: boolean;
}

const NOT_LOOKED_YET = {
  state: "unknown",
  reason: "NotLookedYet",
  message: "The controller has not looked up the Node yet",
} as const;

export function buildScope(
  { ports, askedToGo, refusals }: Pick<Scope, "ports" | "askedToGo" | "refusals">,
  context: Context<AzureMachinePoolMachine>,
): Scope {
  const { object: machine, cache } = context;
  const { namespace, labels = {} } = machine.metadata;
  const named = (label: string) => ({ name: labels[label] ?? "", namespace });
  return {
    context,
    machine,
    ports,
    askedToGo,
    refusals,
    before: deepCopy(machine.status),
    pool: poolOf(machine, cache),
    machinePool: cache.get(MachinePool, named(POOL_NAME_LABEL)),
    cluster: cache.get(Cluster, named(CLUSTER_NAME_LABEL)),
    observed: { state: "unknown" },
    node: NOT_LOOKED_YET,
  };
}

/** The pool that owns a machine, compared by UID, so that a new pool of the same name does not match. */
function poolOf(
  machine: Frozen<AzureMachinePoolMachine>,
  cache: CacheReader,
): Frozen<AzureMachinePool> | undefined {
  const name = poolNameOf(machine);
  const pool = cache.get(AzureMachinePool, { name, namespace: machine.metadata.namespace });
  const owner = poolReferenceOf(machine);
  return owner && owner.uid !== pool?.metadata.uid ? undefined : pool;
}

const INSTANCE = /\/virtualmachines\/[^/]+$/;

/** Whether the instance belongs to the pool's scale set; a machine that a user created may name any VM. */
export function isOfPool(machine: Frozen<AzureMachinePoolMachine>, pool: Frozen<AzureMachinePool>): boolean {
  const { providerID } = machine.spec;
  const setID = pool.spec.providerID;
  if (setID !== undefined) return providerKey(providerID).replace(INSTANCE, "") === providerKey(setID);
  if (providerIdProblem(providerID) !== undefined) return false;
  return parseProviderId(providerID).kind === "scaleSetInstance";
}

/** Whether a user has paused the pool. */
export function isPoolPaused({ pool, machinePool }: Scope): boolean {
  return [pool, machinePool].some((object) => object !== undefined && isPausedByAnnotation(object));
}
