import type { Duplex } from "node:stream";
import { type Credential, issueCertificate, type PodBackends } from "@capstan/apiserver";
import { type Env, type Handler, type HttpResponse, serveStreams, type StreamServer } from "@capstan/env";
import type { EtcdCluster } from "./etcd-cluster.ts";
import type { EtcdClusters } from "./etcd-clusters.ts";
import { etcdGateway } from "./gateway.ts";

/** The etcd of control planes, as port-forwards reach it. */
export interface EtcdPodsOptions {
  /** The clock of those who verify certificates. */
  readonly env: Env;
  readonly etcd: Pick<EtcdClusters, "at">;
  /** The endpoint of a logical cluster; undefined while no machine runs it. */
  readonly endpointOf: (name: string) => string | undefined;
}

const CERTIFICATES = "/etc/kubernetes/pki/etcd";
const PORT = 2379;
const POD = /^etcd-(?<nodeName>.+)$/;

/** The servers in the pods of each logical cluster, by its name. */
export function etcdPods({ env, etcd, endpointOf }: EtcdPodsOptions): (name: string) => PodBackends {
  const known = new Map<string, PodBackends>();
  return (name) => {
    const made =
      known.get(name) ??
      podsOf(env, () => {
        const endpoint = endpointOf(name);
        return endpoint === undefined ? undefined : etcd.at(endpoint);
      });
    known.set(name, made);
    return made;
  };
}

/**
 * The ports of etcd's pods: TLS with a certificate of the authority on the machines' disks, which clients must have, too, and
 * the JSON gateway behind it.
 */
function podsOf(env: Env, current: () => EtcdCluster | undefined): PodBackends {
  const servers = new Map<string, Promise<StreamServer>>();
  const serverOf = (etcd: EtcdCluster, nodeName: string, authority: Credential): Promise<StreamServer> => {
    const key = `${nodeName} ${authority.cert}`;
    const known = servers.get(key);
    if (known) return known;
    const made = startMember(env, authority, { etcd, nodeName });
    servers.set(key, made);
    made.catch(() => servers.delete(key));
    return made;
  };
  return ({ namespace, pod, port }) => {
    const nodeName = POD.exec(pod)?.groups?.["nodeName"];
    const etcd = current();
    if (namespace !== "kube-system" || port !== PORT || nodeName === undefined || !etcd) return undefined;
    if (!etcd.memberOn(nodeName)) return undefined;
    return (connection) => {
      const authority = authorityOf(etcd);
      if (!authority) return refuse(connection, `the machines have no ${CERTIFICATES}/ca.key`);
      serverOf(etcd, nodeName, authority).then(
        (server) => server.accept(connection),
        (error: unknown) => refuse(connection, String(error)),
      );
    };
  };
}

function refuse(connection: Duplex, why: string): void {
  connection.destroy(new Error(why));
}

/** The authority of etcd, as cloud-init wrote it to the disks. */
function authorityOf(etcd: EtcdCluster): Credential | undefined {
  const [cert, key] = ["ca.crt", "ca.key"].map((name) => etcd.sharedFile(`${CERTIFICATES}/${name}`));
  return cert === undefined || key === undefined ? undefined : { cert, key };
}

async function startMember(
  env: Env,
  authority: Credential,
  { etcd, nodeName }: { readonly etcd: EtcdCluster; readonly nodeName: string },
): Promise<StreamServer> {
  const hosts = [nodeName, "localhost", "127.0.0.1"];
  const tls = await issueCertificate(env, authority, { type: "server", hosts });
  return serveStreams(verified(etcdGateway({ etcd, nodeName })), {
    tls: { ...tls, clientCa: authority.cert },
  });
}

/** etcd refuses clients without a certificate of its authority. Its gateway reads bodies as JSON. */
function verified(handle: Handler): Handler {
  return async (request) => {
    if (!request.peer) return UNVERIFIED;
    return await handle({ ...request, body: parsed(request.body) });
  };
}

function parsed(body: unknown): unknown {
  if (typeof body !== "string") return body;
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

const UNVERIFIED: HttpResponse = {
  status: 401,
  headers: { "content-type": "application/json" },
  json: () => Promise.resolve({ code: 16, message: "a client certificate is required" }),
  text: () => Promise.resolve('{"code":16,"message":"a client certificate is required"}'),
  async *lines() {
    yield* [];
  },
};
