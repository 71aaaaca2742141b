import { X509Certificate } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { dns1123LabelProblems } from "@capstan/api";
import {
  type Env,
  type Handler,
  type HttpRequest,
  type HttpResponse,
  type ListeningServer,
  serveHttp,
  type ServerTls,
} from "@capstan/env";
import { type ApiServer, type ApiServerOptions, createApiServer } from "../api-server.ts";
import { statusResponse } from "../http/response.ts";
import { ApiError } from "../http/status.ts";
import type { Credential } from "../security/certificates.ts";
import type { Authentication } from "../security/guard.ts";
import { compactRegularly } from "../storage/compaction.ts";
import { openSqliteStorage } from "../storage/sqlite.ts";
import { keepKubeconfig, keptAuthority, keptServing } from "./credentials.ts";
import { clusterFolder, kubeconfigPath, MANAGEMENT_CLUSTER, servingFolder } from "./layout.ts";
import { makePrivateFolder } from "./private-file.ts";
import { asksToWatch, splitUrl } from "../request-url.ts";

/** Where clusters are stored. */
export interface ClustersOptions {
  readonly env: Env;
  /** The data directory; without one everything is in memory, there are no certificates and no port can be opened. */
  readonly folder?: string;
  /**
   * The environment of remote clients, who use a real clock: certificates, timeouts of watches and rate limits follow
   * it. Default: `env`.
   */
  readonly outside?: Env;
}

/** What a cluster serves, and to whom. */
export interface ClusterOptions extends Pick<
  ApiServerOptions,
  "kinds" | "rules" | "features" | "admissions" | "rate" | "services" | "pods" | "preferredVersions"
> {
  /** Whose bearer tokens this cluster accepts; by default none. */
  readonly authentication?: Authentication;
}

/** One Kubernetes API among several in this process. */
export interface LogicalCluster {
  readonly name: string;
  readonly server: ApiServer;
  /** The prefix of the paths of this cluster: empty for the management cluster, else `/clusters/NAME`. */
  readonly prefix: string;
}

/**
 * Several clusters behind one port. They share the port and its certificate, and nothing else: each has its own
 * objects, RBAC and client certificate authority, so a credential of one cluster is not valid in the others.
 */
export interface Clusters {
  /** Opens a cluster, with its stored objects. The name is a DNS label. */
  add(name: string, options: ClusterOptions): Promise<LogicalCluster>;
  get(name: string): LogicalCluster | undefined;
  /** The names of all clusters, in order. */
  names(): string[];
  /** Answers remote callers of a cluster with 503 while the function returns false: its control plane is not there. */
  guard(name: string, isServing: () => boolean): void;
  /** Stops a cluster and removes all of its data. */
  remove(name: string): Promise<void>;
  /** Answers callers that must authenticate: the management cluster at `/`, the others under `/clusters/NAME`. */
  readonly handler: Handler;
  /** Opens the port on the loopback address, and writes the kubeconfigs for it. */
  serve(options: { readonly port: number }): Promise<Served>;
  /** Ends all connections and closes all clusters. */
  close(): Promise<void>;
}

/** A port that is open. */
export interface Served {
  readonly port: number;
  /** The URL of the management cluster. */
  readonly url: string;
  /** When the certificate of the port expires, in milliseconds since the Unix epoch. */
  readonly certificateEndsMs: number;
}

/** Opens a host without clusters. */
export async function openClusters({ env, folder, outside = env }: ClustersOptions): Promise<Clusters> {
  if (folder === undefined) return new ClusterHost(env);
  const serving = await keptServing(outside, servingFolder(folder));
  return new ClusterHost(env, { folder, outside, ...serving });
}

/** The files of a host with a data directory. */
interface Place {
  readonly folder: string;
  readonly outside: Env;
  readonly authority: Credential;
  readonly server: Credential;
}

/** A cluster with all that belongs to it. */
interface Member {
  readonly cluster: LogicalCluster;
  /** Answers a request to this path of the cluster. */
  readonly answer: (request: HttpRequest, path: string) => Promise<HttpResponse>;
  /** Signs client certificates; absent for a cluster in memory. */
  readonly authority: Credential | undefined;
  readonly close: () => Promise<void>;
}

