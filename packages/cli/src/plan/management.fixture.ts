/** A management cluster in this process, for tests of commands that ask one. */
import { customKinds, type CustomKind, type KubernetesObject } from "@capstan/api";
import { builtInKinds, createApiServer } from "@capstan/apiserver";
import { createRealEnv } from "@capstan/env";
import { type Client, createClient } from "@capstan/runtime";
import { inProcess } from "../cluster/transport.ts";

/** A client of a server that has these objects, with their status. */
export async function managementWith(...objects: readonly KubernetesObject[]): Promise<Client> {
  const env = createRealEnv();
  const { handle } = createApiServer({ env, kinds: [...builtInKinds, ...customKinds] });
  const client = createClient({ env, transport: inProcess(handle), fieldManager: "user" });
  for (const object of objects) await store(client, object);
  return client;
}

async function store(client: Client, object: KubernetesObject): Promise<void> {
  const kind = [...builtInKinds, ...customKinds].find(({ kind: name }) => name === object.kind);
  if (!kind) throw new Error(`no server here knows ${object.kind}`);
  const { name, namespace } = object.metadata;
  await client.create(kind, object);
  const { status } = object as KubernetesObject & { status?: object };
  if (status && (kind as CustomKind).subresources.includes("status")) {
    await client.patch(kind, { name, namespace }, { type: "merge", body: { status }, subresource: "status" });
  }
}
