import { createHash } from "node:crypto";
import type { Azure, ManagedClusterView } from "@capstan/azure-sim";
import type { Env } from "@capstan/env";
import { type Logger, silentLogger } from "@capstan/runtime";
import { type ControlPlane, startControlPlane } from "../control-planes/control-plane.ts";
import { Gate } from "../control-planes/gate.ts";
import type { ControlPlaneHost } from "../control-planes/host.ts";
import type { WorkloadCluster } from "../guests/guest-clusters.ts";
import type { PodSettings } from "../workloads/kubelet-pods.ts";
import { createLoop, type Loop } from "../workloads/loop.ts";

/** The options of the control planes of AKS. */
export interface ManagedClustersOptions {
  readonly env: Env;
  readonly azure: Azure;
  readonly host: ControlPlaneHost;
  readonly log?: Logger;
  /** The timing of pods, where it differs from the default. */
  readonly pods?: Partial<PodSettings>;
}

/** The control planes of all AKS clusters of a simulated Azure. */
export interface ManagedClusters {
  /** Resolves when the control planes of all clusters that existed at the start run. */
  readonly ready: Promise<void>;
  /** The cluster whose API server is at an endpoint: host and port in lower case. */
  clusterAt(endpoint: string): WorkloadCluster | undefined;
  /** Calls the listener with the endpoint of each running cluster, now and later, until the returned function is called. */
  onEndpoint(listener: (endpoint: string) => void): () => void;
  /** How many control planes run. */
  count(): number;
  /** Stops all control planes; the objects in the clusters stay. */
  close(): Promise<void>;
}

const NAME = /^aks--.*[a-z0-9]-[0-9a-f]{16}$/;
const LONGEST_NAME = 63;
const HASH_LENGTH = 16;

/** The name of the logical cluster of an AKS cluster: a DNS label, unique for its ARM id. */
function managedClusterName({ id, name }: Pick<ManagedClusterView, "id" | "name">): string {
  const hash = createHash("sha256").update(id.toLowerCase()).digest("hex").slice(0, HASH_LENGTH);
  const readable = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  const shortened = readable.slice(0, LONGEST_NAME - HASH_LENGTH - "aks---".length).replace(/-+$/, "");
  return `aks--${shortened}-${hash}`;
}

/** Whether a logical cluster is that of an AKS cluster, not of a Cluster. */
export function isManagedClusterName(name: string): boolean {
  // Derived names of Clusters have two dashes before their hash.
  return NAME.test(name) && !/--[0-9a-f]{16}$/.test(name);
}

/** The logical clusters, among those of the given names, of AKS clusters with that name. */
export function managedClustersNamed(name: string, among: readonly string[]): readonly string[] {
  const prefix = managedClusterName({ id: "", name }).slice(0, -HASH_LENGTH);
  return among.filter(
    (one) =>
      isManagedClusterName(one) && one.startsWith(prefix) && one.length === prefix.length + HASH_LENGTH,
  );
}

/** The name that users give for a logical cluster: that of its AKS cluster, unless several clusters have it. */
export function clusterNameForUsers(logical: string, among: readonly string[]): string {
  if (!isManagedClusterName(logical)) return logical;
  const name = logical.slice("aks--".length, -HASH_LENGTH - 1);
  return among.includes(name) || managedClustersNamed(name, among).length > 1 ? logical : name;
}

/**
 * Runs the control planes of AKS clusters: each has a logical cluster, from the PUT that creates it to its removal. The
 * simulated Azure hands out their kubeconfigs.
 */
export function startManagedClusters(options: ManagedClustersOptions): ManagedClusters {
  return new ManagedClusterTable({ log: silentLogger, pods: {}, ...options });
}

class ManagedClusterTable implements ManagedClusters {
  readonly ready: Promise<void>;
  readonly #options: Required<ManagedClustersOptions>;
  readonly #planes = new Map<string, ControlPlane & { readonly endpoint: string }>();
  /** Every request of a guest looks its cluster up. */
  readonly #byEndpoint = new Map<string, WorkloadCluster>();
  readonly #listeners = new Set<(endpoint: string) => void>();
  readonly #loop: Loop;
  readonly #stopListening: () => void;
  #isClosed = false;

  constructor(options: Required<ManagedClustersOptions>) {
    this.#options = options;
    const { core } = options.azure;
    this.#loop = createLoop(options, {
      name: "managed-clusters",
      concurrency: 4,
      look: (key) => this.#look(key),
    });
    this.#stopListening = core.onManagedCluster(({ id }) => this.#loop.queue.add(id.toLowerCase()));
    core.onKubeconfig((id) => this.#planes.get(id.toLowerCase())?.kubeconfig);
    this.ready = this.#start();
  }

  async #start(): Promise<void> {
    const { azure, host, log } = this.#options;
    const clusters = azure.core.managedClusters();
    const desired = new Set(clusters.map(managedClusterName));
    for (const name of host.names().filter((one) => isManagedClusterName(one) && !desired.has(one))) {
      log.info("Removing a logical cluster without an AKS cluster", { name });
      await host.remove(name);
    }
    for (const { id } of clusters) await this.#look(id.toLowerCase());
    this.#loop.start();
  }

  clusterAt(endpoint: string): WorkloadCluster | undefined {
    return this.#byEndpoint.get(endpoint);
  }

  onEndpoint(listener: (endpoint: string) => void): () => void {
    this.#listeners.add(listener);
    for (const { endpoint } of this.#planes.values()) listener(endpoint);
    return () => void this.#listeners.delete(listener);
  }

  count(): number {
    return this.#planes.size;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopListening();
    this.#loop.queue.close();
    for (const key of this.#planes.keys()) await this.#end(key);
  }

  async #look(key: string): Promise<undefined> {
    const { azure, host } = this.#options;
    const cluster = azure.core.managedClusters().find(({ id }) => id.toLowerCase() === key);
    const plane = this.#planes.get(key);
    if (plane && plane.uid !== cluster?.uid) {
      await this.#end(key);
      await host.remove(plane.cluster.name);
    }
    if (!cluster || this.#planes.has(key) || this.#isClosed) return undefined;
    const { uid, endpoint } = cluster;
    const name = managedClusterName(cluster);
    // Azure runs these control planes: their API servers are always there.
    const started = await startControlPlane({ ...this.#options, name, uid, gate: new Gate(name) });
    this.#planes.set(key, { ...started, endpoint });
    this.#byEndpoint.set(endpoint, started.cluster);
    for (const listener of this.#listeners) listener(endpoint);
    return undefined;
  }

  async #end(key: string): Promise<void> {
    const plane = this.#planes.get(key);
    this.#planes.delete(key);
    if (plane) this.#byEndpoint.delete(plane.endpoint);
    await plane?.close();
  }
}
