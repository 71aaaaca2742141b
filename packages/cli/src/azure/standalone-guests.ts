import {
  builtInKinds,
  type Clusters,
  issueCertificate,
  openClusters,
  type PodBackends,
} from "@capstan/apiserver";
import { savedClusters } from "@capstan/apiserver/layout";
import type { Azure } from "@capstan/azure-sim";
import { type Env, serveHttp } from "@capstan/env";
import { createLogger, type LogDestination, type Logger } from "@capstan/runtime";
import {
  type ApiServerAddress,
  EtcdClusters,
  etcdPods,
  type ListeningHost,
  machineLabel,
  startBootedControlPlanes,
  startGuests,
} from "@capstan/sim";
import { inProcess } from "../cluster/transport.ts";

/** What guests without a management cluster need. */
export interface StandaloneGuestsOptions {
  readonly env: Env;
  readonly azure: Azure;
  /** Where workload clusters are stored; without it, in memory. */
  readonly folder?: string;
  /** How many times faster than in Azure machines boot and join. */
  readonly speed: number;
  /** Prints a line for the user. */
  readonly say: (line: string) => void;
  /** The log, for engineers. */
  readonly log: LogDestination;
}

/** Guests of the simulated machines: they boot from their user data, join and become Nodes. */
export interface StandaloneGuests {
  close(): Promise<void>;
}

// Seconds from power on to a Ready Node, as in all simulations.
const BOOT = { p50: 60, p90: 120 };
// Reading more than the API server's own limit would be pointless.
const BODY_LIMIT_BYTES = 3 * 1024 * 1024;

/**
 * Starts a guest in each simulated machine. Control planes come from user data alone, and their API servers listen where their
 * load balancers are: on the loopback addresses that Clusters name as their endpoints.
 */
export async function startStandaloneGuests(options: StandaloneGuestsOptions): Promise<StandaloneGuests> {
  const { env, azure, folder, speed, say } = options;
  const log = createLogger(env, "warn", options.log);
  const clusters = await openClusters({ env, ...(folder !== undefined && { folder }) });
  const etcd = new EtcdClusters();
  const pods = etcdPods({ env, etcd, endpointOf: (name) => controlPlanes.endpointOf(name) });
  const host = listeningHost({ clusters, pods, env, say, log });
  for (const name of folder === undefined ? [] : savedClusters(folder))
    await clusters.add(name, { kinds: builtInKinds, pods: pods(name) });
  const controlPlanes = await startBootedControlPlanes({ env, host, etcd, log });
  const guests = startGuests({
    env,
    azure,
    etcd,
    initialize: controlPlanes.initialize,
    clusterAt: (endpoint) => controlPlanes.clusterAt(endpoint),
    settings: { boot: { p50: BOOT.p50 / speed, p90: BOOT.p90 / speed }, kubeadmSpeed: speed },
    onFailure: ({ machineId, failure }) => {
      const [, , , , group = ""] = machineId.split("/");
      say(`guest ${group}/${machineLabel(machineId)}: ${failure?.reason}: ${failure?.message}`);
    },
  });
  controlPlanes.onEndpoint((endpoint) => guests.attend(endpoint));
  return {
    close: async () => {
      guests.close();
      await controlPlanes.close();
      await clusters.close();
    },
  };
}

interface HostParts extends Pick<StandaloneGuestsOptions, "env" | "say"> {
  readonly clusters: Clusters;
  readonly pods: (name: string) => PodBackends;
  readonly log: Logger;
}

/** Serves each logical cluster on an address of its own. */
function listeningHost({ clusters, pods, env, say, log }: HostParts): ListeningHost {
  return {
    add: async (name, gate) => {
      const { server } =
        clusters.get(name) ?? (await clusters.add(name, { kinds: builtInKinds, pods: pods(name) }));
      return { transport: inProcess(gate.guard(server.handle)), kubeconfig: "" };
    },
    remove: (name) => clusters.remove(name),
    names: () => clusters.names(),
    listen: async ({ name, endpoint, authority }) => {
      const { host, port } = addressOf(endpoint);
      const server = clusters.get(name)?.server;
      if (host === undefined || !server) {
        say(`the API server at ${endpoint} can be reached by machines only: ${NOT_LOOPBACK}`);
        return () => Promise.resolve();
      }
      const hosts = [host, "localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"];
      const tls = await issueCertificate(env, authority, { type: "server", hosts });
      const listening = await serveHttp(server.secured({ userOfToken: () => undefined }), {
        host,
        port,
        tls: { ...tls, clientCa: authority.cert },
        bodyLimitBytes: BODY_LIMIT_BYTES,
        bodies: "onDemand",
      });
      log.debug("An API server listens", { endpoint });
      say(`API server on https://${endpoint}`);
      return () => listening.close();
    },
  };
}

const NOT_LOOPBACK =
  "set spec.controlPlaneEndpoint.host of the Cluster's AzureCluster to an address of 127.64.0.0/10, such as 127.64.0.1";

const LOOPBACK = /^127(\.\d{1,3}){3}$/;

/** Only a loopback address can be listened on without changes to the machine. */
function addressOf(endpoint: ApiServerAddress["endpoint"]): {
  readonly host?: string;
  readonly port: number;
} {
  const at = endpoint.lastIndexOf(":");
  const host = endpoint.slice(0, at);
  const port = Number(endpoint.slice(at + 1));
  return LOOPBACK.test(host) ? { host, port } : { port };
}
