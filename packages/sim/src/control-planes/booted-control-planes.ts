import type { Credential } from "@capstan/apiserver";
import type { Env } from "@capstan/env";
import { createClient, type Logger } from "@capstan/runtime";
import type { EtcdClusters } from "../etcd/etcd-clusters.ts";
import type { ControlPlaneInit, InitializeControlPlane } from "../guests/control-plane-seat.ts";
import type { WorkloadCluster } from "../guests/guest-clusters.ts";
import type { PodSettings } from "../workloads/kubelet-pods.ts";
import { createLoop, type Loop } from "../workloads/loop.ts";
import { ownerUid, publishedAuthority, publishedEndpoint } from "./cluster-info.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { Gate } from "./gate.ts";
import type { ControlPlaneHost } from "./host.ts";
import { logicalName } from "./logical-name.ts";

/** Where an API server listens, and whose certificates it uses. */
export interface ApiServerAddress {
  /** The name of the logical cluster. */
  readonly name: string;
  /** HOST:PORT of the load balancer. */
  readonly endpoint: string;
  /** The authority of the cluster, from the disks of its machines. */
  readonly authority: Credential;
}

/** Stores logical clusters, and serves them where their load balancers are. */
export interface ListeningHost extends ControlPlaneHost {
  /** Serves a logical cluster until the returned function is called. */
  listen(address: ApiServerAddress): Promise<() => Promise<void>>;
}

/** The options of control planes that machines boot. */
export interface BootedControlPlanesOptions {
  readonly env: Env;
  readonly host: ListeningHost;
  readonly etcd: EtcdClusters;
  readonly log: Logger;
  readonly pods?: Partial<PodSettings>;
}

/** The control planes that machines boot from their user data alone. */
export interface BootedControlPlanes {
  /** The cluster at an endpoint: guests join it. */
  clusterAt(endpoint: string): WorkloadCluster | undefined;
  /** The endpoint of a logical cluster; undefined for a cluster whose machines have not started in this process. */
  endpointOf(name: string): string | undefined;
  /** Starts the API server at an endpoint, for `kubeadm init` on one of its machines. */
  readonly initialize: InitializeControlPlane;
  /** How many API servers run. */
  count(): number;
  /** Calls the listener with the endpoint of each cluster that starts. */
  onEndpoint(listener: (endpoint: string) => void): void;
  close(): Promise<void>;
}

const AUTHORITY = "/etc/kubernetes/pki/ca";

/**
 * Simulates control planes without a management cluster: the machines' user data names the endpoint and the authority. An API
 * server listens at its load balancer's address while a quorum of its machines runs.
 */
export async function startBootedControlPlanes(
  options: BootedControlPlanesOptions,
): Promise<BootedControlPlanes> {
  const planes = new BootedTable(options);
  await planes.readStored();
  return planes;
}

class BootedTable implements BootedControlPlanes {
  readonly #options: BootedControlPlanesOptions;
  readonly #loop: Loop;
  readonly #names = new Map<string, string>();
  readonly #planes = new Map<string, ControlPlane>();
  readonly #gates = new Map<string, Gate>();
  readonly #inits = new Map<string, Init>();
  readonly #servers = new Map<string, () => Promise<void>>();
  readonly #listeners: ((endpoint: string) => void)[] = [];

