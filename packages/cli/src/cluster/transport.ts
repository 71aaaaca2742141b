import { createHttpTransport, type Handler, type Transport } from "@capstan/env";
import { type KubeconfigFacts, parseKubeconfig } from "@capstan/apiserver/kubeconfig";
import { kubeconfigPath } from "@capstan/apiserver/layout";
import { readIfThere } from "@capstan/apiserver/private-file";

/** Sends requests to a server in this process. */
export function inProcess(handler: Handler): Transport {
  return { request: handler, close: () => Promise.resolve() };
}

/** The connection data in the administrator's kubeconfig of a cluster; undefined if there is none. */
export function savedAccess(folder: string, cluster: string): KubeconfigFacts | undefined {
  const text = readIfThere(kubeconfigPath(folder, cluster));
  return text === undefined ? undefined : parseKubeconfig(text);
}

/** Sends requests to a server in another process, as its administrator. */
export function connect({ server, ca, client }: KubeconfigFacts): Transport {
  return createHttpTransport({ baseUrl: server, ca, ...client });
}
