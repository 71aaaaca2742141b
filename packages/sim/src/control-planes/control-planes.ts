import {
  Cluster,
  CLUSTER_NAME_LABEL,
  type Frozen,
  type Kind,
  type KubernetesObject,
  Secret,
} from "@capstan/api";
import type { Env, Transport } from "@capstan/env";
import {
  type Client,
  createClient,
  Informer,
  keyOf,
  type ListOptions,
  type Logger,
  silentLogger,
} from "@capstan/runtime";
import type { WorkloadCluster } from "../guests/guest-clusters.ts";
import { createLoop, type Loop } from "../workloads/loop.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import {
  type ClusterAction,
  type ControlPlaneKind,
  decideWrites,
  endpointOf,
  isControlled,
  kubeconfigSecretName,
} from "./decide.ts";
import type { ControlPlaneHost } from "./host.ts";
import { isManagedClusterName } from "../managed-clusters/managed-clusters.ts";
import { logicalName } from "./logical-name.ts";
import type { PodSettings } from "../workloads/kubelet-pods.ts";

/** The options of control planes. */
export interface ControlPlanesOptions {
  readonly env: Env;
  /** The transport to the management cluster. */
  readonly management: Transport;
  readonly host: ControlPlaneHost;
  readonly log?: Logger;
  /** Kinds of control planes that have a controller: a Cluster that refers to one of them gets no stand-in. */
  readonly yieldTo?: readonly ControlPlaneKind[];
  /** The timing of pods, where it differs from the default. */
  readonly pods?: Partial<PodSettings>;
}

/** The control planes of all Clusters of a management cluster. */
export interface ControlPlanes {
  /** Resolves when the control planes of all Clusters that existed at the start have been started once. */
  readonly ready: Promise<void>;
  /** The cluster at an endpoint, by `spec.controlPlaneEndpoint` of the Clusters: guests join it. */
  clusterAt(endpoint: string): WorkloadCluster | undefined;
  /** How many control planes run. */
  count(): number;
  /** Calls the listener with the endpoint of each running cluster, now and later, until the returned function is called. */
  onEndpoint(listener: (endpoint: string) => void): () => void;
  /** Stops all control planes; the objects in the clusters stay. */
  close(): Promise<void>;
}

const BY_ENDPOINT = "endpoint";
const BY_SECRET = "kubeconfig";

/**
 * Simulates the control planes of Clusters: each Cluster gets a logical cluster with Kubernetes' built-in kinds and the
 * controllers of workloads. All state is in the API servers, so the process can crash at any moment.
 */
export function startControlPlanes({
  log = silentLogger,
  yieldTo = [],
  pods = {},
  ...rest
}: ControlPlanesOptions): ControlPlanes {
  return new ControlPlaneTable({ log, yieldTo, pods, ...rest });
}

class ControlPlaneTable implements ControlPlanes {
  readonly ready: Promise<void>;
  readonly #options: Required<ControlPlanesOptions>;
  readonly #client: Client;
  readonly #clusters: Informer<Cluster>;
  readonly #secrets: Informer<Secret>;
  readonly #loop: Loop;
  readonly #planes = new Map<string, ControlPlane>();
  readonly #listeners = new Set<(endpoint: string) => void>();
  readonly #closing = new AbortController();

