import { deepCopy, deepEqual, formatTimestamp, type Namespace } from "@capstan/api";
import { ApiError } from "../http/status.ts";
import type { Context, Target } from "../registry/context.ts";
import { remove } from "../registry/delete.ts";
import { inBatches } from "../registry/in-batches.ts";
import { keyOf, type Resource } from "../registry/registry.ts";
import { update } from "../registry/update.ts";
import { SERVER } from "../security/attributes.ts";
import type { Draft, StoredObject } from "../storage/storage.ts";
import { type Condition, namespaceConditions, type Remaining } from "./namespace-conditions.ts";
import { createWorker } from "./worker.ts";

const FINALIZER = "kubernetes";
const INTERNAL = { user: SERVER, dryRun: false, fieldValidation: "Ignore" } as const;

/**
 * Deletes the contents of namespaces that are being deleted, reports what remains, and removes the finalizer when
 * nothing does.
 */
export function startNamespaceContent(context: Context): () => void {
  const { env, storage, registry } = context;
  const namespaces = registry.namespaces;
  if (!namespaces) return () => undefined;
  const worker = createWorker(env, (name) => empty(context, namespaces, name));
  const isTerminating = (name: string): boolean =>
    storage.get(keyOf(namespaces, "", name))?.metadata.deletionTimestamp !== undefined;
  const unfollow = storage.follow((resource, { namespace, object, line }) => {
    if (resource === namespaces.table) {
      if (object.metadata.deletionTimestamp !== undefined && line.type !== "DELETED")
        worker.add(object.metadata.name);
    } else if (namespace !== "" && isTerminating(namespace)) worker.add(namespace);
  });
  for (const { metadata } of storage.list({ resource: namespaces.table })) {
    if (metadata.deletionTimestamp !== undefined) worker.add(metadata.name);
  }
  return () => {
    unfollow();
    worker.stop();
  };
}

async function empty(context: Context, namespaces: Resource, name: string): Promise<void> {
  const namespace = context.storage.get(keyOf(namespaces, "", name));
  if (namespace?.metadata.deletionTimestamp === undefined || !finalizersOf(namespace).includes(FINALIZER))
    return;
  const remaining: Remaining[] = [];
  for (const resource of contentResources(context)) {
    const problem = await removeContent(context, resource, name);
    const objects = [...context.storage.list({ resource: resource.table, namespace: name })];
    if (objects.length > 0 || problem !== undefined) {
      const { plural, group } = resource.kind;
      remaining.push({
        plural,
        group,
        problem,
        finalizers: objects.map(({ metadata }) => metadata.finalizers ?? []),
      });
    }
  }
  const target = { resource: namespaces, namespace: "", name };
  if (remaining.length === 0) return await finalizeNamespace(context, target);
  await report(context, target, remaining);
}

/** Every namespaced resource, once for all versions of a kind. */
function contentResources({ registry, storage }: Context): Resource[] {
  return [...storage.resources()].flatMap((table) => {
    const resource = registry.ofTable(table);
    return resource?.kind.namespaced ? [resource] : [];
  });
}

async function removeContent(
  context: Context,
  resource: Resource,
  namespace: string,
): Promise<string | undefined> {
  let problem: string | undefined;
  const objects = [...context.storage.list({ resource: resource.table, namespace })];
  const toDelete = objects.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  await inBatches(toDelete, async ({ metadata }) => {
    const target = { resource, namespace, name: metadata.name, subresource: "" };
    await remove(context, target, { user: SERVER, dryRun: false, propagationPolicy: "Background" }).catch(
      (error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        if (error.status.code !== 404) problem = error.message;
      },
    );
  });
  return problem;
}

type Named = Omit<Target, "subresource">;

async function finalizeNamespace(context: Context, target: Named): Promise<void> {
  const produce = (old: StoredObject): unknown => {
    const draft = deepCopy(old) as unknown as Draft;
    draft["spec"] = {
      ...(draft["spec"] as object),
      finalizers: finalizersOf(old).filter((one) => one !== FINALIZER),
    };
    return draft;
  };
  await update(
    context,
    { ...target, subresource: "finalize" },
    { produce, source: "patch", options: INTERNAL },
  );
}

async function report(context: Context, target: Named, remaining: readonly Remaining[]): Promise<void> {
  const now = formatTimestamp(context.env.clock.now());
  const produce = (old: StoredObject): unknown => {
    const draft = deepCopy(old) as unknown as Draft;
    const status = (old["status"] ?? {}) as { conditions?: readonly Condition[] };
    const conditions = namespaceConditions(status.conditions ?? [], remaining, now);
    if (!deepEqual(conditions, status.conditions)) draft["status"] = { ...status, conditions };
    return draft;
  };
  await update(
    context,
    { ...target, subresource: "status" },
    { produce, source: "patch", options: INTERNAL },
  );
}

function finalizersOf(namespace: StoredObject): readonly string[] {
  return (namespace as unknown as Namespace).spec?.finalizers ?? [];
}
