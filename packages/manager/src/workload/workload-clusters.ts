import type { Cluster, Frozen } from "@capstan/api";
import type { Timer } from "@capstan/env";
import { keyOf, type ObjectName } from "@capstan/runtime";
import { Connection, type WorkloadCluster, type WorkloadPorts } from "./connection.ts";

/** The access of reconcilers to workload clusters. */
export interface WorkloadAccess {
  /** The cluster, if it answers; throws a Failure with the reason otherwise, without a long wait. */
  get(cluster: Frozen<Cluster>): Promise<WorkloadCluster>;
  /** Closes the connection of a deleted Cluster and drops its cache. */
  drop(cluster: ObjectName): void;
  /** Registers a listener for changes of Nodes. */
  onNodeChange(listener: NodeListener): void;
  /** Registers a listener for clusters that answer after they did not. */
  onAnswer(listener: AnswerListener): void;
}

/** Gets the name of a Cluster whose API server answers after it did not. */
export type AnswerListener = (cluster: ObjectName) => void;

/** Gets the provider ids of a Cluster's Nodes that were added, removed or changed. */
export type NodeListener = (cluster: ObjectName, providerIDs: readonly string[]) => void;

// Three resyncs: a connection without a request for so long is not needed any more.
const IDLE_MS = 30 * 60_000;

interface Entry {
  readonly connection: Connection;
  readonly askedMs: number;
}

/**
 * The connections to all workload clusters: one for each Cluster, opened on the first request and probed while there are
 * requests. A failing cluster affects only callers that ask for it.
 */
export class WorkloadClusters implements WorkloadAccess {
  readonly #ports: WorkloadPorts;
  readonly #entries = new Map<string, Entry>();
  readonly #listeners: NodeListener[] = [];
  readonly #answerListeners: AnswerListener[] = [];
  #sweeping: Timer | undefined;

  constructor(ports: WorkloadPorts) {
    this.#ports = ports;
  }

  get(cluster: Frozen<Cluster>): Promise<WorkloadCluster> {
    const askedMs = this.#ports.env.clock.monotonic();
    const { name, namespace, uid = "" } = cluster.metadata;
    const place = { name, ...(namespace !== undefined && { namespace }) };
    const key = keyOf(cluster);
    // A recreated Cluster of the same name shares nothing with the earlier one.
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

  onAnswer(listener: AnswerListener): void {
    this.#answerListeners.push(listener);
  }

  /** Closes all connections. */
  close(): void {
    for (const { connection } of this.#entries.values()) connection.close();
    this.#entries.clear();
    this.#sweeping?.cancel();
  }

  #connectionTo(cluster: ObjectName, uid: string): Connection {
    return new Connection(this.#ports, uid, {
      onNodes: (ids) => {
        for (const listener of this.#listeners) listener(cluster, ids);
      },
      onAnswer: () => {
        for (const listener of this.#answerListeners) listener(cluster);
      },
    });
  }

  /** A Cluster that was removed without its finalizer causes no call of drop, but its connection becomes idle. */
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
