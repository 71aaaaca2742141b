import { customKinds, type KubernetesObject } from "@capstan/api";
import { builtInKinds, createApiServer } from "@capstan/apiserver";
import { createRealEnv, type Handler, type HttpRequest, type HttpResponse } from "@capstan/env";
import type { Message, Row } from "@capstan/page";
import { type Client, createClient } from "@capstan/runtime";
import { inProcess } from "../cluster/transport.ts";
import { store } from "../plan/management.fixture.ts";
import { testShell } from "../shell.fixture.ts";
import type { KeptPage } from "./kept-page.ts";
import { createPage } from "./serve-page.ts";

export const PORT = 7300;
export const ORIGIN = `http://127.0.0.1:${PORT}`;

/** What a test reads of a stream: the head and the rows may be of any view. */
export type AnyMessage = Message<Record<string, unknown>, Row & Record<string, unknown>>;

/** A page over an API server with RBAC; the user of the page has the token `jo`, who may do nothing unless a role says so. */
export class PageBed {
  /** The administrator. */
  readonly client: Client;
  readonly page: ReturnType<typeof createPage>;
  /** The API server, for a trusted caller. */
  readonly handle: Handler;
  readonly #ended = new AbortController();

  constructor({ user = "admin", kept }: { readonly user?: "admin" | "jo"; readonly kept?: KeptPage } = {}) {
    const env = createRealEnv();
    const server = createApiServer({ env, kinds: [...builtInKinds, ...customKinds] });
    this.handle = server.handle;
    const secured = server.secured({
      userOfToken: (token) => (token === "jo" ? { name: "jo", groups: [] } : undefined),
    });
    const asAdmin = inProcess(server.handle);
    this.client = createClient({ env, transport: asAdmin, fieldManager: "test" });
    const asJo = inProcess((request) =>
      secured({ ...request, headers: { ...request.headers, authorization: "Bearer jo" } }),
    );
    this.page = createPage({
      env,
      now: () => env.clock.now(),
      client: user === "admin" ? this.client : createClient({ env, transport: asJo, fieldManager: "page" }),
      transport: user === "admin" ? asAdmin : asJo,
      home: undefined,
      chosen: undefined,
      fallback: "default",
      log: testShell().err,
      flags: "",
      ...(kept && { kept }),
    });
  }

  async store(...objects: readonly KubernetesObject[]): Promise<void> {
    for (const object of objects) await store(this.client, object);
  }

  /** A request of a browser that shows the page. */
  request(
    path: string,
    { headers = {}, ...rest }: Partial<HttpRequest> = {},
    signal: AbortSignal = this.#ended.signal,
  ): Promise<HttpResponse> {
    const own = { host: `127.0.0.1:${PORT}`, "sec-fetch-site": "same-origin" };
    return this.page.server.handle(
      { method: "GET", path, signal, ...rest, headers: { ...own, ...headers } },
      PORT,
    );
  }

  /** Exchanges a token. */
  post(token: string, headers: Readonly<Record<string, string>> = {}): Promise<HttpResponse> {
    const own = { origin: ORIGIN, "content-type": "text/plain" };
    return this.request("/session", { method: "POST", body: token, headers: { ...own, ...headers } });
  }

  /** Logs in with a new token: the path of the session, and the headers of its requests. */
  async session(): Promise<{ readonly path: string; readonly headers: { readonly cookie: string } }> {
    const answer = await this.post(this.page.sessions.newToken());
    const [cookie = ""] = (answer.headers["set-cookie"] ?? "").split(";");
    return { path: `/s/${await answer.text()}`, headers: { cookie } };
  }

  /** The messages of a view that say something. */
  async *messages(query: string): AsyncGenerator<AnyMessage, undefined> {
    const { path, headers } = await this.session();
    const answer = await this.request(`${path}/stream?${query}`, { headers });
    if (!answer.chunks) throw new Error(`${answer.status}: ${await answer.text()}`);
    for await (const chunk of answer.chunks()) {
      const message = JSON.parse(chunk.replace(/^data: /, "")) as AnyMessage;
      if (message.type !== "time") yield message;
    }
  }

  close(): void {
    this.#ended.abort();
    this.page.close();
  }
}

const RBAC = "rbac.authorization.k8s.io";
const SUBJECTS = [{ apiGroup: RBAC, kind: "User", name: "jo" }];

/** Lets jo list namespaces, and read everything of one of them. */
export function rightsIn(namespace: string): readonly KubernetesObject[] {
  const name = "jo";
  const metadata = { name, namespace };
  const toRole = (kind: string) => ({ roleRef: { apiGroup: RBAC, kind, name }, subjects: SUBJECTS });
  const namespaces = [{ apiGroups: [""], resources: ["namespaces"], verbs: ["list"] }];
  const everything = [{ apiGroups: ["*"], resources: ["*"], verbs: ["get", "list", "watch"] }];
  return [
    { kind: "ClusterRole", metadata: { name }, rules: namespaces },
    { kind: "ClusterRoleBinding", metadata: { name }, ...toRole("ClusterRole") },
    { kind: "Role", metadata, rules: everything },
    { kind: "RoleBinding", metadata, ...toRole("Role") },
  ].map((object) => ({ apiVersion: `${RBAC}/v1`, ...object }));
}
