import { type ApiServer, builtInKinds, createApiServer } from "@capstan/apiserver";
import { type Handler, type Scheduler, type Transport, VirtualProcess } from "@capstan/env";
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

  constructor(options: WorkloadHostOptions) {
    this.#options = options;
  }

  add(name: string): Promise<HostedControlPlane> {
    const { connect } = this.#options;
    const server = this.#servers.get(name) ?? this.#open(name);
    return Promise.resolve({
      transport: connect(name, server.handle),
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
    return Promise.resolve();
  }

  names(): string[] {
    return [...this.#servers.keys()];
  }

  get(name: string): ApiServer | undefined {
    return this.#servers.get(name);
  }

  /** The cluster of a kubeconfig's server. */
  at(url: string): { readonly name: string; readonly server: ApiServer } | undefined {
    const name = url.startsWith(`${CLUSTERS_ORIGIN}/`) ? url.slice(CLUSTERS_ORIGIN.length + 1) : "";
    const server = this.#servers.get(name);
    return server && { name, server };
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
