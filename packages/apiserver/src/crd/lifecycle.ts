import {
  type CustomKind,
  deepEqual,
  type Frozen,
  formatTimestamp,
  type VersionConversion,
} from "@capstan/api";
import { ApiError } from "../http/status.ts";
import type { Context } from "../registry/context.ts";
import { remove } from "../registry/delete.ts";
import { inBatches } from "../registry/in-batches.ts";
import type { Resource } from "../registry/registry.ts";
import { SERVER } from "../security/attributes.ts";
import { type Draft, StaleWriteError, type Storage, type StoredObject } from "../storage/storage.ts";
import {
  CLEANUP_FINALIZER,
  type Definition,
  type DefinitionCondition,
  DEFINITIONS,
  type DefinitionSpec,
  type DefinitionStatus,
  isTrue,
  withCondition,
} from "./definition.ts";
import { nameStatus, type TakenNames, takenNames } from "./names.ts";
import { definedResources, specOf } from "./resources.ts";

/** The names of the kinds of a group, except one. */
export function namesInGroup(
  storage: Storage,
  kinds: readonly CustomKind[],
): (group: string, except: string) => TakenNames {
  return (group, except) => {
    const defined = definitions(storage);
    // A kind that the server has from its start has its names unless a CRD defines it.
    const given = kinds.filter(
      ({ plural }) => !defined.some(({ metadata }) => metadata.name === `${plural}.${group}`),
    );
    return takenNames([
      ...given
        .filter((kind) => kind.group === group && `${kind.plural}.${group}` !== except)
        .map((kind) => specOf(kind).names),
      ...defined
        .filter(({ metadata, spec }) => spec.group === group && metadata.name !== except)
        .map(({ status }) => status.acceptedNames),
    ]);
  };
}

function definitions(storage: Storage): Frozen<Definition>[] {
  return [...storage.list({ resource: DEFINITIONS })] as unknown as Frozen<Definition>[];
}

/** Serves what the stored CRDs define, follows their changes, and deletes the objects of deleted ones. */
export function followDefinitions(
  context: Context,
  {
    taken,
    conversionOf,
  }: {
    readonly taken: (group: string, except: string) => TakenNames;
    /** The conversion of a kind, by the name of its CRD. */
    readonly conversionOf: (name: string) => VersionConversion | undefined;
  },
): void {
  const { storage } = context;
  const served = new Map<string, Served>();
  const clearing = new Set<string>();
  sync();

  function sync(): void {
    storage.onCommit(DEFINITIONS, sync);
    const stored = definitions(storage);
    for (const name of served.keys()) {
      if (stored.some(({ metadata }) => metadata.name === name)) continue;
      context.registry.uninstall(name);
      served.delete(name);
    }
    for (const definition of stored) serve(context, served, { definition, conversionOf });
    // A failure in either, such as a write to a full disk, is retried with the next change of any CRD.
    void reconsiderNames(context, taken).catch(() => undefined);
    for (const definition of stored) clear(definition);
  }

  function clear({ metadata }: Frozen<Definition>): void {
    const { name, uid = "" } = metadata;
    const isDue =
      metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(CLEANUP_FINALIZER);
    if (!isDue || clearing.has(uid)) return;
    clearing.add(uid);
    void deleteInstances(context, { name, uid, resource: served.get(name)?.resources[0] })
      .catch(() => undefined)
      .finally(() => clearing.delete(uid));
  }
}

interface Served {
  readonly spec: Frozen<DefinitionSpec>;
  readonly resources: readonly Resource[];
}

function serve(
  { registry }: Context,
  served: Map<string, Served>,
  {
    definition,
    conversionOf,
  }: {
    readonly definition: Frozen<Definition>;
    readonly conversionOf: (name: string) => VersionConversion | undefined;
  },
): void {
  const { metadata, spec } = definition;
  const { name } = metadata;
  const isServed = isTrue(definition, "NamesAccepted") || isTrue(definition, "Established");
  const known = served.get(name);
  if (!isServed || (known && deepEqual(known.spec, spec))) return;
  const since = Number(metadata.resourceVersion);
  const resources = definedResources(spec, { since, convert: conversionOf(name) });
  served.set(name, { spec, resources });
  registry.install(name, resources);
}

