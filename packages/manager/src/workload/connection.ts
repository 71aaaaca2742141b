import { type Cluster, type Frozen, Namespace, type Secret } from "@capstan/api";
import { type Env, TransportError } from "@capstan/env";
import { type Client, createClient, Failure, type Logger, transient, waiting } from "@capstan/runtime";
import { concealing, type ConnectToCluster } from "./connect.ts";
import type { KubeconfigFacts } from "./kubeconfig.ts";
import { factsOf, kubeconfigSecretName } from "./kubeconfig-secret.ts";
import { WorkloadNodes } from "./nodes.ts";
import { within } from "./within.ts";

export interface WorkloadPorts {
  readonly env: Env;
  readonly log: Logger;
  /** A Secret of the management cluster; undefined when it does not exist. */
  readonly readSecret: (namespace: string, name: string) => Promise<Frozen<Secret> | undefined>;
  readonly connect: ConnectToCluster;
  /** Servers that a kubeconfig may point to in addition to the endpoint of its Cluster, such as https://127.0.0.1:6443 for simulated clusters. */
  readonly trustedOrigins?: readonly string[];
}

/** A workload cluster that answers. */
export interface WorkloadCluster {
  readonly client: Client;
  /** Its API server, and the credentials for it. */
  readonly facts: KubeconfigFacts;
  /** Its Nodes, watched from the first call on. Throws a Failure while they cannot be read. */
  nodes(): Promise<WorkloadNodes>;
}

interface Open {
  /** The Secret it was opened with: another Secret or version leads to a new connection. */
  readonly version: string;
  readonly cluster: WorkloadCluster;
  /** One request that a healthy server answers at once. */
  probe(): Promise<unknown>;
  close(): void;
}

/** The reason while another server answers at the endpoint of a cluster, or one with a certificate of another authority. */
export const WORKLOAD_CLUSTER_UNTRUSTED = "WorkloadClusterUntrusted";
// A healthy server answers at once; a caller does not wait longer, because other clusters wait for the worker.
const PATIENCE_MS = 2_000;
const PROBE_LIMIT_MS = 10_000;
const NO_ANSWER = `did not answer within ${PROBE_LIMIT_MS / 1000} s`;
const HEALTH_MS = 60_000;
// After a longer time, a caller waits for a new probe.
const STALE_MS = 2 * HEALTH_MS;
// The Secret is read again this often, and whenever the server does not answer: its credentials may have been replaced.
const SECRET_MS = 5 * 60_000;
// Shorter than the polls of controllers that wait for a cluster, so that each of them starts a probe.
const RETRY_MS = 5_000;
// A server that takes the whole time of a probe costs more than one that refuses the connection.
const SILENT_RETRY_MS = 15_000;
const COME_BACK_MS = 10_000;

/** Who is told about changes of a connection. */
export interface ConnectionListeners {
  readonly onNodes: (providerIDs: readonly string[]) => void;
  /** The cluster answers again, or for the first time after a failed probe. */
  readonly onAnswer: () => void;
}

/**
 * The connection to one workload cluster. It probes in the background, one round at a time, started by a caller when the
 * last round is old. So callers wait only once for a cluster that does not answer.
 */
export class Connection {
  readonly uid: string;
  readonly #ports: WorkloadPorts;
  readonly #listeners: ConnectionListeners;
  #open: Open | undefined;
  #failure: Failure | undefined;
  #round: Promise<void> | undefined;
  #dueMs = -Infinity;
  #answeredMs = -Infinity;
  #secretReadMs = -Infinity;
  #isClosed = false;

  constructor(ports: WorkloadPorts, uid: string, listeners: ConnectionListeners) {
    this.#ports = ports;
    this.uid = uid;
    this.#listeners = listeners;
  }

