import type { IncomingMessage } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import { createHttpTransport, createRealEnv } from "@capstan/env";
import { type Client, createClient } from "@capstan/runtime";
import { expect } from "vitest";
import type { KubeBody } from "./body.ts";
import { CRATES, type Crates, cratesIn, createCrates } from "./crates.ts";
import { createDefinition, type CustomKind, type DefinitionOptions, kindIn } from "./custom-kind.ts";
import { openWatch, type WatchReader } from "./watch.ts";

/** A server under test. */
export interface Server {
  readonly url: string;
  readonly ca: string;
  /** The token of a user in `system:masters`. */
  readonly adminToken: string;
  /** The webhook that converts crates for this server; a server without one converts in its own process. */
  readonly conversionWebhook?: { readonly url: string; readonly caBundle: string };
}

/** A user without permissions until a role grants some. */
export interface User {
  readonly name: string;
  readonly token: string;
}

/** One request; the body is JSON unless it is text or bytes. */
interface Call {
  readonly method: string;
  /** Path and query, sent exactly as they are. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The administrator's unless told; null sends none. */
  readonly token?: string | null;
}

/** What may be said about a call besides its path and body. */
type CallOptions = Omit<Call, "method" | "path" | "body">;

/** A whole answer; `body` is empty when it is no JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly bytes: Buffer;
  readonly body: KubeBody;
}

/** What a behaviour talks to. */
export interface Api {
  /** A namespace for this behaviour alone. */
  readonly namespace: string;
  /** `/api/v1/namespaces/<namespace>/<rest>`. */
  inNamespace(rest: string): string;
  /** A unique name. */
  unique(prefix: string): string;
  call(call: Call): Promise<Answer>;
  /** Sends calls one after another over a separate connection. */
  connection(): (call: Call) => Promise<Answer>;
  get(path: string, options?: CallOptions): Promise<Answer>;
  post(path: string, body: unknown, options?: CallOptions): Promise<Answer>;
  put(path: string, body: unknown, options?: CallOptions): Promise<Answer>;
  delete(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  patch(path: string, type: PatchType, body: unknown, options?: CallOptions): Promise<Answer>;
  /** Creates an object and insists that it worked. */
  create(path: string, body: unknown): Promise<KubeBody>;
  /** Opens a watch; it ends with the behaviour. */
  watch(path: string, query?: Record<string, string>, headers?: Record<string, string>): Promise<WatchReader>;
  /** A custom kind that is served. A real server takes two seconds for one, so equal ones are shared. */
  customKind(options?: DefinitionOptions): Promise<CustomKind>;
  /** The kind with two versions that need a conversion: v1, which is stored, and v2. */
  crates(): Promise<Crates>;
  /** A user without any permissions. */
  user(): User;
  /** A user with these permissions in the namespace of the behaviour. */
  userWith(rules: readonly object[]): Promise<User>;
  /** Repeats until the expectations hold: controllers of a real cluster take their time. */
  eventually<T>(attempt: () => Promise<T>): Promise<T>;
  /** Our own client, as the administrator. */
  client(): Client;
}

const PATCH_TYPES = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
} as const;

type PatchType = keyof typeof PATCH_TYPES;

/** A server with the connections to it and the names that were given away. */
export interface Laboratory {
  /** What one behaviour gets; `close` ends its watches. */
  open(): Promise<{ readonly api: Api; readonly close: () => void }>;
  close(): Promise<void>;
}

const env = createRealEnv();
// It only ends what hangs: a busy machine may be thirty times slower.
const PATIENCE_MS = 240_000;
const INTERVAL_MS = 15;
const IDLE_MS = 2_000;

/** Users that servers under test know by token; each behaviour takes its own. */
export const USERS: readonly User[] = Array.from({ length: 60 }, (_, index) => ({
  name: `user-${index}`,
  token: `token-of-user-${index}`,
}));

/** Prepares to run behaviours against a server. */
export function laboratory(server: Server): Laboratory {
  // Servers close idle connections after some seconds; ours must be given up before that, or a request could meet the closing.
  const agent = new Agent({ keepAlive: true, ca: server.ca, timeout: IDLE_MS });
  const transport = createHttpTransport({ baseUrl: server.url, ca: server.ca });
  const users = [...USERS];
  const definitions = new Map<string, Promise<string>>();
  let count = 0;
  const unique = (prefix: string): string => `${prefix}-${(count += 1)}`;
  const base = {
    unique,
    call: (call: Call) => send({ server, agent }, call),
    connection: () => {
      const alone = new Agent({ keepAlive: true, ca: server.ca, maxSockets: 1, timeout: IDLE_MS });
      return (call: Call) => send({ server, agent: alone }, call);
    },
    eventually,
    user: () => users.shift() ?? fail("there are no more users; let the kit have more"),
    client: () => adminClient(transport, server.adminToken),
  };
  return {
    open: async () => {
      const watches: WatchReader[] = [];
      const namespace = unique("behaviour");
      const api = createApi(base, { namespace, server, agent, watches, definitions });
      await api.create("/api/v1/namespaces", { metadata: { name: namespace } });
      const close = (): void => watches.forEach((watch) => watch.close());
      return { api, close };
    },
    close: async () => {
      agent.destroy();
      await transport.close();
    },
  };
}

