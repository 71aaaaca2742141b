import { formatTimestamp, type Kind } from "@capstan/api";
import type { Env, Handler } from "@capstan/env";
import { createHandler } from "./http/handler.ts";
import type { Admission } from "./registry/admission.ts";
import type { Context } from "./registry/context.ts";
import { kindAdmission } from "./registry/kind-admission.ts";
import { createRegistry, keyOf, type Resource } from "./registry/registry.ts";
import { createMemoryStorage } from "./storage/memory.ts";
import type { Draft, Storage } from "./storage/storage.ts";

/** What an API server is made of. */
export interface ApiServerOptions {
  readonly env: Env;
  /** The kinds to serve: Kubernetes' own and custom ones. */
  readonly kinds: readonly Kind[];
  /** Where objects are kept; in memory unless told. */
  readonly storage?: Storage;
  /** Who looks at writes before they are stored, in this order. */
  readonly admissions?: readonly Admission[];
}

/** A Kubernetes API in this process. */
export interface ApiServer {
  /** Answers a request. The values it hands out are shared and frozen. */
  readonly handle: Handler;
  readonly storage: Storage;
}

// kube-apiserver creates these when it starts; everybody counts on them.
const SYSTEM_NAMESPACES = ["default", "kube-node-lease", "kube-public", "kube-system"];

/** Creates an API server. With the kind Namespace it starts with the namespaces that every cluster has. */
export function createApiServer(options: ApiServerOptions): ApiServer {
  const { env, kinds, storage = createMemoryStorage(), admissions = [] } = options;
  const context: Context = {
    env,
    storage,
    admissions: [kindAdmission(storage), ...admissions],
    registry: createRegistry(kinds),
  };
  const { namespaces } = context.registry;
  const ready = namespaces && createSystemNamespaces(context, namespaces);
  const handle = createHandler(context);
  return {
    handle: async (request) => {
      await ready;
      return await handle(request);
    },
    storage,
  };
}

async function createSystemNamespaces({ env, storage }: Context, resource: Resource): Promise<void> {
  for (const name of SYSTEM_NAMESPACES) {
    const key = keyOf(resource, "", name);
    if (storage.get(key)) continue;
    const { apiVersion, kind } = resource.kind;
    const metadata = { name, uid: env.uuid(), creationTimestamp: formatTimestamp(env.clock.now()) };
    const draft: Draft = { apiVersion, kind, metadata };
    resource.strategy.prepare?.(draft, undefined);
    await storage.create(key, draft);
  }
}
