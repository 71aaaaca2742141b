import { deepCopy, deepEqual, deepFreeze, formatTimestamp, type ObjectMeta } from "@capstan/api";
import { ApiError, forbidden, modified, notFound, qualifiedPlural } from "../http/status.ts";
import { type Draft, type ObjectKey, StaleWriteError, type StoredObject } from "../storage/storage.ts";
import type { User } from "../security/attributes.ts";
import { validate } from "./admission.ts";
import type { Context, Target } from "./context.ts";
import { keyOf } from "./registry.ts";
import type { Strategy } from "./strategy.ts";
import { isLastUpdate } from "./update.ts";

/** The options of a delete. */
export interface DeleteOptions {
  /** The user who deletes. */
  readonly user: User;
  readonly dryRun: boolean;
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: "Foreground" | "Background" | "Orphan";
}

/** The result of a deletion. */
interface Deleted {
  /** False while it waits for its finalizers or its grace period. */
  readonly gone: boolean;
  readonly object: StoredObject;
}

const ATTEMPTS = 5;

// A cluster cannot work without these, so kube-apiserver refuses to delete them.
const UNDELETABLE_NAMESPACES: ReadonlySet<string> = new Set(["default", "kube-system", "kube-public"]);

/** The finalizer of an object whose dependents are to be orphaned. */
export const ORPHAN = "orphan";
/** The finalizer of an object that waits for its dependents. */
export const FOREGROUND = "foregroundDeletion";

/** Deletes an object, or marks it for deletion if finalizers or a grace period must end first. */
export async function remove(context: Context, target: Target, options: DeleteOptions): Promise<Deleted> {
  const { resource, namespace, name } = target;
  if (resource === context.registry.namespaces && UNDELETABLE_NAMESPACES.has(name))
    throw forbidden(resource.kind, name, { why: "this namespace may not be deleted" });
  const key = keyOf(resource, namespace, name);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const old = context.storage.get(key);
    if (!old) throw notFound(resource.kind, name);
    checkPreconditions(target, old, options);
    try {
      return await attemptRemove(context, target, { key, old, options });
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error;
    }
  }
  throw modified(resource.kind, name);
}

interface Attempt {
  readonly key: ObjectKey;
  readonly old: StoredObject;
  readonly options: DeleteOptions;
}

async function attemptRemove(context: Context, target: Target, attempt: Attempt): Promise<Deleted> {
  const { storage, admissions, env } = context;
  const { resource } = target;
  const { key, old, options } = attempt;
  const { dryRun, user } = options;
  const review = {
    kind: resource.kind,
    operation: "DELETE" as const,
    subresource: "",
    object: undefined,
    old,
    dryRun,
    user,
  };
  await validate(admissions, review);
  const marked = markForDeletion(target, { old, options, nowMs: env.clock.now() });
  const gone = isLastUpdate(resource, marked);
  if (gone && !resource.strategy.graceSeconds) {
    if (!dryRun) await storage.remove(key, old);
    return { gone, object: old };
  }
  if (dryRun) return { gone, object: deepFreeze(marked) };
  const kept = deepEqual(marked, old) ? old : await storage.replace(key, old, marked);
  if (gone) await storage.remove(key, kept);
  return { gone, object: kept };
}

/** The object with its deletion timestamp, and the finalizers that the propagation policy needs. */
function markForDeletion(
  { resource }: Target,
  { old, options, nowMs }: { old: StoredObject; options: DeleteOptions; nowMs: number },
): Draft {
  const { strategy } = resource;
  const draft = deepCopy(old) as unknown as Draft;
  const { metadata } = draft;
  const finalizers = deletionFinalizers(metadata.finalizers ?? [], options.propagationPolicy);
  delete metadata.finalizers;
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  const graceSeconds = strategy.graceSeconds?.(old, options.gracePeriodSeconds) ?? 0;
  // The grace period of a running deletion can be shortened, never extended.
  if (isDeletingWithin(metadata, graceSeconds)) return draft;
  if (metadata.deletionTimestamp === undefined) begin(strategy, draft);
  metadata.deletionTimestamp = formatTimestamp(nowMs + graceSeconds * 1000);
  if (!strategy.plainDeletion) metadata.deletionGracePeriodSeconds = graceSeconds;
  return draft;
}

function begin(strategy: Strategy, draft: Draft): void {
  const { metadata } = draft;
  if (metadata.generation !== undefined && !strategy.plainDeletion) metadata.generation += 1;
  strategy.markDeleting?.(draft);
}

function isDeletingWithin(metadata: ObjectMeta, graceSeconds: number): boolean {
  return (
    metadata.deletionTimestamp !== undefined && (metadata.deletionGracePeriodSeconds ?? 0) <= graceSeconds
  );
}

function deletionFinalizers(
  finalizers: readonly string[],
  policy: DeleteOptions["propagationPolicy"],
): string[] {
  if (policy === undefined) return [...finalizers];
  const others = finalizers.filter((finalizer) => finalizer !== ORPHAN && finalizer !== FOREGROUND);
  if (policy === "Orphan") return [...others, ORPHAN];
  return policy === "Foreground" ? [...others, FOREGROUND] : others;
}

function checkPreconditions({ resource, name }: Target, old: StoredObject, options: DeleteOptions): void {
  const { uid, resourceVersion } = options.preconditions ?? {};
  const stored = old.metadata;
  if (uid !== undefined && uid !== stored.uid)
    throw preconditionFailed(
      `the UID in the precondition (${uid}) does not match the UID in record (${stored.uid}). The object might have been deleted and then recreated`,
    );
  if (resourceVersion !== undefined && resourceVersion !== stored.resourceVersion)
    throw preconditionFailed(
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${stored.resourceVersion}). The object might have been modified`,
    );

  function preconditionFailed(why: string): ApiError {
    // Unlike other conflicts, this one names the kind and not the plural.
    const { group, kind } = resource.kind;
    return new ApiError({
      code: 409,
      reason: "Conflict",
      message: `Operation cannot be fulfilled on ${qualifiedPlural({ ...resource.kind, plural: kind })} "${name}": ${why}`,
      details: { name, ...(group !== "" && { group }), kind },
    });
  }
}
