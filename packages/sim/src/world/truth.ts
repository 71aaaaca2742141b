import { type Condition, customKinds, type Frozen, Lease, Node, Pod } from "@capstan/api";
import type { Storage, StoredEvent } from "@capstan/apiserver";
import type { Azure, InstanceEvent } from "@capstan/azure-sim";
import { isReady } from "../readiness.ts";
import type { Trace } from "../trace/trace.ts";
import { USER_NOTE } from "./edit.ts";

/** How many machines of a scale set can do work, and how few it has been. */
export interface Pool {
  readonly name: string;
  readonly scaleSetId: string;
  /** Machines that run and whose Node is Ready, schedulable and initialized. */
  readonly available: number;
  /** The fewest since all machines that were wanted were there for the first time. */
  readonly lowest?: { readonly available: number; readonly of: number; readonly atMs: number };
  /** When a machine was last lost that nobody had cordoned before: that was nobody's decision. */
  readonly lossMs?: number;
}

/** What there is in a workload cluster. */
export interface Census {
  readonly nodes: number;
  readonly nodesReady: number;
  /** Pods that run and are Ready. */
  readonly podsRunning: number;
}

interface PoolState {
  readonly scaleSetId: string;
  /** Since when each of its machines that can do work has been able to. */
  readonly available: Map<string, number>;
  /** Machines that do not run, and whose Nodes say that they work. */
  readonly deceiving: Set<string>;
  lowest?: { available: number; of: number; atMs: number };
  lossMs?: number;
}

const UNINITIALIZED = "node.cloudprovider.kubernetes.io/uninitialized";
const CONDITIONED = new Set(customKinds.map(({ group, plural }) => `${group}/${plural}`));
const MACHINES = "/virtualmachines/";
const PODS = `${Pod.group}/${Pod.plural}`;
const NODES = `${Node.group}/${Node.plural}`;

/** What is really so in a world, whatever any status says. It follows commits and machines, and tells them to the trace. */
export class Truth {
  readonly #trace: Trace;
  /** The cloud, seen from inside. */
  readonly azure: Azure;
  #management: Storage | undefined;
  readonly #workloads = new Map<string, Storage>();
  /** The machine of each Node, by cluster and name. */
  readonly #machineOf = new Map<string, string>();
  readonly #nowMs: () => number;
  readonly #wallMs: () => number;
  readonly #censuses = new Map<string, { nodes: number; nodesReady: number; podsRunning: number }>();
  readonly #lostNotes: string[] = [];
  readonly #pools = new Map<string, PoolState>();
  /** The Node of each machine, by the id of the machine in lower case. */
  readonly #nodeOf = new Map<string, { readonly cluster: string; readonly node: Frozen<Node> }>();