  constructor(options: BootedControlPlanesOptions) {
    this.#options = options;
    this.#loop = createLoop(options, {
      name: "booted-control-planes",
      concurrency: 1,
      look: (endpoint) => this.#look(endpoint),
    });
    options.etcd.onChange((endpoint) => {
      this.#switchGate(endpoint);
      this.#loop.queue.add(endpoint);
    });
    this.#loop.start();
  }

  /** Learns which stored cluster belongs to which endpoint; they start with their machines. */
  async readStored(): Promise<void> {
    const { env, host } = this.#options;
    for (const name of host.names()) {
      const { transport } = await host.add(name, new Gate(name));
      const endpoint = await publishedEndpoint(createClient({ env, transport, fieldManager: FIELD_MANAGER }));
      if (endpoint !== undefined) this.#names.set(endpoint, name);
    }
  }

  clusterAt(endpoint: string): WorkloadCluster | undefined {
    return this.#planes.get(endpoint)?.cluster;
  }

  endpointOf(name: string): string | undefined {
    for (const [endpoint, known] of this.#names) if (known === name) return endpoint;
    return undefined;
  }

  readonly initialize: InitializeControlPlane = async (endpoint, init) => {
    if (this.#planes.get(endpoint)?.uid === init.origin) return;
    await new Promise<void>((done) => {
      this.#inits.set(endpoint, { ...init, done });
      this.#loop.queue.add(endpoint);
    });
  };

  count(): number {
    return this.#planes.size;
  }

  onEndpoint(listener: (endpoint: string) => void): void {
    this.#listeners.push(listener);
    for (const endpoint of this.#planes.keys()) listener(endpoint);
  }

  async close(): Promise<void> {
    this.#loop.queue.close();
    for (const endpoint of this.#planes.keys()) await this.#end(endpoint);
  }

  async #look(endpoint: string): Promise<undefined> {
    const etcd = this.#options.etcd.at(endpoint);
    if (etcd.isAbandoned()) {
      await this.#remove(endpoint);
      return;
    }
    const init = this.#inits.get(endpoint);
    if (init) await this.#begin(endpoint, init.origin, init.authority);
    else if (!this.#planes.has(endpoint) && etcd.isServing()) await this.#reopen(endpoint);
    // Another init may have begun meanwhile; the next pass is for that one.
    if (init && this.#inits.get(endpoint) === init) this.#inits.delete(endpoint);
    init?.done();
    await this.#listen(endpoint);
    return undefined;
  }

  /** All machines were deleted, and their disks with them. */
  async #remove(endpoint: string): Promise<void> {
    const name = this.#names.get(endpoint);
    await this.#end(endpoint);
    this.#inits.get(endpoint)?.done();
    this.#inits.delete(endpoint);
    this.#names.delete(endpoint);
    this.#gates.delete(endpoint);
    if (name !== undefined) await this.#options.host.remove(name);
  }

  async #begin(endpoint: string, uid: string, authority: string): Promise<void> {
    if (this.#planes.get(endpoint)?.uid === uid) return;
    await this.#end(endpoint);
    const name = this.#names.get(endpoint) ?? nameOf(endpoint);
    this.#names.set(endpoint, name);
    const plane = await startControlPlane({
      pods: {},
      ...this.#options,
      name,
      uid,
      gate: this.#gateOf(endpoint),
      published: { endpoint, authority },
    });
    this.#planes.set(endpoint, plane);
    for (const listener of this.#listeners) listener(endpoint);
  }

  /** Starts the stored cluster of an earlier process, now that its machines run again. */
  async #reopen(endpoint: string): Promise<void> {
    const { env, host } = this.#options;
    const name = this.#names.get(endpoint);
    if (name === undefined) return;
    const { transport } = await host.add(name, this.#gateOf(endpoint));
    const client = createClient({ env, transport, fieldManager: FIELD_MANAGER });
    const uid = await ownerUid(client);
    const authority = await publishedAuthority(client);
    if (uid !== undefined && authority !== undefined) await this.#begin(endpoint, uid, authority);
  }

  async #end(endpoint: string): Promise<void> {
    await this.#stopListening(endpoint);
    const plane = this.#planes.get(endpoint);
    this.#planes.delete(endpoint);
    await plane?.close();
  }

  /** Opens or closes the port of the load balancer. */
  async #listen(endpoint: string): Promise<void> {
    const etcd = this.#options.etcd.at(endpoint);
    if (!this.#planes.has(endpoint) || !etcd.isServing()) return await this.#stopListening(endpoint);
    if (this.#servers.has(endpoint)) return;
    const [cert, key] = ["crt", "key"].map((end) => etcd.sharedFile(`${AUTHORITY}.${end}`));
    const name = this.#names.get(endpoint);
    if (cert === undefined || key === undefined || name === undefined) return;
    this.#servers.set(
      endpoint,
      await this.#options.host.listen({ name, endpoint, authority: { cert, key } }),
    );
  }

  async #stopListening(endpoint: string): Promise<void> {
    const stop = this.#servers.get(endpoint);
    this.#servers.delete(endpoint);
    await stop?.();
  }

  #switchGate(endpoint: string): void {
    if (this.#options.etcd.at(endpoint).isServing()) this.#gateOf(endpoint).open();
    else this.#gateOf(endpoint).close();
  }

  #gateOf(endpoint: string): Gate {
    const gate = this.#gates.get(endpoint) ?? new Gate(endpoint);
    this.#gates.set(endpoint, gate);
    return gate;
  }
}

const FIELD_MANAGER = "control-planes";

/** A `kubeadm init` that waits for its API server. */
interface Init extends ControlPlaneInit {
  readonly done: () => void;
}

/** The name of the logical cluster for an endpoint. */
function nameOf(endpoint: string): string {
  return logicalName({ namespace: "endpoint", name: endpoint.replaceAll(/[^a-z0-9-]/g, "-") });
}
