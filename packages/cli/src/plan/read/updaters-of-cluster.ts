import type { Env, Transport } from "@capstan/env";
import {
  type ConnectToExtension,
  connectToExtension,
  type UpdaterPorts,
  updaterPorts,
} from "@capstan/manager";
import type { Client } from "@capstan/runtime";

/** The cluster whose updaters are asked. */
export interface UpdatersOfClusterOptions {
  readonly env: Env;
  readonly client: Client;
  readonly transport: Transport;
}

/**
 * Asks the updaters of a cluster from outside it: those with a URL over TLS, those with a Service through the API server,
 * which passes requests below `services/NAME/proxy` on.
 */
export function updatersOfCluster({ env, client, transport }: UpdatersOfClusterOptions): UpdaterPorts {
  const overTls = connectToExtension();
  const connect: ConnectToExtension = (address) => {
    const path = proxyPath(new URL(address.url));
    return path === undefined ? overTls(address) : below(transport, path);
  };
  // A question changes nothing, so no lease is needed to ask it.
  return updaterPorts({ env, client, updaters: { connect }, assertMayWrite: () => undefined }).updaters;
}

/** The path of the API server that leads to a Service; undefined for any other host. */
function proxyPath({ hostname, port, pathname }: URL): string | undefined {
  const [, name, namespace] = /^([^.]+)\.([^.]+)\.svc$/.exec(hostname) ?? [];
  if (name === undefined || namespace === undefined) return undefined;
  const service = `https:${name}:${port === "" ? "443" : port}`;
  return `/api/v1/namespaces/${namespace}/services/${service}/proxy${pathname.replace(/\/$/, "")}`;
}

function below(transport: Transport, path: string): Transport {
  return {
    request: (request) => transport.request({ ...request, path: `${path}${request.path}` }),
    // The connection belongs to the client.
    close: () => Promise.resolve(),
  };
}