  constructor(parts: {
    readonly trace: Trace;
    readonly azure: Azure;
    readonly nowMs: () => number;
    readonly wallMs: () => number;
  }) {
    this.#wallMs = parts.wallMs;
    this.#trace = parts.trace;
    this.azure = parts.azure;
    this.#nowMs = parts.nowMs;
    parts.azure.core.onInstance((event) => this.#machine(event));
  }

  /** The scale sets that have, or had, nodes. */
  pools(): Pool[] {
    return [...this.#pools.values()].map(({ scaleSetId, available, lowest, lossMs }) => ({
      name: lastPart(scaleSetId),
      scaleSetId,
      available: available.size,
      ...(lowest && { lowest }),
      ...(lossMs !== undefined && { lossMs }),
    }));
  }

  /** What users had written on our objects, and somebody has taken away. */
  get lostNotes(): readonly string[] {
    return this.#lostNotes;
  }

  /** Counts of a workload cluster, kept as things happen: asking for them costs nothing. */
  census(cluster: string): Census {
    return this.#censuses.get(cluster) ?? { nodes: 0, nodesReady: 0, podsRunning: 0 };
  }

  /** The Node of a machine, if it has one. */
  nodeOf(
    scaleSetId: string,
    instanceId: string,
  ): { readonly cluster: string; readonly name: string } | undefined {
    const found = this.#nodeOf.get(`${scaleSetId}/virtualMachines/${instanceId}`.toLowerCase());
    return found && { cluster: found.cluster, name: found.node.metadata.name };
  }

  /** The id of the machine of a Node, in lower case. */
  machineOf(cluster: string, node: string): string | undefined {
    return this.#machineOf.get(`${cluster}/${node}`);
  }

  /** The Node of a machine with all that is known of it, by the id of the machine in lower case. */
  node(machine: string): { readonly cluster: string; readonly node: Frozen<Node> } | undefined {
    return this.#nodeOf.get(machine);
  }

  /** Whether a machine can do work. */
  isAvailable(machine: string): boolean {
    return this.availableSinceMs(machine) !== undefined;
  }

  /** Since when a machine can do work; undefined while it cannot. */
  availableSinceMs(machine: string): number | undefined {
    const [setKey = ""] = machine.split(MACHINES);
    return this.#pools.get(setKey)?.available.get(machine);
  }

  /** What the management cluster holds. */
  get management(): Storage {
    if (!this.#management) throw new Error("nobody follows the management cluster yet");
    return this.#management;
  }

  /** What a workload cluster holds. */
  workload(cluster: string): Storage | undefined {
    return this.#workloads.get(cluster);
  }

  /** The time of day that everybody's clock shows. */
  get wallMs(): number {
    return this.#wallMs();
  }

  /** The virtual milliseconds since the world began. */
  get nowMs(): number {
    return this.#nowMs();
  }

  /** Follows the management cluster: conditions of our objects are news. */
  followManagement(storage: Storage): void {
    this.#management = storage;
    storage.follow((resource, event) => {
      if (!CONDITIONED.has(resource)) return;
      this.#notes(event);
      this.#conditions(event);
    });
  }

  /** Follows a workload cluster: its Nodes are news. */
  followWorkload(cluster: string, storage: Storage): void {
    const census = { nodes: 0, nodesReady: 0, podsRunning: 0 };
    this.#censuses.set(cluster, census);
    this.#workloads.set(cluster, storage);
    storage.follow((resource, event) => {
      const { object, previous, line } = event;
      const now = line.type === "DELETED" ? undefined : object;
      if (resource === PODS) census.podsRunning += change(isRunningPod, previous, now);
      if (resource !== NODES) return;
      census.nodes += change(isThere, previous, now);
      census.nodesReady += change(isReady, previous, now);
      this.#node(cluster, event);
    });
  }

  #notes({ object, previous, line }: StoredEvent): void {
    const before = previous?.metadata.annotations?.[USER_NOTE];
    if (before === undefined || line.type === "DELETED") return;
    const { kind, metadata } = object;
    if (metadata.annotations?.[USER_NOTE] === undefined) {
      this.#lostNotes.push(`${kind} ${metadata.name} has lost the user's ${USER_NOTE}: ${before}`);
    }
  }

  #conditions({ object, previous, line }: StoredEvent): void {
    if (line.type === "DELETED") return;
    const before = conditionsOf(previous);
    for (const condition of conditionsOf(object)) {
      const { type, status, reason = "", message = "" } = condition;
      const old = before.find((one) => one.type === type);
      if (old?.status === status && old.reason === reason) continue;
      const name = `${object.kind} ${object.metadata.name}`;
      this.#trace.record("world", { kind: "condition", object: name, type, status, reason, message });
    }
  }

  #node(cluster: string, { object, previous, line }: StoredEvent): void {
    const node = object as Frozen<Node>;
    const isGone = line.type === "DELETED";
    const before = previous as Frozen<Node> | undefined;
    for (const event of newsOf(node, isGone ? "gone" : before)) {
      this.#trace.record("world", { kind: "node", cluster, node: node.metadata.name, event });
    }
    const machine = machineKeyOf(node);
    if (machine === undefined) return;
    const name = `${cluster}/${node.metadata.name}`;
    if (isGone) {
      this.#nodeOf.delete(machine);
      this.#machineOf.delete(name);
    } else {
      this.#nodeOf.set(machine, { cluster, node });
      this.#machineOf.set(name, machine);
    }
    this.#count(machine);
  }

  #machine({ kind, scaleSetId, instanceId }: InstanceEvent): void {
    const happening = { scaleSet: lastPart(scaleSetId), instance: instanceId, event: kind };
    this.#trace.record("azure", { kind: "machine", ...happening });
    this.#count(`${scaleSetId}/virtualMachines/${instanceId}`.toLowerCase());
  }

  /** Whether a machine counts as available changes one number of one pool. */
  #count(machineKey: string): void {
    const [setKey = "", instanceId = ""] = machineKey.split(MACHINES);
    const { scaleSets } = this.azure.core.world;
    const set = scaleSets.get(setKey);
    const pool = this.#poolOf(setKey, set?.id);
    const isRunning = scaleSets.members(setKey).get(Number(instanceId))?.power === "running";
    const node = this.#nodeOf.get(machineKey)?.node;
    const works = isAvailable(node);
    noteMachine(pool, { machineKey, isRunning, works, node, atMs: this.#nowMs() });
    noteLowest(pool, set?.capacity ?? 0, this.#nowMs());
  }

  #poolOf(setKey: string, scaleSetId = setKey): PoolState {
    const known = this.#pools.get(setKey);
    if (known) return known;
    const pool: PoolState = { scaleSetId, available: new Map(), deceiving: new Set() };
    this.#pools.set(setKey, pool);
    return pool;
  }
}