  /** The cluster as last probed; throws a Failure with the reason if it is unreachable. */
  async get(cluster: Frozen<Cluster>): Promise<WorkloadCluster> {
    const { clock } = this.#ports.env;
    if (!this.#round && clock.monotonic() >= this.#dueMs) this.#round = this.#look(cluster);
    const isStale = clock.monotonic() - this.#answeredMs > STALE_MS;
    // Callers do not wait again for a server that did not answer the last probe.
    const mayAnswer = this.#failure?.failure !== "Transient";
    if (this.#round && isStale && mayAnswer) await within(clock, this.#round, PATIENCE_MS);
    if (this.#failure) throw this.#failure;
    if (this.#open && this.#answeredMs > -Infinity) return this.#open.cluster;
    const message = `Connecting to the API server of Cluster ${cluster.metadata.name}`;
    throw waiting("WorkloadClusterConnecting", message, COME_BACK_MS);
  }

  /** Closes the connection and aborts its requests. */
  close(): void {
    this.#isClosed = true;
    this.#open?.close();
    this.#open = undefined;
  }

  /** One round: reads the Secret if due, connects, and probes the server. Never rejects. */
  async #look(cluster: Frozen<Cluster>): Promise<void> {
    const { clock } = this.#ports.env;
    const startMs = clock.monotonic();
    try {
      await this.#renew(cluster);
      await this.#probe(cluster);
      const wasSilent = this.#failure !== undefined;
      this.#failure = undefined;
      this.#answeredMs = clock.monotonic();
      this.#dueMs = this.#answeredMs + HEALTH_MS;
      if (wasSilent) this.#listeners.onAnswer();
    } catch (error) {
      this.#failure = error instanceof Failure ? error : this.#bug(error);
      this.#secretReadMs = -Infinity;
      const isSilent = clock.monotonic() - startMs >= PROBE_LIMIT_MS;
      const retryMs = isSilent ? SILENT_RETRY_MS : RETRY_MS;
      this.#dueMs = clock.monotonic() + Math.max(this.#failure.retryAfterMs ?? 0, retryMs);
    } finally {
      this.#round = undefined;
    }
  }

  /** Connects with the current Secret; an unchanged Secret keeps the connection. */
  async #renew(cluster: Frozen<Cluster>): Promise<void> {
    const nowMs = this.#ports.env.clock.monotonic();
    if (this.#open && nowMs - this.#secretReadMs < SECRET_MS) return;
    const secret = await this.#secretOf(cluster);
    this.#secretReadMs = nowMs;
    const { uid = "", resourceVersion = "" } = secret.metadata;
    const version = `${uid} ${resourceVersion}`;
    if (this.#open?.version === version) return;
    this.#open?.close();
    this.#open = undefined;
    const facts = factsOf(secret, cluster, this.#ports.trustedOrigins ?? []);
    if (!this.#isClosed) this.#open = this.#connect(facts, version);
  }

  async #secretOf({ metadata: { name, namespace = "" } }: Frozen<Cluster>): Promise<Frozen<Secret>> {
    const secretName = kubeconfigSecretName(name);
    const secret = await this.#ports.readSecret(namespace, secretName);
    if (secret) return secret;
    this.#open?.close();
    this.#open = undefined;
    throw waiting(
      "WaitingForKubeconfig",
      `Secret ${namespace}/${secretName} does not exist yet`,
      COME_BACK_MS,
    );
  }

  #connect(facts: KubeconfigFacts, version: string): Open {
    const { env, log, connect } = this.#ports;
    const transport = concealing(connect(facts), facts);
    const ending = new AbortController();
    const options = { transport, env, fieldManager: "capstan", userAgent: "capstan/workload" };
    const client = createClient({ ...options, signal: ending.signal });
    const prober = createClient({ ...options, signal: ending.signal, timeoutMs: PROBE_LIMIT_MS });
    let nodes: WorkloadNodes | undefined;
    const follow = (): WorkloadNodes =>
      new WorkloadNodes({ client, env, log, onChange: this.#listeners.onNodes }, ending.signal);
    return {
      version,
      // The prober's own time limit aborts the request: an answer that is still on its way is not read on.
      probe: () => prober.find(Namespace, { name: "kube-system" }),
      cluster: {
        client,
        facts,
        nodes: async () => {
          nodes ??= follow();
          await nodes.known();
          return nodes;
        },
      },
      close: () => {
        ending.abort(new Error("the connection to the workload cluster is closed"));
        transport.close().catch((error: unknown) => log.warn("A connection could not be closed", { error }));
      },
    };
  }

  async #probe({ metadata: { name } }: Frozen<Cluster>): Promise<void> {
    const open = this.#open;
    if (!open) throw connectionClosed(name);
    try {
      // The probe aborts its request at the same time; this limit holds even if the transport ignores that.
      if (await within(this.#ports.env.clock, open.probe(), PROBE_LIMIT_MS)) return;
    } catch (error) {
      // Closing the connection aborted the probe.
      if (this.#open !== open) throw connectionClosed(name);
      throw unreachable(name, error instanceof Failure ? error : this.#bug(error));
    }
    throw transient("WorkloadClusterUnreachable", `The API server of Cluster ${name} ${NO_ANSWER}`);
  }

  #bug(error: unknown): Failure {
    this.#ports.log.error("Bug while connecting to a workload cluster", { error });
    return transient(
      "InternalError",
      "Capstan hit a bug while connecting to the workload cluster; see the log of the manager",
    );
  }
}

function connectionClosed(name: string): Failure {
  return waiting("WorkloadClusterConnecting", `The connection to Cluster ${name} was closed`, COME_BACK_MS);
}

function unreachable(name: string, failure: Failure): Failure {
  const { message, reason, retryAfterMs, cause } = failure;
  const options = retryAfterMs === undefined ? {} : { retryAfterMs };
  if (cause instanceof TransportError && cause.failure === "tls") {
    const proof = `The server at the endpoint of Cluster ${name} does not prove that it is the API server: ${cause.message}`;
    const remedy = `direct the endpoint to the machines of the control plane, or correct the authority in Secret ${kubeconfigSecretName(name)}`;
    return transient(WORKLOAD_CLUSTER_UNTRUSTED, `${proof}; ${remedy}`, options);
  }
  const why = reason === "RequestTimeout" ? NO_ANSWER : `gives an unexpected answer: ${message}`;
  return transient("WorkloadClusterUnreachable", `The API server of Cluster ${name} ${why}`, options);
}
