import { type Condition, customKinds, type Frozen, Lease, Node, olderConditionsOf, Pod } from "@capstan/api";
import type { Storage, StoredEvent } from "@capstan/apiserver";
import type { Azure, MachineEvent } from "@capstan/azure-sim";
import type { EtcdClusters } from "../etcd/etcd-clusters.ts";
import { machineIdIn, machineLabel, scaleSetOf } from "../machine-id.ts";
import { isCordoned, isReady } from "../readiness.ts";
import type { Trace } from "../trace/trace.ts";
import { Availability, type Pool } from "./availability.ts";
import { USER_NOTE } from "./edit.ts";

/** A machine that has become able, or unable, to do work. */
export interface AvailabilityChange {
  readonly machineId: string;
  readonly isAvailable: boolean;
  readonly atMs: number;
}

/** The counts of a workload cluster. */
export interface Census {
  readonly nodes: number;
  readonly nodesReady: number;
  /** Running and Ready pods. */
  readonly podsRunning: number;
}

const CONDITIONED = new Set(customKinds.map(({ group, plural }) => `${group}/${plural}`));
const PODS = `${Pod.group}/${Pod.plural}`;
const NODES = `${Node.group}/${Node.plural}`;

/**
 * The real state of a world, regardless of any status. It follows commits and machine events, and records them in the trace.
 */
export class Truth {
  readonly #trace: Trace;
  /** The simulated Azure. */
  readonly azure: Azure;
  /** The etcd of control planes that machines run. */
  readonly etcd: EtcdClusters;
  #management: Storage | undefined;
  readonly #workloads = new Map<string, Storage>();
  /** The machine id of each Node, by cluster and name. */
  readonly #machineOf = new Map<string, string>();
  readonly #nowMs: () => number;
  readonly #wallMs: () => number;
  readonly #censuses = new Map<string, { nodes: number; nodesReady: number; podsRunning: number }>();
  readonly #lostNotes: string[] = [];
  readonly #availability = new Availability();
  #onAvailability: ((change: AvailabilityChange) => void) | undefined;
  /** The Node of each machine, by machine id. */
  readonly #nodeOf = new Map<string, { readonly cluster: string; readonly node: Frozen<Node> }>();

  constructor(parts: {
    readonly trace: Trace;
    readonly azure: Azure;
    readonly etcd: EtcdClusters;
    readonly nowMs: () => number;
    readonly wallMs: () => number;
  }) {
    this.#wallMs = parts.wallMs;
    this.#trace = parts.trace;
    this.azure = parts.azure;
    this.etcd = parts.etcd;
    this.#nowMs = parts.nowMs;
    parts.azure.core.onMachine((event) => this.#machine(event));
  }

  /** The scale sets that have, or had, machines. */
  pools(): Pool[] {
    return this.#availability.pools();
  }

  /** Notes of users on our objects that a client has removed. */
  get lostNotes(): readonly string[] {
    return this.#lostNotes;
  }

  /** The counts of a workload cluster, maintained with each event: reading them is cheap. */
  census(cluster: string): Census {
    return this.#censuses.get(cluster) ?? { nodes: 0, nodesReady: 0, podsRunning: 0 };
  }

  /** The machine id of a Node. */
  machineOf(cluster: string, node: string): string | undefined {
    return this.#machineOf.get(`${cluster}/${node}`);
  }

  /** The Node of a machine, by machine id, with the cluster that it is in. */
  node(machineId: string): { readonly cluster: string; readonly node: Frozen<Node> } | undefined {
    return this.#nodeOf.get(machineId);
  }

  /** Whether a machine can do work. */
  isAvailable(machineId: string): boolean {
    return this.availableSinceMs(machineId) !== undefined;
  }

  /** Since when a machine can do work; undefined while it cannot. */
  availableSinceMs(machineId: string): number | undefined {
    return this.#availability.sinceMs(machineId);
  }

  /** Calls the listener for each machine that becomes able, or unable, to do work, from now on. */
  onAvailability(listener: (change: AvailabilityChange) => void): void {
    this.#onAvailability = listener;
  }

  /** The storage of the management cluster. */
  get management(): Storage {
    if (!this.#management) throw new Error("the management cluster is not followed yet");
    return this.#management;
  }

  /** The storage of a workload cluster. */
  workload(cluster: string): Storage | undefined {
    return this.#workloads.get(cluster);
  }

  /** The wall-clock time of all processes. */
  get wallMs(): number {
    return this.#wallMs();
  }

  /** The virtual milliseconds since the start of the world. */
  get nowMs(): number {
    return this.#nowMs();
  }

  /** Follows the management cluster: records changed conditions of our objects. */
  followManagement(storage: Storage): void {
    this.#management = storage;
    storage.follow((resource, event) => {
      if (!CONDITIONED.has(resource)) return;
      this.#notes(event);
      this.#conditions(event);
    });
  }

  /** Follows a workload cluster: records changes of its Nodes. */
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
    const machine = machineIdIn(node.spec?.providerID);
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

  #machine({ kind, machineId }: MachineEvent): void {
    this.#trace.record("azure", { kind: "machine", machine: machineLabel(machineId), event: kind });
    this.#count(machineId);
  }

  /** Records the availability of a machine after a change of it or of its Node. */
  #count(machineId: string): void {
    const { machines, scaleSets } = this.azure.core.world;
    const setKey = scaleSetOf(machineId);
    const atMs = this.#nowMs();
    const wasAvailable = this.isAvailable(machineId);
    this.#availability.note(machineId, {
      isRunning: machines.record(machineId)?.power === "running",
      node: this.#nodeOf.get(machineId)?.node,
      setKey,
      set: setKey === undefined ? undefined : scaleSets.get(setKey),
      atMs,
    });
    const isAvailable = this.isAvailable(machineId);
    if (isAvailable !== wasAvailable) this.#onAvailability?.({ machineId, isAvailable, atMs });
  }
}

/** Resources whose writes are bookkeeping: Leases and Events. */
export function isBookkeeping(resource: string): boolean {
  return resource === Lease.plural || resource === "events";
}

/** The change of a count for one changed object. */
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

function conditionsOf(object: object | undefined): readonly Condition[] {
  return (object && olderConditionsOf(object)) ?? [];
}
