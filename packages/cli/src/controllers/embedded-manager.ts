import type { Features } from "@capstan/api";
import type { Clusters } from "@capstan/apiserver";
import { MANAGEMENT_CLUSTER } from "@capstan/apiserver/layout";
import { type Azure, DEFAULT_PRINCIPAL, DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import { type Env, type Transport, TransportError } from "@capstan/env";
import { cloudNamed, renewedTokens, type TokenSource } from "@capstan/azure";
import { type ConnectToExtension, Manager, x509Issuer } from "@capstan/manager";
import { type Logger, Sensitive } from "@capstan/runtime";
import { SERVICE_OPERATOR } from "@capstan/sim";
import { inProcess } from "../cluster/transport.ts";
import { type SimulatedControlPlanes, throughLoadBalancer } from "./control-plane-route.ts";
import { readCredentialFile } from "./credential-file.ts";
import { SIMULATED_TOKEN_FILE, withServiceAccountToken } from "./service-account-token.ts";

/** The servers that a manager in the same process connects to. */
export interface EmbeddedManagerOptions {
  readonly env: Env;
  /** The clock of clients in other processes. */
  readonly outside: Env;
  readonly clusters: Clusters;
  /** Where the clusters are served. */
  readonly url: string;
  readonly azure: Azure;
  /** The control planes that simulated machines run. */
  readonly controlPlanes: SimulatedControlPlanes;
  readonly log: Logger;
  readonly features: Features;
  /** The way to updaters. */
  readonly connectToUpdater: ConnectToExtension;
}

/** The product's controllers, connected to the clusters and the simulated Azure of this process. */
export function embeddedManager({
  env,
  outside,
  clusters,
  url,
  azure,
  controlPlanes,
  log,
  features,
  connectToUpdater,
}: EmbeddedManagerOptions): Manager {
  const management = clusters.get(MANAGEMENT_CLUSTER)?.server.handle;
  if (!management) throw new TypeError("the management cluster is opened before its controllers");
  return new Manager({
    env,
    log,
    features,
    standIns: SERVICE_OPERATOR,
    kube: inProcess(management),
    issuer: x509Issuer(env, outside.clock),
    azure: {
      cloud: cloudNamed(),
      // This process has one Azure, so every address leads to it.
      connect: () => inProcess(azure.handle),
      defaultTokens: simulatedTokens(env, () => azure.issueToken().token),
      defaultSubscriptionID: DEFAULT_SUBSCRIPTION,
      federatedTokenFile: SIMULATED_TOKEN_FILE,
    },
    workload: {
      connect: ({ server, authority = "", certificate }) =>
        server.startsWith(`${url}/`)
          ? transportTo(clusters, url, server)
          : throughLoadBalancer(clusters, controlPlanes, {
              server,
              authority,
              certificate: certificate?.reveal() ?? "",
            }),
      trustedOrigins: [url],
    },
    connectEtcd: (target) =>
      inProcess((request) =>
        controlPlanes.isServing(target.endpoint)
          ? controlPlanes.etcdOn(target)(request)
          : Promise.reject(new TransportError("refused", `no API server answers at ${target.endpoint}`)),
      ),
    updaters: { connect: connectToUpdater },
    readFile: withServiceAccountToken(env.clock, readCredentialFile),
  });
}

/** A cluster of this process by its address; other addresses fail. */
function transportTo(clusters: Clusters, url: string, server: string): Transport {
  return {
    request: async (request) => {
      const name = server.startsWith(`${url}/clusters/`) ? server.slice(`${url}/clusters/`.length) : "";
      const cluster = clusters.get(name);
      if (!cluster) throw new TransportError("refused", `no cluster of this process is at ${server}`);
      return cluster.server.handle(request);
    },
    close: () => Promise.resolve(),
  };
}

// As long as Entra's tokens.
const TOKEN_MS = 3_600_000;

/** Tokens of the simulated Azure, without a login at Entra. */
export function simulatedTokens(env: Env, issue: () => string): TokenSource {
  return renewedTokens({
    principal: `${DEFAULT_PRINCIPAL.tenantId}/${DEFAULT_PRINCIPAL.clientId}`,
    clock: env.clock,
    acquire: () => Promise.resolve({ token: new Sensitive(issue()), lifetimeMs: TOKEN_MS }),
  });
}
