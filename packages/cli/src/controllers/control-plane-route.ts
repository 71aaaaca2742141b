import { createHash, X509Certificate } from "node:crypto";
import type { Clusters } from "@capstan/apiserver";
import { type Handler, type HttpResponse, type Peer, type Transport, TransportError } from "@capstan/env";
import type { WorkloadClusters } from "../cluster/workload-clusters.ts";
import { inProcess } from "../cluster/transport.ts";

/** The control planes that simulated machines run. */
export type SimulatedControlPlanes = Pick<
  WorkloadClusters,
  "nameAt" | "isServing" | "caCertHashAt" | "etcdOn"
>;

/** What a kubeconfig says about a server and its client. */
export interface Credentials {
  readonly server: string;
  /** PEM texts. */
  readonly authority: string;
  readonly certificate: string;
}

/**
 * The way to an API server through its load balancer, without sockets but with the checks of TLS: the client trusts only the
 * authority of its kubeconfig, and the server only client certificates of the authority that `kubeadm init` found.
 */
export function throughLoadBalancer(
  clusters: Clusters,
  controlPlanes: SimulatedControlPlanes,
  { server, authority, certificate }: Credentials,
): Transport {
  const endpoint = new URL(server).host.toLowerCase();
  const peer = peerOf(certificate, authority);
  const pinned = caCertHashOf(authority);
  const handle: Handler = (request) => {
    const name = controlPlanes.nameAt(endpoint);
    const cluster = name === undefined ? undefined : clusters.get(name);
    if (!cluster || !controlPlanes.isServing(endpoint))
      return refuse("refused", `no API server answers at ${endpoint}`);
    if (controlPlanes.caCertHashAt(endpoint) !== pinned)
      return refuse("tls", `the API server at ${endpoint} has a certificate of another authority`);
    if (!peer) return refuse("tls", `the API server at ${endpoint} does not accept the client certificate`);
    return cluster.server.secured(NO_TOKENS)({ ...request, peer });
  };
  return inProcess(handle);
}

const NO_TOKENS = { userOfToken: () => undefined };

function refuse(failure: "refused" | "tls", message: string): Promise<HttpResponse> {
  return Promise.reject(new TransportError(failure, message));
}

/** The client of a certificate; undefined unless the authority has signed it. */
function peerOf(certificate: string, authority: string): Peer | undefined {
  const client = new X509Certificate(certificate);
  const issuer = new X509Certificate(authority);
  if (!client.checkIssued(issuer) || !client.verify(issuer.publicKey)) return undefined;
  const values = (name: string): string[] =>
    client.subject
      .split("\n")
      .flatMap((line) => (line.startsWith(`${name}=`) ? [line.slice(name.length + 1)] : []));
  return { commonName: values("CN")[0] ?? "", organizations: values("O") };
}

function caCertHashOf(pem: string): string {
  const key = new X509Certificate(pem).publicKey.export({ type: "spki", format: "der" });
  return `sha256:${createHash("sha256").update(key).digest("hex")}`;
}
