import { AzureMachinePoolMachine, type Frozen, isTrue, type JsonObject, type Node } from "@capstan/api";
import { Failure } from "@capstan/runtime";
import { AzureError, type InstanceCache, isGone, type ScaleSetInstance } from "@capstan/azure";
import { isNodeReady } from "../../workload/availability.ts";
import type { WorkloadNodes } from "../../workload/nodes.ts";
import type { PoolMemory } from "./memory.ts";
import { type MachineFacts, vmStateOf } from "./machine-view.ts";
import type { WorkloadFacts } from "./pool-view.ts";
import { type NormalScope, type AzurePass, type Pass } from "./scope.ts";
import { parseScaleSet, type SeenSet } from "./scale-set-body.ts";

/** The index of machines by their pool. */
export const BY_POOL = "machines-of-pool";

const SECOND_MS = 1000;
// A little less than the shortest time between two resyncs, so that each resync lists.
const SETTLED_LIST_MS = 8 * 60 * SECOND_MS;
const SETTLED_SET_MS = 55 * 60 * SECOND_MS;
const BUSY_MS = 15 * SECOND_MS;
// Azure allows ten pages of a hundred instances a minute for one set. A third of them is enough, because decisions wait for
// Nodes far longer than for lists. The rest is for fresh lists before writes.
const MS_FOR_INSTANCE = 180;
// While no Node has changed, a list rarely shows a change either.
const QUIET_FACTOR = 4;

/** The scale set and its instances as Azure shows them. */
export interface AzureObservation {
  readonly set: SeenSet | undefined;
  readonly isLiveRead: boolean;
  readonly instances: readonly ScaleSetInstance[];
  readonly listedAtMs: number;
}

/** How old a list may be while the pool changes: Azure allows fewer lists of larger sets. */
export function busyListMs(instances: number): number {
  return Math.max(BUSY_MS, instances * MS_FOR_INSTANCE);
}

/** Reads the scale set, then lists its instances; with `isFresh` nothing comes from memory. */
export async function lookAtAzure(scope: AzurePass, isFresh: boolean): Promise<AzureObservation> {
  const { memory, context } = scope;
  const nowMs = context.env.clock.monotonic();
  const known = memory.set;
  const setMs = memory.isSettled ? SETTLED_SET_MS : Infinity;
  const isLiveRead = isFresh || !known || nowMs - known.atMs > setMs;
  const set = isLiveRead ? await readSet(scope) : known.seen;
  memory.set = isLiveRead ? { seen: set, atMs: nowMs } : known;
  if (!set) return { set, isLiveRead, ...noInstances(scope) };
  try {
    return { set, isLiveRead, ...(await list(scope, set, isFresh)) };
  } catch (error) {
    // The set existed when it was last read, so read it again.
    if (isGone(error) && !isLiveRead) return lookAtAzure(scope, true);
    throw error;
  }
}

