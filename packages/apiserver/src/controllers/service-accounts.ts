import { formatTimestamp, Namespace } from "@capstan/api";
import type { Context } from "../registry/context.ts";
import { tableOf } from "../registry/registry.ts";
import { StaleWriteError } from "../storage/storage.ts";
import { createWorker } from "./worker.ts";

const NAMESPACES = tableOf(Namespace);
const ACCOUNTS = "/serviceaccounts";

/** Creates the service account `default` in every namespace, which pods without one of their own run as. */
export function startServiceAccounts(context: Context): () => void {
  const { env, storage, registry } = context;
  if (!registry.find("", "v1", "serviceaccounts")) return () => undefined;
  const worker = createWorker(env, (namespace) => ensureDefault(context, namespace));
  const unfollow = storage.follow((resource, { object, namespace, line }) => {
    if (resource === NAMESPACES && line.type === "ADDED") worker.add(object.metadata.name);
    if (resource === ACCOUNTS && line.type === "DELETED") worker.add(namespace);
  });
  for (const { metadata } of storage.list({ resource: NAMESPACES })) worker.add(metadata.name);
  return () => {
    unfollow();
    worker.stop();
  };
}

async function ensureDefault({ env, storage }: Context, namespace: string): Promise<void> {
  const key = { resource: ACCOUNTS, namespace, name: "default" };
  const found = storage.get({ resource: NAMESPACES, namespace: "", name: namespace });
  if (!found || found.metadata.deletionTimestamp !== undefined || storage.get(key)) return;
  const metadata = {
    name: key.name,
    namespace,
    uid: env.uuid(),
    creationTimestamp: formatTimestamp(env.clock.now()),
  };
  await storage
    .create(key, { apiVersion: "v1", kind: "ServiceAccount", metadata })
    .catch((error: unknown) => {
      if (!(error instanceof StaleWriteError)) throw error;
    });
}
