/** A management cluster in this process, for tests of commands that use one. */
import { customKinds, type CustomKind, type KubernetesObject } from "@capstan/api";
import { type ApiServerOptions, builtInKinds, createApiServer } from "@capstan/apiserver";
import { createRealEnv, type Handler, serveHttp, type Transport } from "@capstan/env";
import { type Client, createClient } from "@capstan/runtime";
import { inProcess } from "../cluster/transport.ts";

/** The connection of plans that ask no updater. */
export const NO_TRANSPORT: Transport = {
  request: ({ path }) => Promise.reject(new Error(`unexpected request to ${path}`)),
  close: () => Promise.resolve(),
};

/** A client of a server with these objects, with their status. */
export async function managementWith(...objects: readonly KubernetesObject[]): Promise<Client> {
  return (await serverWith(objects)).client;
}

/** The same, for commands that find it by a kubeconfig. */
export async function servedManagement(
  ...objects: readonly KubernetesObject[]
): Promise<{ readonly client: Client; readonly url: string; close(): Promise<void> }> {
  const { client, handle } = await serverWith(objects);
  const server = await serveHttp(handle);
  return { client, url: `http://127.0.0.1:${server.port}`, close: () => server.close() };
}

/** The features of the server, and the servers behind its Services. */
type ServerOptions = Pick<ApiServerOptions, "features" | "services">;

/** A server without objects, with its connection. */
export async function emptyManagement(
  options: ServerOptions,
): Promise<{ readonly client: Client; readonly transport: Transport }> {
  const { client, handle } = await serverWith([], options);
  return { client, transport: inProcess(handle) };
}

async function serverWith(
  objects: readonly KubernetesObject[],
  options: ServerOptions = {},
): Promise<{ client: Client; handle: Handler }> {
  const env = createRealEnv();
  const { handle } = createApiServer({ env, kinds: [...builtInKinds, ...customKinds], ...options });
  const client = createClient({ env, transport: inProcess(handle), fieldManager: "user" });
  for (const object of objects) await store(client, object);
  return { client, handle };
}

/** Stores an object with its status. */
export async function store(client: Client, object: KubernetesObject): Promise<KubernetesObject> {
  const kind = [...builtInKinds, ...customKinds].find(({ kind: name }) => name === object.kind);
  if (!kind) throw new Error(`no server here knows ${object.kind}`);
  const { name, namespace } = object.metadata;
  const stored = await client.create(kind, object);
  const { status } = object as KubernetesObject & { status?: object };
  if (status && (kind as CustomKind).subresources.includes("status")) {
    await client.patch(kind, { name, namespace }, { type: "merge", body: { status }, subresource: "status" });
  }
  return stored as KubernetesObject;
}
