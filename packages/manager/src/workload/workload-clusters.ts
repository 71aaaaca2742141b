import type { Cluster, Frozen } from "@capstan/api";
import type { Timer } from "@capstan/env";
import { keyOf, type ObjectName } from "@capstan/runtime";
import { Connection, type WorkloadCluster, type WorkloadPorts } from "./connection.ts";

/** What reconcilers see of workload clusters. */
export interface WorkloadAccess {
  /** The cluster, if it answers; throws a Failure that says why not, without waiting long. */
  get(cluster: Frozen<Cluster>): Promise<WorkloadCluster>;
  /** The Cluster goes: lets go of everything that belongs to it. */
  drop(cluster: ObjectName): void;
  /** Tells of changes of Nodes from now on. */
  onNodeChange(listener: NodeListener): void;
}

/** Is told which machines of which Cluster have a Node that came, went or changed. */
export type NodeListener = (cluster: ObjectName, providerIDs: readonly string[]) => void;

// Three resyncs: whoever has not been asked for since is of no use to anybody.
const IDLE_MS = 30 * 60_000;

interface Entry {
  readonly connection: Connection;
  readonly askedMs: number;
}

/**
 * The ways to all workload clusters: one for each Cluster, opened when somebody asks, looked after while somebody does.
 * What is wrong with one is told to those who ask for it, and to nobody else.
 */
export class WorkloadClusters implements WorkloadAccess {
  readonly #ports: WorkloadPorts;
  readonly #entries = new Map<string, Entry>();
  readonly #listeners: NodeListener[] = [];
  #sweeping: Timer | undefined;

  constructor(ports: WorkloadPorts) {
    this.#ports = ports;
  }

  get(cluster: Frozen<Cluster>): Promise<WorkloadCluster> {
    const askedMs = this.#ports.env.clock.monotonic();
    const { name, namespace, uid = "" } = cluster.metadata;
    const place = { name, ...(namespace !== undefined && { namespace }) };
    const key = keyOf(cluster);
    // A Cluster that was made again under its name shares nothing with the one before.
    if (this.#entries.get(key)?.connection.uid !== uid) this.drop(place);
    const connection = this.#entries.get(key)?.connection ?? this.#connectionTo(place, uid);
    this.#entries.set(key, { connection, askedMs });
    this.#sweeping ??= this.#sweepLater();
    return connection.get(cluster);
  }

  drop(cluster: ObjectName): void {
    const key = keyOf({ metadata: cluster });
    this.#entries.get(key)?.connection.close();
    this.#entries.delete(key);
  }

  onNodeChange(listener: NodeListener): void {
    this.#listeners.push(listener);
  }

  /** Lets go of all clusters. */
  close(): void {
    for (const { connection } of this.#entries.values()) connection.close();
    this.#entries.clear();
    this.#sweeping?.cancel();
  }

  #connectionTo(cluster: ObjectName, uid: string): Connection {
    const notify = (ids: readonly string[]): void => {
      for (const listener of this.#listeners) listener(cluster, ids);
    };
    return new Connection(this.#ports, uid, notify);
  }

  /** Nobody says that a Cluster has vanished by force; but nobody asks for it any more either. */
  #sweepLater(): Timer {
    const { clock } = this.#ports.env;
    return clock.timer(IDLE_MS, () => {
      for (const [key, { connection, askedMs }] of this.#entries) {
        if (clock.monotonic() - askedMs < IDLE_MS) continue;
        connection.close();
        this.#entries.delete(key);
      }
      this.#sweeping = this.#entries.size > 0 ? this.#sweepLater() : undefined;
    });
  }
}