const HOST = "127.0.0.1";
// Reading more than the server's own limit would be pointless.
const BODY_LIMIT_BYTES = 3 * 1024 * 1024;
const NO_TOKENS: Authentication = { userOfToken: () => undefined };

class ClusterHost implements Clusters {
  readonly #env: Env;
  readonly #place: Place | undefined;
  /** A name is taken as soon as its cluster begins to open. */
  readonly #taken = new Set<string>();
  readonly #members = new Map<string, Member>();
  readonly #guards = new Map<string, () => boolean>();
  #listening: (ListeningServer & { readonly url: string }) | undefined;

  constructor(env: Env, place?: Place) {
    this.#env = env;
    this.#place = place;
  }

  async add(name: string, options: ClusterOptions): Promise<LogicalCluster> {
    const problems = dns1123LabelProblems(name);
    if (problems.length > 0)
      throw new TypeError(`cluster name ${JSON.stringify(name)}: ${problems.join("; ")}`);
    if (this.#taken.has(name)) throw new TypeError(`cluster name "${name}" is taken by a cluster that runs`);
    this.#taken.add(name);
    const member = await this.#open(name, options).catch((error: unknown) => {
      this.#taken.delete(name);
      throw error;
    });
    this.#members.set(name, member);
    this.#trustAuthorities();
    await this.#keepKubeconfig(member);
    return member.cluster;
  }

  get(name: string): LogicalCluster | undefined {
    return this.#members.get(name)?.cluster;
  }

  guard(name: string, isServing: () => boolean): void {
    this.#guards.set(name, isServing);
  }

  names(): string[] {
    return [...this.#members.keys()].toSorted();
  }

  async remove(name: string): Promise<void> {
    const member = this.#members.get(name);
    if (!member) return;
    this.#members.delete(name);
    this.#guards.delete(name);
    this.#trustAuthorities();
    await member.close();
    if (this.#place) {
      rmSync(clusterFolder(this.#place.folder, name), { recursive: true, force: true });
      rmSync(kubeconfigPath(this.#place.folder, name), { force: true });
    }
    this.#taken.delete(name);
  }

  readonly handler: Handler = async (request) => {
    const { name, path } = destinationOf(request.path);
    const member = this.#members.get(name);
    if (this.#guards.get(name)?.() === false) return statusResponse(notServing(name).status);
    return member ? member.answer(request, path) : statusResponse(noCluster(name).status);
  };

  async serve({ port }: { port: number }): Promise<Served> {
    if (!this.#place) throw new TypeError("clusters in memory have no certificates to open a port with");
    const server = await serveHttp(this.handler, {
      host: HOST,
      port,
      tls: this.#tls(this.#place),
      bodyLimitBytes: BODY_LIMIT_BYTES,
      bodies: "onDemand",
    });
    const url = `https://${HOST}:${server.port}`;
    this.#listening = { ...server, url };
    for (const member of this.#members.values()) await this.#keepKubeconfig(member);
    const { validToDate } = new X509Certificate(this.#place.server.cert);
    return { port: server.port, url, certificateEndsMs: validToDate.getTime() };
  }

  async close(): Promise<void> {
    await this.#listening?.close();
    this.#listening = undefined;
    for (const { close } of this.#members.values()) await close();
    this.#members.clear();
    this.#taken.clear();
  }

  async #open(name: string, options: ClusterOptions): Promise<Member> {
    const { authentication = NO_TOKENS, ...served } = options;
    const prefix = name === MANAGEMENT_CLUSTER ? "" : `/clusters/${name}`;
    if (!this.#place) {
      const server = createApiServer({ env: this.#env, ...served });
      await whenReady(server);
      return memberOf({ name, server, prefix }, authentication);
    }
    const folder = clusterFolder(this.#place.folder, name);
    makePrivateFolder(folder);
    const authority = await keptAuthority(this.#place.outside, folder);
    const storage = openSqliteStorage({ env: this.#env, path: join(folder, "objects.db") });
    try {
      const callerClock = this.#place.outside.clock;
      const server = createApiServer({ env: this.#env, callerClock, storage, ...served });
      await whenReady(server);
      const stopCompaction = compactRegularly(storage, callerClock);
      const close = (): Promise<void> => {
        stopCompaction();
        return storage.close();
      };
      return memberOf({ name, server, prefix }, authentication, { authority, close });
    } catch (error) {
      await storage.close();
      throw error;
    }
  }

  #tls({ server }: Place): ServerTls {
    return {
      ...server,
      clientCa: [...this.#members.values()].flatMap(({ authority }) => authority?.cert ?? []),
    };
  }

  /** New connections may use certificates of exactly the current clusters. */
  #trustAuthorities(): void {
    if (this.#place) this.#listening?.setTls(this.#tls(this.#place));
  }

  async #keepKubeconfig({ cluster: { name, prefix }, authority }: Member): Promise<void> {
    if (!this.#place || !this.#listening || !authority) return;
    await keepKubeconfig(this.#place.outside, {
      path: kubeconfigPath(this.#place.folder, name),
      authority,
      server: this.#listening.url + prefix,
      serverCa: this.#place.authority.cert,
      names:
        name === MANAGEMENT_CLUSTER
          ? { cluster: "capstan", user: "admin" }
          : { cluster: name, user: `${name}-admin` },
    });
  }
}

/** A cluster is open when its initial namespaces and roles are written. */
async function whenReady(server: ApiServer): Promise<void> {
  await server.handle({ method: "GET", path: "/readyz", headers: {} });
}

function memberOf(
  cluster: LogicalCluster,
  authentication: Authentication,
  kept?: { authority: Credential; close: () => Promise<void> },
): Member {
  const guarded = cluster.server.secured(authentication);
  const fingerprint = kept && new X509Certificate(kept.authority.cert).fingerprint256;
  const ended = new AbortController();
  return {
    cluster,
    answer: (request, path) => guarded(admitted(request, path, { fingerprint, ended: ended.signal })),
    authority: kept?.authority,
    close: async () => {
      // Without this, watches would wait for a cluster that never changes again.
      ended.abort(new Error(`cluster ${cluster.name} has ended`));
      cluster.server.close();
      await kept?.close();
    },
  };
}

/** A request as a cluster sees it: without a certificate that another cluster's authority signed. */
function admitted(
  request: HttpRequest,
  path: string,
  { fingerprint, ended }: { fingerprint: string | undefined; ended: AbortSignal },
): HttpRequest {
  const { method, headers, body, readBody, peer } = request;
  const isOurs = peer !== undefined && fingerprint !== undefined && peer.authority === fingerprint;
  return {
    method,
    path,
    headers,
    ...(body !== undefined && { body }),
    ...(readBody && { readBody }),
    ...(isOurs && { peer }),
    // Only watches last; a signal for each of the many other requests would be wasted.
    ...(isWatch(path) && { signal: request.signal ? AbortSignal.any([request.signal, ended]) : ended }),
  };
}

function isWatch(target: string): boolean {
  const { path, search } = splitUrl(target);
  if (path.includes("/watch/")) return true;
  // Most queries have neither the word nor an escape that could spell it, and need no parser.
  return /watch|%/.test(search) && asksToWatch(new URLSearchParams(search));
}

/** The cluster of a path, and the rest of the path. */
function destinationOf(path: string): { readonly name: string; readonly path: string } {
  const match = /^\/clusters(?:\/([^/?]*))?(?=[/?]|$)(.*)$/s.exec(path);
  if (!match) return { name: MANAGEMENT_CLUSTER, path };
  const [, name = "", rest = ""] = match;
  // The management cluster has one address, not two.
  return {
    name: name === MANAGEMENT_CLUSTER ? "" : name,
    path: rest.startsWith("/") ? rest : `/${rest}`,
  };
}

function notServing(name: string): ApiError {
  return new ApiError({
    code: 503,
    reason: "ServiceUnavailable",
    message: `the control plane of cluster ${JSON.stringify(name)} does not serve: no quorum of its etcd, or no healthy machine behind its load balancer`,
  });
}

/** The same answer for every caller: it does not reveal which clusters exist. */
function noCluster(name: string): ApiError {
  return new ApiError({
    code: 404,
    reason: "NotFound",
    message:
      name === ""
        ? "no cluster is served under this path"
        : `no cluster named ${JSON.stringify(name)} is served here`,
    details: { name, kind: "clusters" },
  });
}