function noteMachine(
  pool: PoolState,
  seen: {
    readonly machineKey: string;
    readonly isRunning: boolean;
    /** Whether the Node says that it works. */
    readonly works: boolean;
    readonly node: Frozen<Node> | undefined;
    readonly atMs: number;
  },
): void {
  const { machineKey, atMs, isRunning, works } = seen;
  const isLostUnseen = noteDeceit(pool, machineKey, works && !isRunning);
  if (works && isRunning) {
    if (!pool.available.has(machineKey)) pool.available.set(machineKey, atMs);
    return;
  }
  const isLost = pool.available.delete(machineKey) && !isCordoned(seen.node);
  if (isLost || isLostUnseen) pool.lossMs = atMs;
}

/** A machine that was stopped while it became a Node is lost before anybody could have it; says when that is news. */
function noteDeceit({ deceiving }: PoolState, machineKey: string, isDeceiving: boolean): boolean {
  const isChanged = isDeceiving && !deceiving.has(machineKey);
  if (isDeceiving) deceiving.add(machineKey);
  else deceiving.delete(machineKey);
  return isChanged;
}

/** Before a pool has been complete for the first time, few machines are no news. */
function noteLowest(pool: PoolState, wanted: number, atMs: number): void {
  const available = pool.available.size;
  const isChanged = pool.lowest ? available < pool.lowest.available : wanted > 0 && available >= wanted;
  if (isChanged) pool.lowest = { available, of: wanted, atMs };
}

/** The resources whose writes are no work: renewing a Lease, and telling of events. */
export function isBookkeeping(resource: string): boolean {
  return resource === Lease.plural || resource === "events";
}

/** By how much a count of what fits changes. */
function change(
  fits: (object: object | undefined) => boolean,
  before: object | undefined,
  now: object | undefined,
): number {
  return Number(fits(now)) - Number(fits(before));
}

function isThere(object: object | undefined): boolean {
  return object !== undefined;
}

function isRunningPod(object: object | undefined): boolean {
  const pod = object as Frozen<Pod> | undefined;
  return isReady(pod) && pod?.metadata.deletionTimestamp === undefined;
}

function newsOf(
  node: Frozen<Node>,
  before: Frozen<Node> | "gone" | undefined,
): ("joined" | "ready" | "notReady" | "cordoned" | "uncordoned" | "gone")[] {
  if (before === "gone") return ["gone"];
  const wasReady = isReady(before);
  const wasCordoned = isCordoned(before);
  const isNowCordoned = isCordoned(node);
  return [
    ...(before ? [] : (["joined"] as const)),
    ...(isReady(node) === wasReady ? [] : [wasReady ? ("notReady" as const) : ("ready" as const)]),
    ...(isNowCordoned === wasCordoned ? [] : [wasCordoned ? ("uncordoned" as const) : ("cordoned" as const)]),
  ];
}

function isCordoned(node: Frozen<Node> | undefined): boolean {
  return node?.spec?.unschedulable === true;
}

function isAvailable(node: Frozen<Node> | undefined): boolean {
  const isInitialized = node?.spec?.taints?.every(({ key }) => key !== UNINITIALIZED) ?? true;
  return isReady(node) && !isCordoned(node) && isInitialized;
}

function machineKeyOf(node: Frozen<Node>): string | undefined {
  const { providerID } = node.spec ?? {};
  if (providerID === undefined || !providerID.startsWith("azure://")) return undefined;
  return providerID.slice("azure://".length).toLowerCase();
}

function conditionsOf(object: unknown): readonly Condition[] {
  return (object as { status?: { conditions?: readonly Condition[] } } | undefined)?.status?.conditions ?? [];
}

function lastPart(id: string): string {
  return id.slice(id.lastIndexOf("/") + 1);
}