interface Surroundings {
  readonly namespace: string;
  readonly server: Server;
  readonly agent: Agent;
  readonly watches: WatchReader[];
  /** The groups of definitions, by what they define. */
  readonly definitions: Map<string, Promise<string>>;
}

function createApi(
  base: Pick<Api, "unique" | "call" | "connection" | "eventually" | "user" | "client">,
  { namespace, server, agent, watches, definitions }: Surroundings,
): Api {
  const { call } = base;
  const api: Api = {
    ...base,
    namespace,
    inNamespace: (rest) => `/api/v1/namespaces/${namespace}/${rest}`,
    get: (path, options) => call({ method: "GET", path, ...options }),
    post: (path, body, options) => call({ method: "POST", path, body, ...options }),
    put: (path, body, options) => call({ method: "PUT", path, body, ...options }),
    delete: (path, body, options) => call({ method: "DELETE", path, body, ...options }),
    patch: (path, type, body, options) =>
      call({
        method: "PATCH",
        path,
        body,
        ...options,
        headers: { "content-type": PATCH_TYPES[type], ...options?.headers },
      }),
    create: async (path, body) => {
      const answer = await call({ method: "POST", path, body });
      // On failure the whole answer says why.
      expect(answer.status === 201 ? 201 : answer.text).toBe(201);
      return answer.body;
    },
    watch: async (path, query = {}, headers = {}) => {
      const response = await exchange(
        { server, agent },
        { method: "GET", path, query: { watch: "true", ...query }, headers },
      );
      const watch = openWatch(env.clock, response);
      watches.push(watch);
      return watch;
    },
    customKind: async (options = {}) => {
      const key = JSON.stringify(options);
      const group = (options.own !== true && definitions.get(key)) || createDefinition(api, options);
      definitions.set(key, group);
      return kindIn(api, await group, options);
    },
    crates: async () => {
      const known = definitions.get(CRATES) ?? createCrates(api, server.conversionWebhook);
      definitions.set(CRATES, known);
      return cratesIn(api, await known);
    },
    userWith: async (rules) => {
      const user = base.user();
      await grant(api, user, rules);
      return user;
    },
  };
  return api;
}

/** Gives a user rights in the namespace of the behaviour, and waits until they hold. */
async function grant(api: Api, user: User, rules: readonly object[]): Promise<void> {
  const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/${api.namespace}`;
  const rule = { apiGroups: [""], resources: ["podtemplates"], verbs: ["list"] };
  await api.create(`${roles}/roles`, { metadata: { name: user.name }, rules: [...rules, rule] });
  await api.create(`${roles}/rolebindings`, {
    metadata: { name: user.name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: user.name },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user.name }],
  });
  await eventually(async () => {
    const answer = await api.get(api.inNamespace("podtemplates"), { token: user.token });
    expect(answer.status).not.toBe(403);
  });
}

function adminClient(transport: ReturnType<typeof createHttpTransport>, token: string): Client {
  const authorized = {
    request: (request: Parameters<typeof transport.request>[0]) =>
      transport.request({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } }),
    close: () => transport.close(),
  };
  return createClient({ transport: authorized, env, fieldManager: "conformance" });
}

async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  const limit = env.clock.monotonic() + PATIENCE_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (env.clock.monotonic() > limit) throw error;
      await env.clock.sleep(INTERVAL_MS);
    }
  }
}

interface Connection {
  readonly server: Server;
  readonly agent: Agent;
}

async function send(connection: Connection, call: Call): Promise<Answer> {
  const response = await exchange(connection, call);
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const text = bytes.toString("utf8");
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
  );
  return { status: response.statusCode ?? 0, headers, text, bytes, body: parsed(headers, text) };
}

function parsed(headers: Readonly<Record<string, string>>, text: string): KubeBody {
  const isJson = headers["content-type"]?.startsWith("application/json") === true && text !== "";
  return (isJson ? JSON.parse(text) : {}) as KubeBody;
}

/** Raw HTTP/1.1: a path goes out as it was written, and a method may be anything. */
function exchange({ server, agent }: Connection, call: Call): Promise<IncomingMessage> {
  const { method, path, query = {}, body, token = server.adminToken } = call;
  const search = new URLSearchParams(query).toString();
  const bytes = encoded(body);
  const headers = {
    accept: "application/json",
    ...(token !== null && { authorization: `Bearer ${token}` }),
    // Node announces no length for the body of a DELETE.
    ...(bytes && { "content-type": "application/json", "content-length": String(bytes.length) }),
    ...call.headers,
  };
  const { hostname, port } = new URL(server.url);
  const whole = search === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${search}`;
  return new Promise((resolve, reject) => {
    const options = { agent, hostname, port, method, path: whole, headers, timeout: PATIENCE_MS };
    const outgoing = httpsRequest(options, resolve);
    outgoing.once("error", reject);
    outgoing.once("timeout", () =>
      outgoing.destroy(new Error(`${method} ${path}: no answer in ${PATIENCE_MS / 1000} s`)),
    );
    outgoing.end(bytes);
  });
}

function encoded(body: unknown): Uint8Array | undefined {
  if (body === undefined || body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

function fail(message: string): never {
  throw new Error(message);
}