/** Reads the scale set; undefined when there is none. */
export async function readSet({ azureTarget }: AzurePass): Promise<SeenSet | undefined> {
  const { arm, scaleSetID, location } = azureTarget;
  try {
    const { body, etag } = await arm.get(scaleSetID, { location });
    checkID(body, scaleSetID);
    return parseScaleSet(body, etag ?? etagIn(body));
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** Refuses an answer about another resource: a proxy may mix up answers, and we would act on the wrong scale set. */
function checkID({ id }: JsonObject, desired: string): void {
  if (typeof id !== "string" || id.toLowerCase() === desired.toLowerCase()) return;
  const message = `Azure answered a read of ${desired} with ${id}`;
  throw new AzureError({ class: "Transient", code: "AnswerAboutAnotherResource", message });
}

function etagIn({ etag }: JsonObject): string | undefined {
  return typeof etag === "string" && etag !== "" ? etag : undefined;
}

type Listed = Pick<AzureObservation, "instances" | "listedAtMs">;

/** Without a set there are no instances; that is recorded like an empty list, unless the set is being created. */
function noInstances({ context, memory, pool, shared, azureTarget }: AzurePass): Listed {
  const listedAtMs = context.env.clock.now();
  memory.listed = { instances: [], atMs: listedAtMs };
  if (!pool.status?.operation) shared.ports.scaleSets.record(azureTarget.scaleSetID, [], listedAtMs);
  return { instances: [], listedAtMs };
}

async function list(scope: AzurePass, set: SeenSet, isFresh: boolean): Promise<Listed> {
  const { memory, context, azureTarget, shared } = scope;
  const { scaleSetID, location } = azureTarget;
  const startedMs = context.env.clock.now();
  const before = memory.listed;
  const maxAgeMs = isFresh ? BUSY_MS : usualListMs(memory, set);
  const instances = await memory.instances.list(scaleSetID, {
    maxAgeMs,
    location,
    expected: set.capacity,
    priority: "normal",
  });
  if (before && before.instances === instances) return { instances, listedAtMs: before.atMs };
  checkInside(instances, scaleSetID);
  memory.isDisturbed = false;
  memory.listed = { instances, atMs: startedMs };
  memory.noteList();
  shared.ports.scaleSets.record(scaleSetID, instances, startedMs);
  return { instances, listedAtMs: startedMs };
}

/** How old a list may be that no write depends on. */
function usualListMs({ isDisturbed, isSettled }: PoolMemory, { capacity }: SeenSet): number {
  if (isDisturbed) return busyListMs(capacity);
  return isSettled ? SETTLED_LIST_MS : QUIET_FACTOR * busyListMs(capacity);
}

/** Refuses a list with instances of another set: we would act on them. */
function checkInside(instances: readonly ScaleSetInstance[], scaleSetID: string): void {
  const prefix = `${scaleSetID.toLowerCase()}/`;
  const stranger = instances.find(({ resourceID }) => !resourceID.toLowerCase().startsWith(prefix));
  if (!stranger) return;
  const message = `Azure answered a list of the instances of ${scaleSetID} with ${stranger.resourceID}`;
  throw new AzureError({ class: "Transient", code: "AnswerAboutAnotherResource", message });
}

/** The machines of a pool: those it owns, or whose label names it. Names are compared whole, never by prefix. */
export function machinesOf({
  context,
  pool,
}: Pick<Pass, "context" | "pool">): readonly Frozen<AzureMachinePoolMachine>[] {
  const { namespace, name } = pool.metadata;
  return context.cache.list(AzureMachinePoolMachine, { index: BY_POOL, value: `${namespace}/${name}` });
}

/** The Nodes of the workload cluster; undefined if it does not answer. */
export async function nodesOf({ owners, shared }: NormalScope): Promise<WorkloadNodes | undefined> {
  const { cluster } = owners;
  if (!isTrue(cluster.status?.conditions, "ControlPlaneInitialized")) return undefined;
  try {
    return await (await shared.ports.workloads.get(cluster)).nodes();
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/**
 * The health of the workload cluster. Nodes whose machines are switched off in Azure do not count, in all pools: otherwise
 * pools whose machines are switched off would wait for each other.
 */
export function workloadFacts(
  nodes: WorkloadNodes | undefined,
  machines: readonly MachineFacts[],
  scaleSets: Pick<InstanceCache, "instance">,
): WorkloadFacts {
  if (!nodes) return { isReachable: false, nodes: 0, notReady: 0 };
  const { all, notReady } = nodes.count();
  const off = nodesOff(nodes, machines, scaleSets);
  const silent = [...off].filter((node) => !isNodeReady(node)).length;
  return { isReachable: true, nodes: all - off.size, notReady: notReady - silent };
}

/** The Nodes whose machines do not run: those of the pool, and those of other pools by the instance cache. */
function nodesOff(
  nodes: WorkloadNodes,
  machines: readonly MachineFacts[],
  scaleSets: Pick<InstanceCache, "instance">,
): ReadonlySet<Frozen<Node>> {
  const off = new Set<Frozen<Node>>();
  for (const { instance, node } of machines)
    if (instance && node && vmStateOf(instance) !== "Running") off.add(node);
  for (const node of nodes.notReady()) {
    const observed = scaleSets.instance(node.spec?.providerID ?? "");
    if (observed.state === "seen" && vmStateOf(observed.instance) !== "Running") off.add(node);
  }
  return off;
}
