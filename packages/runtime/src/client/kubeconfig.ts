import type { KubeConfig } from "@kubernetes/client-node";
import {
  createHttpTransport,
  type HttpRequest,
  type HttpTransportOptions,
  type Transport,
} from "@capstan/env";
import { embeddedCredentials } from "./embedded-credentials.ts";
import { type Failure, terminal, transient } from "../failure.ts";

/** The kubeconfig: its text with a name for error messages, or by default kubectl's locations. */
export interface KubeconfigSource {
  readonly text?: string;
  readonly origin?: string;
  readonly context?: string;
}

/** A transport to the cluster of a kubeconfig. */
export async function connectWithKubeconfig(source: KubeconfigSource = {}): Promise<Transport> {
  const embedded = source.text === undefined ? undefined : embeddedCredentials(source.text, source.context);
  if (!embedded) return connectWithOfficialClient(source);
  const { endpoint, authorization } = embedded;
  return authorized(createHttpTransport(endpoint), () => Promise.resolve(authorization));
}

/**
 * The official client parses the file and handles certificates in files, exec plugins and in-cluster tokens; it is loaded only
 * here, because that takes a second.
 */
async function connectWithOfficialClient(source: KubeconfigSource): Promise<Transport> {
  const { KubeConfig: Config } = await import("@kubernetes/client-node");
  const config = new Config();
  const origin = source.origin ?? "the kubeconfig";
  load(config, source, origin);
  const transport = createHttpTransport({ ...endpointOf(config, origin), ...(await tlsOf(config, origin)) });
  const user = config.getCurrentUser();
  // Exec plugins and projected tokens renew their tokens, so they are called with each request.
  const renewed = user?.exec !== undefined || user?.authProvider !== undefined;
  const fixed = renewed ? undefined : await tokenOf(config, origin);
  return authorized(transport, async () => (renewed ? renewedToken(config, origin) : fixed));
}

/** Sends a header with each request. */
function authorized(transport: Transport, header: () => Promise<string | undefined>): Transport {
  return {
    request: async (request: HttpRequest) => {
      const authorization = await header();
      return transport.request(
        authorization === undefined
          ? request
          : { ...request, headers: { ...request.headers, authorization } },
      );
    },
    close: () => transport.close(),
  };
}

function endpointOf(config: KubeConfig, origin: string): HttpTransportOptions {
  const cluster = config.getCurrentCluster();
  if (!cluster) {
    const known = config.getContexts().map(({ name }) => name);
    const current = JSON.stringify(config.getCurrentContext());
    throw terminal(
      "InvalidKubeconfig",
      `${origin}: current-context ${current} names no cluster; contexts: ${known.join(", ") || "none"}`,
    );
  }
  const { skipTLSVerify, tlsServerName, proxyUrl } = cluster;
  return {
    baseUrl: baseUrlOf(cluster.server, origin),
    insecureSkipVerify: skipTLSVerify,
    ...(tlsServerName !== undefined && { serverName: tlsServerName }),
    ...(proxyUrl !== undefined && { proxyUrl }),
  };
}

function load(config: KubeConfig, { text, context }: KubeconfigSource, origin: string): void {
  try {
    if (text === undefined) config.loadFromDefault();
    else config.loadFromString(text);
  } catch (error) {
    // The official client fails on a missing list with a TypeError that does not help a user.
    const why =
      error instanceof TypeError
        ? "it has no lists of clusters, contexts and users"
        : (error as Error).message;
    throw terminal("InvalidKubeconfig", `${origin} is not a kubeconfig: ${why}`, { cause: error });
  }
  if (context !== undefined) config.setCurrentContext(context);
}

function baseUrlOf(server: string, origin: string): string {
  // Without its scheme, "host:6443" still parses as a URL of the protocol "host".
  if (!URL.canParse(server) || !/^https?:$/.test(new URL(server).protocol)) {
    throw terminal(
      "InvalidKubeconfig",
      `${origin}: server ${JSON.stringify(server)} is not a URL; expected something like https://host:6443`,
    );
  }
  return server;
}

interface RequestSecurity {
  headers?: Record<string, string>;
  ca?: string | Buffer;
  cert?: string | Buffer;
  key?: string | Buffer;
}

async function securityOf(config: KubeConfig, origin: string): Promise<RequestSecurity> {
  const options: RequestSecurity = {};
  try {
    await config.applyToHTTPSOptions(options);
  } catch (error) {
    throw terminal(
      "InvalidCredentials",
      `${origin}: could not get credentials: ${(error as Error).message}`,
      { cause: error },
    );
  }
  return options;
}

async function tlsOf(
  config: KubeConfig,
  origin: string,
): Promise<{ ca?: string; cert?: string; key?: string }> {
  const { ca, cert, key } = await securityOf(config, origin);
  return {
    ...(ca !== undefined && { ca: ca.toString() }),
    ...(cert !== undefined && { cert: cert.toString() }),
    ...(key !== undefined && { key: key.toString() }),
  };
}

/** A failure to renew credentials is transient: their issuer may only be offline. */
async function renewedToken(config: KubeConfig, origin: string): Promise<string | undefined> {
  try {
    return await tokenOf(config, origin);
  } catch (error) {
    const { reason, message } = error as Failure;
    throw transient(reason, message, { cause: error });
  }
}

async function tokenOf(config: KubeConfig, origin: string): Promise<string | undefined> {
  return (await securityOf(config, origin)).headers?.["Authorization"];
}