/** Gives names that have become free to CRDs that waited for them. */
async function reconsiderNames(
  { storage, env }: Context,
  taken: (group: string, except: string) => TakenNames,
): Promise<void> {
  for (const definition of definitions(storage)) {
    const { metadata, spec } = definition;
    if (isTrue(definition, "NamesAccepted")) continue;
    const status = definition.status;
    const now = formatTimestamp(env.clock.now());
    const names = nameStatus(spec.names, status, { taken: taken(spec.group, metadata.name), now });
    if (!deepEqual(names, { conditions: status.conditions, acceptedNames: status.acceptedNames }))
      await writeStatus(storage, definition, { ...status, ...names });
  }
}

interface DeletedDefinition {
  readonly name: string;
  readonly uid: string;
  /** Absent if the kind was never served, and so has no objects. */
  readonly resource: Resource | undefined;
}

/** Deletes all objects of a kind, waits until none is left, then removes the finalizer of the CRD. */
async function deleteInstances(context: Context, { name, uid, resource }: DeletedDefinition): Promise<void> {
  const { storage, env } = context;
  const key = { resource: DEFINITIONS, namespace: "", name };
  for (;;) {
    const stored = storage.get(key);
    if (stored?.metadata.uid !== uid) return;
    const problem = resource && (await removeObjects(context, resource));
    if (!resource || storage.count({ resource: resource.table }) === 0) {
      if (await removeFinalizer(storage, key.name, stored)) return;
      continue;
    }
    await report(storage, stored as unknown as Frozen<Definition>, {
      problem,
      now: formatTimestamp(env.clock.now()),
    });
    if (storage.count({ resource: resource.table }) > 0)
      await new Promise<void>((resolve) => storage.onCommit(resource.table, resolve));
  }
}

/** Deletes every object that is not being deleted already; returns the first error. */
async function removeObjects(context: Context, resource: Resource): Promise<string | undefined> {
  let problem: string | undefined;
  const objects = [...context.storage.list({ resource: resource.table })];
  const toDelete = objects.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  await inBatches(toDelete, async ({ metadata }) => {
    const target = { resource, namespace: metadata.namespace ?? "", name: metadata.name, subresource: "" };
    await remove(context, target, { user: SERVER, dryRun: false }).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      if (error.status.code !== 404) problem = error.message;
    });
  });
  return problem;
}

async function report(
  storage: Storage,
  definition: Frozen<Definition>,
  { problem, now }: { readonly problem: string | undefined; readonly now: string },
): Promise<void> {
  const status = definition.status;
  const condition: Omit<DefinitionCondition, "lastTransitionTime"> = {
    type: "Terminating",
    status: "True",
    reason: problem === undefined ? "InstanceDeletionInProgress" : "InstanceDeletionFailed",
    message:
      problem === undefined
        ? "CustomResource deletion is in progress"
        : `could not issue all deletes: ${problem}`,
  };
  const conditions = withCondition(status.conditions, condition, now);
  if (!deepEqual(conditions, status.conditions))
    await writeStatus(storage, definition, { ...status, conditions });
}

async function writeStatus(
  storage: Storage,
  definition: Frozen<Definition>,
  status: DefinitionStatus,
): Promise<void> {
  const key = { resource: DEFINITIONS, namespace: "", name: definition.metadata.name };
  const stored = definition as unknown as StoredObject;
  await storage.replace(key, stored, { ...stored, status } as unknown as Draft).catch(ignoreStale);
}

/**
 * Removes the finalizer; with the last one the CRD is deleted. Returns false if another client has changed the CRD
 * meanwhile.
 */
async function removeFinalizer(storage: Storage, name: string, stored: StoredObject): Promise<boolean> {
  const key = { resource: DEFINITIONS, namespace: "", name };
  const others = (stored.metadata.finalizers ?? []).filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
  try {
    if (others.length === 0) await storage.remove(key, stored);
    else {
      const metadata = { ...stored.metadata, finalizers: others };
      await storage.replace(key, stored, { ...stored, metadata } as unknown as Draft);
    }
    return true;
  } catch (error) {
    ignoreStale(error);
    return false;
  }
}

/** Another client has changed the CRD meanwhile, and that change triggers this again. */
function ignoreStale(error: unknown): void {
  if (!(error instanceof StaleWriteError)) throw error;
}
