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
  transient,
} from "@capstan/runtime";
import type { EtcdClusters } from "../etcd/etcd-clusters.ts";
import type { ControlPlaneInit, InitializeControlPlane } from "../guests/control-plane-seat.ts";
import type { WorkloadCluster } from "../guests/guest-clusters.ts";
import { createLoop, type Loop } from "../workloads/loop.ts";
import {
  ownerUid,
  type PublishedCluster,
  publishedAuthority,
  recordedOwner,
  recordOwner,
} from "./cluster-info.ts";
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from "./control-plane.ts";
import {
  type ClusterAction,
  type ControlPlaneKind,
  decideWrites,
  endpointOf,
  isControlled,
  kubeconfigSecretName,
} from "./decide.ts";
import { Gate } from "./gate.ts";
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
  /** The etcd of control planes that machines run. */
  readonly etcd: EtcdClusters;
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
  /**
   * The name of the logical cluster behind an endpoint, whether it runs or not. Only control planes that machines run are
   * reached there; a stand-in has an address of its own.
   */
  nameAt(endpoint: string): string | undefined;
  /** The endpoint of a logical cluster that machines run. */
  endpointOf(name: string): string | undefined;
  /** Starts the API server of the Cluster at an endpoint, for `kubeadm init` on one of its machines. */
  readonly initialize: InitializeControlPlane;
  /** How many control planes run. */
  count(): number;
  /** Calls the listener with the endpoint of each running cluster, now and later, until the returned function is called. */
  onEndpoint(listener: (endpoint: string) => void): () => void;
  /** Stops all control planes; the objects in the clusters stay. */
  close(): Promise<void>;
}

