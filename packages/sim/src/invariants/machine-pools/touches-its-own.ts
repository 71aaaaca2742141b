import {
  type AzureMachinePoolMachine,
  AzureMachinePool,
  Cluster,
  type Frozen,
  type Operation,
  UPDATE_INSTANCE_ANNOTATION,
} from "@capstan/api";
import { machineIdIn } from "../../machine-id.ts";
import type { Call } from "../../world/call.ts";
import type { Truth } from "../../world/truth.ts";
import type { Invariant } from "../invariant.ts";
import { type Commit, Commits } from "./commits.ts";
import { PoolLookup, type PoolRecord } from "./pool-lookup.ts";

// As the manager spells them, in azure-cluster/tags.ts and azuremachinepool/scale-set-body.ts; Azure ignores case.
const OWNERSHIP_TAG = "sigs.k8s.io_cluster-api-provider-azure_cluster_";
const CLUSTER_TAG = "capstan_cluster";
const POOL_TAG = "capstan_pool";

/**
 * I6. A request does not say for which pool it is sent. But a pool records its intent in its status first: the operation and
 * its resource, the machines to delete, and the machines to update. So the pool behind a request is known.
 */
export const touchesItsOwn: Invariant = {
  name: "touches-its-own",
  says: "no existing Azure resource is written without our tag or with that of another cluster or pool, and no pool changes the machines of another",
  watch: (truth) => {
    const poolLookup = new PoolLookup(truth);
    const commits = new Commits(truth);
    /** The problem of a PUT that was sent: Azure refuses to create a resource that another client has just created. */
    const doubts = new WeakMap<Call, string>();
    return {
      answered: (call, { status }) => (status < 300 ? doubts.get(call) : undefined),
      called: (call) => {
        if (!call.isWrite) return undefined;
        if (call.api === "arm") {
          const doubt = strangeWrite(truth, poolLookup, call);
          if (doubt === undefined || call.verb !== "PUT") return doubt;
          doubts.set(call, doubt);
          return undefined;
        }
        const isDeletion = call.verb === "delete" && call.resource === "azuremachinepoolmachines";
        return isDeletion && isPool(call.by) ? strangeDeletion(truth, poolLookup, call) : undefined;
      },
      happened: (event) => {
        for (const commit of commits.of(event)) {
          const problem = strangeUpdate(poolLookup, commit);
          if (problem !== undefined) return problem;
        }
        return undefined;
      },
    };
  },
};

/** Whether the actor is the pool controller, by its name in calls and traces. */
function isPool(by: string): boolean {
  return by.endsWith("azuremachinepool");
}

type Tags = ReadonlyMap<string, string>;

/** A new resource may be created; an existing one must be ours, and keep its owner. */
function strangeWrite(truth: Truth, poolLookup: PoolLookup, call: Call): string | undefined {
  const id = writtenID(call.path ?? "");
  const resource = id === undefined ? undefined : truth.azure.core.world.resources.get(id);
  if (!resource) return undefined;
  const tags = tagsIn(resource.body["tags"]);
  const problem =
    strangeOwner(truth, tags) ??
    strangeClaim(tags, tagsIn(call.tags)) ??
    strangePool(poolLookup, resource.id, tags.get(POOL_TAG));
  return problem === undefined ? undefined : `${call.by} sends ${call.verb} ${resource.id}, but ${problem}`;
}

// A peering is a resource without tags; users name the network at its other end, which is seldom ours.
const PEERING = /\/virtualnetworks\/[^/]+\/virtualnetworkpeerings\//i;
const OWNER =
  /^(\/subscriptions\/[^/]+\/resourcegroups\/[^/]+)(\/providers\/(?!microsoft\.resources\/)[^/]+\/[^/]+\/[^/]+)?/i;

/** The id of the group or resource with the tags: the outermost one in the path of a request. */
function writtenID(path: string): string | undefined {
  if (PEERING.test(path)) return undefined;
  return OWNER.exec(path)?.[0];
}

function tagsIn(tags: unknown): Tags {
  return new Map(
    Object.entries(tags ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)] as const),
  );
}

function strangeOwner(truth: Truth, tags: Tags): string | undefined {
  const owners = [...tags].flatMap(([name, value]) =>
    name.startsWith(OWNERSHIP_TAG) && value === "owned" ? [name.slice(OWNERSHIP_TAG.length)] : [],
  );
  if (owners.length === 0) return "it has no tag of ours";
  const key = tags.get(CLUSTER_TAG);
  const clusters = [...truth.management.list({ resource: `${Cluster.group}/${Cluster.plural}` })];
  const isOfOurs = clusters.some(
    ({ metadata: { name, namespace } }) =>
      owners.includes(name.toLowerCase()) && (key === undefined || key === `${namespace}/${name}`),
  );
  return isOfOurs ? undefined : `it belongs to ${key ?? owners.join(", ")}, which is not a cluster of ours`;
}