  constructor(options: Required<ControlPlanesOptions>) {
    const { env, management: transport } = options;
    this.#options = options;
    this.#client = createClient({ env, transport, fieldManager: "control-planes" });
    this.#clusters = this.#informer(Cluster, {});
    this.#clusters.store.addIndex(BY_ENDPOINT, (cluster) => {
      const endpoint = endpointOf(cluster);
      return endpoint === undefined ? [] : [endpoint];
    });
    this.#clusters.store.addIndex(BY_SECRET, (cluster) => [secretKey(cluster)]);
    this.#secrets = this.#informer(Secret, { labelSelector: CLUSTER_NAME_LABEL });
    this.#loop = createLoop(options, {
      name: "control-planes",
      concurrency: 4,
      look: (key) => this.#look(key),
    });
    this.#clusters.addHandler(({ object }) => this.#loop.queue.add(keyOf(object)));
    this.#secrets.addHandler(({ object }) => {
      for (const cluster of this.#clusters.store.byIndex(BY_SECRET, keyOf(object)))
        this.#loop.queue.add(keyOf(cluster));
    });
    this.ready = this.#start();
  }

  async #start(): Promise<void> {
    for (const informer of [this.#clusters, this.#secrets]) void informer.run(this.#closing.signal);
    await Promise.all([this.#clusters.synced, this.#secrets.synced]);
    await this.#removeLeftovers();
    for (const key of this.#clusters.store.keys()) {
      // The loop has this key too, and retries a failure.
      await this.#look(key).catch((error: unknown) =>
        this.#options.log.warn("A control plane could not be started", { cluster: key, error }),
      );
    }
    this.#loop.start();
  }

  clusterAt(endpoint: string): WorkloadCluster | undefined {
    const [cluster] = this.#clusters.store.byIndex(BY_ENDPOINT, endpoint);
    return cluster && this.#planes.get(keyOf(cluster))?.cluster;
  }

  count(): number {
    return this.#planes.size;
  }

  onEndpoint(listener: (endpoint: string) => void): () => void {
    this.#listeners.add(listener);
    for (const key of this.#planes.keys()) this.#notify(key, [listener]);
    return () => void this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("the control planes are closed"));
    this.#loop.queue.close();
    for (const key of this.#planes.keys()) await this.#end(key);
  }

  #informer<T extends KubernetesObject>(kind: Kind<T>, scope: ListOptions): Informer<T> {
    const { env, log } = this.#options;
    const onBug = (error: unknown): void => log.error("Bug in a handler", { error });
    return new Informer<T>({ client: this.#client, env, kind, scope, log, onBug });
  }

  /** Removes the logical clusters whose Clusters were deleted while this process did not run. */
  async #removeLeftovers(): Promise<void> {
    const { host, log } = this.#options;
    const wanted = new Set([...this.#clusters.store.keys()].map(nameOf));
    for (const name of host.names().filter((one) => !wanted.has(one) && !isManagedClusterName(one))) {
      log.info("Removing a logical cluster without a Cluster", { name });
      await host.remove(name);
    }
  }

  async #look(key: string): Promise<undefined> {
    const cluster = this.#clusters.store.get(key);
    const plane = this.#planes.get(key);
    if (plane && plane.uid !== cluster?.metadata.uid) await this.#end(key);
    if (!cluster) {
      const { host } = this.#options;
      if (host.names().includes(nameOf(key))) await host.remove(nameOf(key));
      return undefined;
    }
    if (isControlled(cluster, this.#options.yieldTo)) {
      await this.#end(key);
      return undefined;
    }
    const { kubeconfig } = this.#planes.get(key) ?? (await this.#begin(key, cluster));
    const secret = this.#secrets.store.get(secretKey(cluster)) ?? (await this.#findSecret(cluster));
    for (const action of decideWrites({ cluster, kubeconfig, secret })) await this.#do(cluster, action);
    this.#notify(key, this.#listeners);
    return undefined;
  }

  async #begin(key: string, { metadata: { uid = "" } }: Frozen<Cluster>): Promise<ControlPlane> {
    const plane = await startControlPlane({ ...this.#options, name: nameOf(key), uid });
    if (this.#closing.signal.aborted) await plane.close();
    else this.#planes.set(key, plane);
    return plane;
  }

  async #end(key: string): Promise<void> {
    const plane = this.#planes.get(key);
    this.#planes.delete(key);
    await plane?.close();
  }

  /** The watch does not see a Secret without the label, but the name is taken all the same. */
  #findSecret(cluster: Frozen<Cluster>): Promise<Frozen<Secret> | undefined> {
    const { namespace } = cluster.metadata;
    return this.#client.find(Secret, { namespace, name: kubeconfigSecretName(cluster) });
  }

  async #do(
    { metadata: { name, namespace, resourceVersion } }: Frozen<Cluster>,
    action: ClusterAction,
  ): Promise<void> {
    this.#options.log.debug(`Cluster: ${action.do}`, { cluster: name, why: action.why });
    switch (action.do) {
      case "createSecret":
        await this.#client.create(Secret, action.secret);
        return;
      case "patchSecret":
        await this.#client.patch(
          Secret,
          { namespace, name: action.name },
          { type: "merge", body: action.patch },
        );
        return;
      case "setEndpoint": {
        const body = { metadata: { resourceVersion }, spec: { controlPlaneEndpoint: action.endpoint } };
        await this.#client.patch(Cluster, { namespace, name }, { type: "merge", body });
      }
    }
  }

  #notify(key: string, listeners: Iterable<(endpoint: string) => void>): void {
    const cluster = this.#clusters.store.get(key);
    const endpoint = cluster && endpointOf(cluster);
    if (endpoint === undefined) return;
    for (const listener of listeners) listener(endpoint);
  }
}

function secretKey(cluster: Frozen<Cluster>): string {
  const { namespace } = cluster.metadata;
  return keyOf({ metadata: { namespace, name: kubeconfigSecretName(cluster) } });
}

/** The name of the logical cluster for the key of a Cluster. */
function nameOf(key: string): string {
  const [namespace = "", name = ""] = key.split("/");
  return logicalName({ namespace, name });
}
