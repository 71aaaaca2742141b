/** An embedded server with our kinds, as clients of their versions see it. */
import { customKinds } from "@capstan/api";
import { builtInKinds, createApiServer } from "@capstan/apiserver";
import { createRealEnv } from "@capstan/env";

/** Fields of an object. */
export type Fields = Record<string, unknown>;

interface Seen extends Fields {
  readonly apiVersion: string;
  readonly metadata: { readonly annotations?: Record<string, string>; readonly generation: number } & Fields;
  readonly spec: Fields;
  readonly status: Fields;
}

interface Answer {
  readonly status: number;
  readonly warning: string | undefined;
  readonly body: Seen;
}

/** Groups of Cluster API. */
export const GROUPS = { core: "cluster.x-k8s.io", bootstrap: "bootstrap.cluster.x-k8s.io" };
/** The annotation with what an older version has no field for. */
export const DATA = "cluster.x-k8s.io/conversion-data";

/** A server, and the requests of a client. */
export function newServer() {
  const { handle } = createApiServer({ env: createRealEnv(), kinds: [...builtInKinds, ...customKinds] });
  const send = async (method: string, path: string, body?: unknown, type = "application/json") => {
    const headers = { "content-type": type };
    const response = await handle({ method, path, headers, ...(body !== undefined && { body }) });
    const answer: Answer = {
      status: response.status,
      warning: response.headers["warning"],
      body: (await response.json()) as Seen,
    };
    return answer;
  };
  return {
    /** The status of an answer that may have no body of JSON. */
    status: async (method: string, path: string, body: unknown) =>
      (await handle({ method, path, headers: { "content-type": "application/json" }, body })).status,
    get: (path: string) => send("GET", path),
    create: (path: string, body: unknown) => send("POST", path, body),
    merge: (path: string, body: unknown) => send("PATCH", path, body, "application/merge-patch+json"),
    apply: (path: string, manager: string, body: unknown) =>
      send("PATCH", `${path}?fieldManager=${manager}`, body, "application/apply-patch+yaml"),
  };
}

/** The path of the objects of a kind in a version. */
export const path = (version: string, plural: string, group = GROUPS.core): string =>
  `/apis/${group}/${version}/namespaces/default/${plural}`;