/** A write with tags names its owner in them. */
function strangeClaim(tags: Tags, written: Tags): string | undefined {
  for (const tag of [CLUSTER_TAG, POOL_TAG]) {
    const before = tags.get(tag);
    const claimed = written.get(tag);
    if (before !== undefined && claimed !== undefined && before !== claimed)
      return `it belongs to ${before} and not to ${claimed}`;
  }
  return undefined;
}

/** A scale set is written only for the pool that owns it. */
function strangePool(poolLookup: PoolLookup, id: string, key: string | undefined): string | undefined {
  if (key === undefined) return undefined;
  const pools = poolLookup.pools().map(({ pool }) => pool);
  if (!pools.some((pool) => keyOf(pool) === key)) return `it belongs to ${key}, which is not a pool of ours`;
  const other = pools.find(
    (pool) => keyOf(pool) !== key && operationsOf(pool).some((one) => isSame(one.resourceID, id)),
  );
  return other && `it belongs to ${key}, and ${keyOf(other)} has an operation on it`;
}

function operationsOf({ status }: Frozen<AzureMachinePool>): readonly Frozen<Operation>[] {
  const { operation, instanceOperations = [] } = status ?? {};
  return operation ? [operation, ...instanceOperations] : instanceOperations;
}

function keyOf({ metadata: { name, namespace } }: Frozen<AzureMachinePool>): string {
  return `${namespace}/${name}`;
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/**
 * A pool deletes a machine when the pool is deleted, when it has picked the machine, or when the instance is gone. It also
 * deletes a second resource that a user made for the same instance.
 */
function strangeDeletion(
  truth: Truth,
  poolLookup: PoolLookup,
  { by, name, namespace }: Call,
): string | undefined {
  const machine = poolLookup.machineNamed(name, namespace);
  const record = machine && ownerOf(poolLookup, machine);
  if (!record || record.isLeaving || record.pool.status?.pickedForDeletion?.includes(name)) return undefined;
  if (!hasInstance(truth, machine) || hasTwin(poolLookup, machine)) return undefined;
  const who = pickerOf(poolLookup, ({ status }) => status?.pickedForDeletion, name);
  return `${by} deletes machine ${name}, which ${who}, although ${keyOf(record.pool)} owns it and its instance exists`;
}

/** A machine is updated only because its pool has picked it. */
function strangeUpdate(
  poolLookup: PoolLookup,
  { resource, actor, object, previous }: Commit,
): string | undefined {
  if (resource !== "azuremachinepoolmachines" || !isPool(actor)) return undefined;
  const asked = updateIn(object);
  if (asked === undefined || asked === updateIn(previous)) return undefined;
  const machine = object as unknown as Frozen<AzureMachinePoolMachine>;
  const record = ownerOf(poolLookup, machine);
  const { name } = machine.metadata;
  if (!record || record.pool.status?.pickedForUpdate?.includes(name)) return undefined;
  const who = pickerOf(poolLookup, ({ status }) => status?.pickedForUpdate, name);
  return `${actor} updates machine ${name}, which ${who}, although ${keyOf(record.pool)} owns it`;
}

function updateIn(object: Commit["previous"]): string | undefined {
  return object?.metadata.annotations?.[UPDATE_INSTANCE_ANNOTATION];
}

function ownerOf(
  poolLookup: PoolLookup,
  { metadata }: Frozen<AzureMachinePoolMachine>,
): PoolRecord | undefined {
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === AzureMachinePool.kind);
  const record = owner && poolLookup.poolNamed(owner.name);
  return record?.pool.metadata.uid === owner?.uid ? record : undefined;
}

function hasInstance(truth: Truth, { spec }: Frozen<AzureMachinePoolMachine>): boolean {
  const found = truth.azure.core.world.machines.record(machineIdIn(spec.providerID) ?? "");
  return found !== undefined && found.state !== "Deleting";
}

function hasTwin(poolLookup: PoolLookup, { metadata, spec }: Frozen<AzureMachinePoolMachine>): boolean {
  return poolLookup
    .machines()
    .some((other) => other.metadata.uid !== metadata.uid && isSame(other.spec.providerID, spec.providerID));
}

function pickerOf(
  poolLookup: PoolLookup,
  picksOf: (pool: Frozen<AzureMachinePool>) => readonly string[] | undefined,
  name: string,
): string {
  const picker = poolLookup.pools().find(({ pool }) => picksOf(pool)?.includes(name));
  return picker ? `${keyOf(picker.pool)} has picked` : "no pool has picked";
}
