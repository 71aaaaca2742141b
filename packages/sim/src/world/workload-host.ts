import { type ApiServer, builtInKinds, createApiServer } from "@capstan/apiserver";
import { type Handler, type Scheduler, type Transport, VirtualProcess } from "@capstan/env";
import type { Gate } from "../control-planes/gate.ts";
import { SIMULATED_AUTHORITY, SIMULATED_AUTHORITY_HASH } from "./simulated-authority.ts";
import type { ControlPlaneHost, HostedControlPlane } from "../control-planes/host.ts";

/** The options of the host of workload clusters. */
export interface WorkloadHostOptions {
  readonly scheduler: Scheduler;
  readonly connect: (name: string, handle: Handler) => Transport;
  readonly opened: (name: string, server: ApiServer) => void;
}

/** The origin in a world's kubeconfigs. No server answers there outside the world. */
export const CLUSTERS_ORIGIN = "https://clusters.invalid";

/** The API servers of workload clusters, in memory. */
export class WorkloadHost implements ControlPlaneHost {
  readonly #options: WorkloadHostOptions;
  readonly #servers = new Map<string, ApiServer>();
  readonly #gates = new Map<string, Gate>();

  constructor(options: WorkloadHostOptions) {
    this.#options = options;
  }

  add(name: string, gate: Gate): Promise<HostedControlPlane> {
    const { connect } = this.#options;
    const server = this.#servers.get(name) ?? this.#open(name);
    this.#gates.set(name, gate);
    return Promise.resolve({
      transport: connect(name, gate.guard(server.handle)),
      kubeconfig: kubeconfigOf(name),
      caCertHash: SIMULATED_AUTHORITY_HASH,
    });
  }

  #open(name: string): ApiServer {
    const { scheduler, opened } = this.#options;
    const env = new VirtualProcess(scheduler, `apiserver-${name}`);
    const server = createApiServer({ env, kinds: builtInKinds, fieldOwnership: "applied" });
    this.#servers.set(name, server);
    opened(name, server);
    return server;
  }

  remove(name: string): Promise<void> {
    this.#servers.get(name)?.close();
    this.#servers.delete(name);
    this.#gates.delete(name);
    return Promise.resolve();
  }

  names(): string[] {
    return [...this.#servers.keys()];
  }

  /** The way into a cluster, through its gate. */
  handlerOf(name: string): Handler | undefined {
    const server = this.#servers.get(name);
    return server && (this.#gates.get(name)?.guard(server.handle) ?? server.handle);
  }

  /** The name of the cluster of a kubeconfig's server. */
  nameAt(url: string): string | undefined {
    return url.startsWith(`${CLUSTERS_ORIGIN}/`) ? url.slice(CLUSTERS_ORIGIN.length + 1) : undefined;
  }
}

/** JSON is YAML too. */
function kubeconfigOf(name: string): string {
  const user = `${name}-admin`;
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name,
        cluster: {
          server: `${CLUSTERS_ORIGIN}/${name}`,
          "certificate-authority-data": Buffer.from(SIMULATED_AUTHORITY).toString("base64"),
        },
      },
    ],
    users: [{ name: user, user: { token: "simulated" } }],
    contexts: [{ name, context: { cluster: name, user } }],
    "current-context": name,
  });
}