const BY_ENDPOINT = "endpoint";
const BY_SECRET = "kubeconfig";
const BY_NAME = "logical name";

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
  /** The switches of the API servers, by key. */
  readonly #gates = new Map<string, Gate>();
  /** Clusters that a machine starts with `kubeadm init`, until their API server runs. */
  readonly #inits = new Map<string, Init>();
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
    this.#clusters.store.addIndex(BY_NAME, (cluster) => [nameOf(keyOf(cluster))]);
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
    options.etcd.onChange((endpoint) => this.#etcdChanged(endpoint));
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
    const plane = cluster
      ? this.#planes.get(keyOf(cluster))
      : [...this.#planes.values()].find(({ keptAt }) => keptAt === endpoint);
    return plane?.cluster;
  }

  nameAt(endpoint: string): string | undefined {
    const [cluster] = this.#clusters.store.byIndex(BY_ENDPOINT, endpoint);
    return cluster && isControlled(cluster, this.#options.yieldTo) ? nameOf(keyOf(cluster)) : undefined;
  }

  endpointOf(name: string): string | undefined {
    const [cluster] = this.#clusters.store.byIndex(BY_NAME, name);
    return cluster && isControlled(cluster, this.#options.yieldTo) ? endpointOf(cluster) : undefined;
  }

  readonly initialize: InitializeControlPlane = async (endpoint, init) => {
    const [cluster] = this.#clusters.store.byIndex(BY_ENDPOINT, endpoint);
    if (!cluster) throw transient("NoCluster", `no Cluster has the endpoint ${endpoint}`);
    const key = keyOf(cluster);
    if (this.#planes.get(key)?.uid === ownerOf(cluster, init.origin)) return;
    await new Promise<void>((done) => {
      this.#inits.set(key, { ...init, done });
      this.#loop.queue.add(key);
    });
  };

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
    const desired = new Set([...this.#clusters.store.keys()].map(nameOf));
    for (const name of host.names().filter((one) => !desired.has(one) && !isManagedClusterName(one))) {
      if (await this.#isKept(name)) continue;
      log.info("Removing a logical cluster without a Cluster", { name });
      await host.remove(name);
    }
  }

  async #look(key: string): Promise<undefined> {
    const cluster = this.#clusters.store.get(key);
    if (!cluster) await this.#forget(key);
    else if (isControlled(cluster, this.#options.yieldTo)) await this.#lookAtMachines(key, cluster);
    else await this.#standIn(key, cluster);
    return undefined;
  }

  /** A Cluster that disappears while it is paused was moved, not deleted: its control plane runs on. */
  async #forget(key: string): Promise<void> {
    const { host } = this.#options;
    const client = await this.#openedClient(key);
    if (client && (await recordedOwner(client)).keptAt !== undefined) return;
    await this.#end(key);
    if (host.names().includes(nameOf(key))) await host.remove(nameOf(key));
    this.#gates.delete(key);
  }

  /**
   * Ends the control plane of an earlier Cluster with the same name. A Cluster that comes back at the endpoint where its control
   * plane was kept gets its objects.
   */
  async #replaceOwner(key: string, cluster: Frozen<Cluster>): Promise<void> {
    const { uid = "" } = cluster.metadata;
    if (this.#planes.get(key)?.uid.startsWith(uid)) return;
    const client = await this.#openedClient(key);
    const { uid: before, keptAt } = client ? await recordedOwner(client) : {};
    if (client && before !== undefined && keptAt !== undefined && keptAt === endpointOf(cluster)) {
      const [, ...origin] = before.split(" ");
      await recordOwner(client, { uid: [uid, ...origin].join(" "), keptAt });
    }
    await this.#end(key);
  }

  /** The client of a stored logical cluster that can be reached. */
  async #openedClient(key: string): Promise<Client | undefined> {
    const gate = this.#gateOf(key);
    if (!gate.isOpen || !this.#options.host.names().includes(nameOf(key))) return undefined;
    return await this.#clientOf(nameOf(key), gate);
  }

  /** What cannot be read is kept: a logical cluster too many does no harm. */
  async #isKept(name: string): Promise<boolean> {
    const owner = await recordedOwner(await this.#clientOf(name, new Gate(name))).catch(() => undefined);
    return owner === undefined || owner.keptAt !== undefined;
  }

  async #clientOf(name: string, gate: Gate): Promise<Client> {
    const { env, host } = this.#options;
    const { transport } = await host.add(name, gate);
    return createClient({ env, transport, fieldManager: "control-planes" });
  }

  async #keepWhilePaused(key: string, cluster: Frozen<Cluster>): Promise<void> {
    const keptAt = cluster.spec.paused === true ? endpointOf(cluster) : undefined;
    await this.#planes.get(key)?.keepAt(keptAt);
  }

  /** A control plane without a controller: it is there as soon as its Cluster is. */
  async #standIn(key: string, cluster: Frozen<Cluster>): Promise<void> {
    const uid = cluster.metadata.uid ?? "";
    await this.#replaceOwner(key, cluster);
    const { kubeconfig } = this.#planes.get(key) ?? (await this.#begin(key, { uid }));
    const secret = this.#secrets.store.get(secretKey(cluster)) ?? (await this.#findSecret(cluster));
    for (const action of decideWrites({ cluster, kubeconfig, secret })) await this.#do(cluster, action);
    await this.#keepWhilePaused(key, cluster);
    this.#notify(key, this.#listeners);
  }

  /** A control plane that machines run: its API server is there while its machines are. */
  async #lookAtMachines(key: string, cluster: Frozen<Cluster>): Promise<void> {
    const endpoint = endpointOf(cluster) ?? "";
    const init = this.#inits.get(key);
    this.#switchGate(key, endpoint);
    await this.#replaceOwner(key, cluster);
    if (init) await this.#startNew(key, ownerOf(cluster, init.origin), { ...init, endpoint });
    else if (!this.#planes.has(key)) await this.#reopen(key, endpoint);
    // Another init may have begun meanwhile; the next pass is for that one.
    if (init && this.#inits.get(key) === init) this.#inits.delete(key);
    init?.done();
    if (this.#gateOf(key).isOpen) await this.#keepWhilePaused(key, cluster);
    if (this.#planes.has(key)) this.#notify(key, this.#listeners);
  }

  /** Starts the cluster that `kubeadm init` asks for; an earlier one at the same endpoint ends. */
  async #startNew(key: string, uid: string, { endpoint, authority }: PublishedCluster): Promise<void> {
    if (this.#planes.get(key)?.uid === uid) return;
    await this.#end(key);
    await this.#begin(key, { uid, published: { endpoint, authority } });
  }

  /** Opens the stored cluster of an earlier process, once its machines run again. */
  async #reopen(key: string, endpoint: string): Promise<void> {
    const client = await this.#openedClient(key);
    if (!client) return;
    const uid = await ownerUid(client);
    const authority = await publishedAuthority(client);
    if (uid !== undefined && authority !== undefined)
      await this.#begin(key, { uid, published: { endpoint, authority } });
  }

  #etcdChanged(endpoint: string): void {
    for (const cluster of this.#clusters.store.byIndex(BY_ENDPOINT, endpoint)) {
      const key = keyOf(cluster);
      if (!isControlled(cluster, this.#options.yieldTo)) continue;
      this.#switchGate(key, endpoint);
      if (!this.#planes.has(key)) this.#loop.queue.add(key);
    }
  }

  #switchGate(key: string, endpoint: string): void {
    const gate = this.#gateOf(key);
    if (this.#options.etcd.at(endpoint).isServing()) gate.open();
    else gate.close();
  }

  #gateOf(key: string): Gate {
    const gate = this.#gates.get(key) ?? new Gate(nameOf(key));
    this.#gates.set(key, gate);
    return gate;
  }

  async #begin(key: string, identity: Pick<ControlPlaneOptions, "uid" | "published">): Promise<ControlPlane> {
    const gate = this.#gateOf(key);
    const plane = await startControlPlane({ ...this.#options, name: nameOf(key), gate, ...identity });
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

/** A `kubeadm init` that waits for its API server. */
interface Init extends ControlPlaneInit {
  readonly done: () => void;
}

/** The owner of a logical cluster: another Cluster, or another `kubeadm init`, must not inherit its objects. */
function ownerOf({ metadata: { uid = "" } }: Frozen<Cluster>, origin: string): string {
  return `${uid} ${origin}`;
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
