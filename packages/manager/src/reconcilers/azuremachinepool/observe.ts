import { AzureMachinePoolMachine, type Frozen, isTrue, type Node } from "@capstan/api";
import { Failure } from "@capstan/runtime";
import { AzureError, isGone, type JsonObject } from "../../azure/port.ts";
import type { ScaleSetInstance } from "../../azure/scale-set/instance.ts";
import type { InstanceCache } from "../../azure/scale-set/instance-cache.ts";
import { isNodeReady } from "../../workload/availability.ts";
import type { WorkloadNodes } from "../../workload/nodes.ts";
import type { PoolMemory } from "./memory.ts";
import { type MachineFacts, vmStateOf } from "./machine-view.ts";
import type { WorkloadFacts } from "./pool-view.ts";
import { needed, type Scope } from "./scope.ts";
import { parseScaleSet, type SeenSet } from "./scale-set-body.ts";

/** The index of machines by their pool. */
export const BY_POOL = "machines-of-pool";

const SECOND_MS = 1000;
// A little less than the shortest time between two resyncs: each of them lists.
const SETTLED_LIST_MS = 8 * 60 * SECOND_MS;
const SETTLED_SET_MS = 55 * 60 * SECOND_MS;
const BUSY_MS = 15 * SECOND_MS;
// A set affords ten pages of a hundred instances a minute. A third of them is enough: what is decided waits for Nodes far
// longer than for lists. The rest is for what is about to be written.
const MS_FOR_INSTANCE = 180;
// While nobody has heard of anything new, a list mostly shows nothing new either.
const QUIET_FACTOR = 4;

/** What Azure shows of a pool. */
export interface AzureObservation {
  readonly set: SeenSet | undefined;
  readonly isLiveRead: boolean;
  readonly instances: readonly ScaleSetInstance[];
  readonly listedAtMs: number;
}

/** How old a list may be while something is under way: larger sets afford fewer of them. */
export function busyListMs(instances: number): number {
  return Math.max(BUSY_MS, instances * MS_FOR_INSTANCE);
}

/** Looks at the scale set and then at its instances; `isFresh` leaves nothing to memory. */
export async function lookAtAzure(scope: Scope, isFresh: boolean): Promise<AzureObservation> {
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
    // It was there when it was looked at last.
    if (isGone(error) && !isLiveRead) return lookAtAzure(scope, true);
    throw error;
  }
}

/** Reads the scale set; undefined when there is none. */
export async function readSet({ azureTarget }: Scope): Promise<SeenSet | undefined> {
  const { arm, scaleSetID, location } = needed(azureTarget);
  try {
    const { body, etag } = await arm.get(scaleSetID, { location });
    checkID(body, scaleSetID);
    return parseScaleSet(body, etag ?? etagIn(body));
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** What is about to be changed or trusted must be what was asked for, whatever mixes up answers on the way. */
function checkID({ id }: JsonObject, wanted: string): void {
  if (typeof id !== "string" || id.toLowerCase() === wanted.toLowerCase()) return;
  const message = `Azure answered a read of ${wanted} with ${id}`;
  throw new AzureError({ class: "Transient", code: "AnswerAboutAnotherResource", message });
}

function etagIn({ etag }: JsonObject): string | undefined {
  return typeof etag === "string" && etag !== "" ? etag : undefined;
}

type Listed = Pick<AzureObservation, "instances" | "listedAtMs">;

/** There is no set, and so there are no instances: as good as a list that shows none, unless it is just being made. */
function noInstances({ context, memory, pool, shared, azureTarget }: Scope): Listed {
  const listedAtMs = context.env.clock.now();
  memory.listed = { instances: [], atMs: listedAtMs };
  if (!pool.status?.operation) shared.ports.scaleSets.record(needed(azureTarget).scaleSetID, [], listedAtMs);
  return { instances: [], listedAtMs };
}

async function list(scope: Scope, set: SeenSet, isFresh: boolean): Promise<Listed> {
  const { memory, context, azureTarget, shared } = scope;
  const { scaleSetID, location } = needed(azureTarget);
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

/** How old a list may be that nothing is written on. */
function usualListMs({ isDisturbed, isSettled }: PoolMemory, { capacity }: SeenSet): number {
  if (isDisturbed) return busyListMs(capacity);
  return isSettled ? SETTLED_LIST_MS : QUIET_FACTOR * busyListMs(capacity);
}

/** An instance of another set must not be acted on because some answer shows it. */
function checkInside(instances: readonly ScaleSetInstance[], scaleSetID: string): void {
  const prefix = `${scaleSetID.toLowerCase()}/`;
  const stranger = instances.find(({ resourceID }) => !resourceID.toLowerCase().startsWith(prefix));
  if (!stranger) return;
  const message = `Azure answered a list of the instances of ${scaleSetID} with ${stranger.resourceID}`;
  throw new AzureError({ class: "Transient", code: "AnswerAboutAnotherResource", message });
}

/** The machines of a pool: those whose owner it is, or whose label says so. Names are compared whole. */
export function machinesOf({ context, pool }: Scope): readonly Frozen<AzureMachinePoolMachine>[] {
  const { namespace, name } = pool.metadata;
  return context.cache.list(AzureMachinePoolMachine, { index: BY_POOL, value: `${namespace}/${name}` });
}

/** The Nodes of the cluster, if it answers. */
export async function nodesOf({ owners, shared }: Scope): Promise<WorkloadNodes | undefined> {
  const { cluster } = needed(owners);
  if (!isTrue(cluster.status?.conditions, "ControlPlaneInitialized")) return undefined;
  try {
    return await (await shared.ports.workloads.get(cluster)).nodes();
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/**
 * How the cluster is doing. A Node whose machine Azure says is off tells nothing about it, and is not counted, whatever pool
 * it is of: pools whose machines have been switched off would else wait for each other.
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

/** The Nodes whose machines do not run: those of the pool, and those of others as their lists have shown them. */
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
