import type { Frozen, Node } from "@capstan/api";
import type { Machine } from "@capstan/azure-sim";
import { type Env, type HttpRequest, type HttpResponse, type Transport, TransportError } from "@capstan/env";
import { type Change, type Client, createClient, type Informer } from "@capstan/runtime";
import { NodeController } from "./node-controller.ts";

/** A cluster that machines can join. */
export interface WorkloadCluster {
  readonly name: string;
  /** The transport to its API server; a new one means another cluster. */
  readonly transport: Transport;
  /** The informer of its Nodes; all users of the Nodes share its watch. */
  readonly nodes: Informer<Node>;
  /** The CA hash that kubeadm pins: `sha256:` and the hash of the public key. Undefined turns the check off. */
  readonly caCertHash?: string;
}

/** What the clusters of all guests share. */
export interface GuestClustersOptions {
  readonly env: Env;
  readonly clusterAt: (endpoint: string) => WorkloadCluster | undefined;
  readonly gracePeriodMs: number;
  readonly machineOf: (endpoint: string, node: Frozen<Node>) => Machine | undefined;
  readonly isSpeaking: (endpoint: string, nodeName: string) => boolean;
  readonly noticed: (endpoint: string, change: Change<Node>) => void;
}

/** The clusters that guests use, each created once and closed when it no longer exists. */
export class GuestClusters {
  readonly #options: GuestClustersOptions;
  readonly #clusters = new Map<string, GuestCluster>();
  #isClosed = false;

  constructor(options: GuestClustersOptions) {
    this.#options = options;
  }

  /** The cluster at an endpoint; undefined while no API server answers there. */
  at(endpoint: string): GuestCluster | undefined {
    if (this.#isClosed) return undefined;
    const cluster = this.#options.clusterAt(endpoint);
    const known = this.#clusters.get(endpoint);
    if (known && known.transport === cluster?.transport) return known;
    known?.close();
    this.#clusters.delete(endpoint);
    if (!cluster) return undefined;
    // Every request checks that its cluster still exists: that is how the end of a cluster is noticed.
    const isCurrent = (guestCluster: GuestCluster): boolean => this.at(endpoint) === guestCluster;
    const made = new GuestCluster(endpoint, cluster, { ...this.#options, isCurrent });
    this.#clusters.set(endpoint, made);
    made.start();
    return made;
  }

  close(): void {
    this.#isClosed = true;
    for (const cluster of this.#clusters.values()) cluster.close();
    this.#clusters.clear();
  }
}

/** A workload cluster for its guests, with the controllers for its Nodes. */
export class GuestCluster {
  readonly transport: Transport;
  readonly caCertHash: string | undefined;
  readonly client: Client;
  readonly nodes: Informer<Node>;
  readonly #endpoint: string;
  readonly #noticed: GuestClustersOptions["noticed"];
  readonly #isCurrent: () => boolean;
  readonly #controller: NodeController;
  readonly #closing = new AbortController();

  constructor(
    endpoint: string,
    { transport, nodes, caCertHash }: WorkloadCluster,
    options: GuestClustersOptions & { readonly isCurrent: (cluster: GuestCluster) => boolean },
  ) {
    const { env, gracePeriodMs } = options;
    this.#endpoint = endpoint;
    this.#noticed = options.noticed;
    this.#isCurrent = () => options.isCurrent(this);
    this.transport = transport;
    this.caCertHash = caCertHash;
    const request = (asked: HttpRequest): Promise<HttpResponse> => this.#request(asked);
    const close = (): Promise<void> => Promise.resolve();
    this.client = createClient({ transport: { request, close }, env, fieldManager: "guests" });
    this.nodes = nodes;
    this.#controller = new NodeController({
      env,
      client: this.client,
      nodes,
      gracePeriodMs,
      machineOf: (node) => options.machineOf(endpoint, node),
      isSpeaking: (nodeName) => options.isSpeaking(endpoint, nodeName),
    });
  }

  /**
   * Starts to notify guests of changes of their Nodes. Call it after the cluster can be looked up: guests look it up at
   * once.
   */
  start(): void {
    this.nodes.addHandler((change) => {
      if (this.#closing.signal.aborted) return;
      try {
        this.#noticed(this.#endpoint, change);
      } catch (bug) {
        // The informer may go on after a bug in a handler; an unhandled rejection ends the process, so that the bug is seen.
        void Promise.reject(bug);
      }
    });
  }

  /** Enqueues the Node: its kubelet or its machine has changed. */
  look(nodeName: string): void {
    this.#controller.look(nodeName);
  }

  /** Stops all work in the cluster; its Nodes stay. */
  close(): void {
    this.#controller.close();
    this.#closing.abort(new Error(`the guests have closed ${this.#endpoint}`));
  }

  async #request(asked: HttpRequest): Promise<HttpResponse> {
    if (this.#closing.signal.aborted || !this.#isCurrent())
      throw new TransportError("refused", `no cluster is at ${this.#endpoint} any more`);
    return await this.transport.request(asked);
  }
}
