import { builtInKind, defineKind, type Kind, type KubernetesObject } from "@capstan/api";
import { createRealEnv, type Env, type HttpResponse } from "@capstan/env";
import { type ApiServer, type ApiServerOptions, createApiServer } from "./api-server.ts";
import type { WatchLine } from "./storage/storage.ts";

const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/** A custom kind with every subresource and no rules. */
export const Widget = defineKind({
  group: "test.x-k8s.io",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  description: "Something to store.",
  spec: anything,
  status: anything,
  alsoServed: ["v1alpha1"],
  scale: {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.selector",
  },
});

const core = (kind: string, plural: string, rest: Partial<Parameters<typeof builtInKind>[0]> = {}): Kind =>
  builtInKind({ group: "", version: "v1", kind, plural, namespaced: true, ...rest });

/** A few of Kubernetes' own kinds, one for each special case. */
export const testKinds: readonly Kind[] = [
  Widget,
  core("Namespace", "namespaces", { namespaced: false, subresources: ["status", "finalize"] }),
  core("ConfigMap", "configmaps"),
  core("Node", "nodes", { namespaced: false, subresources: ["status"] }),
  core("Pod", "pods", { subresources: ["status"] }),
  core("Event", "events"),
  core("Secret", "secrets"),
  core("Lease", "leases", { group: "coordination.k8s.io" }),
];

/** The paths of the kinds above, in the namespace `default` where they have one. */
export const paths = {
  widgets: "/apis/test.x-k8s.io/v1/namespaces/default/widgets",
  allWidgets: "/apis/test.x-k8s.io/v1/widgets",
  namespaces: "/api/v1/namespaces",
  configMaps: "/api/v1/namespaces/default/configmaps",
  nodes: "/api/v1/nodes",
  pods: "/api/v1/namespaces/default/pods",
  events: "/api/v1/namespaces/default/events",
  secrets: "/api/v1/namespaces/default/secrets",
  definitions: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  leases: "/apis/coordination.k8s.io/v1/namespaces/default/leases",
};

/** An object as tests read it: with any field. */
export type Seen = KubernetesObject & {
  spec: Record<string, unknown>;
  status: Record<string, unknown>;
  data: Record<string, string>;
  items: Seen[];
  message: string;
  reason: string;
  code: number;
  details: { causes: { field?: string; message: string; reason?: string }[] } & Record<string, unknown>;
  metadata: { continue?: string; remainingItemCount?: number };
};

/** A decoded answer. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Seen;
}

/** The body of a request and its media type. */
interface Content {
  readonly body?: unknown;
  readonly type?: string;
}

/** The smallest client: paths in, answers out. */
export class TestClient {
  readonly server: ApiServer;

  constructor(options: Partial<ApiServerOptions> & { env?: Env } = {}) {
    this.server = createApiServer({ env: createRealEnv(), kinds: testKinds, ...options });
  }

  async send(method: string, path: string, { body, type }: Content = {}): Promise<Answer> {
    const headers = type === undefined ? {} : { "content-type": type };
    return await read(
      await this.server.handle({ method, path, headers, ...(body !== undefined && { body }) }),
    );
  }

  get(path: string): Promise<Answer> {
    return this.send("GET", path);
  }

  create(path: string, object: unknown): Promise<Answer> {
    return this.send("POST", path, { body: object });
  }

  update(path: string, object: unknown): Promise<Answer> {
    return this.send("PUT", path, { body: object });
  }

  merge(path: string, patch: unknown): Promise<Answer> {
    return this.send("PATCH", path, { body: patch, type: "application/merge-patch+json" });
  }

  jsonPatch(path: string, operations: unknown): Promise<Answer> {
    return this.send("PATCH", path, { body: operations, type: "application/json-patch+json" });
  }

  delete(path: string, options?: unknown): Promise<Answer> {
    return this.send("DELETE", path, { body: options });
  }

  /** Opens a watch; the caller reads its lines. */
  async watch(path: string, query = "", signal?: AbortSignal): Promise<AsyncIterator<WatchLine, undefined>> {
    const response = await this.server.handle({
      method: "GET",
      path: `${path}?watch=true${query === "" ? "" : `&${query}`}`,
      headers: {},
      ...(signal && { signal }),
    });
    if (response.status !== 200) throw new Error(`watch: ${response.status} ${await response.text()}`);
    return response.lines()[Symbol.asyncIterator]() as AsyncIterator<WatchLine, undefined>;
  }
}

async function read(response: HttpResponse): Promise<Answer> {
  const isJson = response.headers["content-type"] === "application/json";
  const body = isJson ? await response.json() : { message: await response.text() };
  return { status: response.status, headers: response.headers, body: body as Seen };
}

/** A widget to create. */
export function widget(
  name: string,
  rest: { metadata?: object; spec?: unknown; status?: unknown } = {},
): object {
  const { metadata = {}, spec = {}, ...others } = rest;
  return { apiVersion: "test.x-k8s.io/v1", kind: "Widget", metadata: { name, ...metadata }, spec, ...others };
}

/** The next lines of a watch, as `TYPE name`; waits for this many of them. */
export async function takeLines(
  watch: AsyncIterator<WatchLine, undefined>,
  count: number,
): Promise<string[]> {
  const lines: string[] = [];
  while (lines.length < count) {
    const { done, value } = await watch.next();
    if (done) break;
    lines.push(`${value.type} ${(value.object as Seen).metadata.name ?? ""}`.trim());
  }
  return lines;
}
