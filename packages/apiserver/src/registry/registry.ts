import { deepCopy, deepEqual, deepFreeze, type CustomKind, type Kind } from "@capstan/api";
import { newerEvent, olderEvent } from "../built-in/event-forms.ts";
import { applyDefaults } from "../schema/defaults.ts";
import type { SchemaNode } from "../schema/node.ts";
import { prune } from "../schema/prune.ts";
import type { ObjectKey, StoredObject } from "../storage/storage.ts";
import type { CustomVersion } from "../crd/custom-version.ts";
import { builtInStrategy, type Strategy } from "./strategy.ts";

/** A kind as it is served under one version. */
export interface Resource {
  /** Its version is the storage version. */
  readonly kind: Kind;
  /** What a CRD defines about this version; absent for Kubernetes' own kinds. */
  readonly custom: CustomVersion | undefined;
  /** The schema of this version; absent for kinds that are not validated. */
  readonly schema: SchemaNode | undefined;
  readonly strategy: Strategy;
  /** How objects are converted to the stored form and back; absent if they are the same. */
  readonly form?: StoredForm;
  /** The `apiVersion` of this path; objects are stored under the kind's own. */
  readonly apiVersion: string;
  /** Name of the table in the storage: all versions of a kind share it. */
  readonly table: string;
}

/** Another form of the same objects: they are stored in the table of another kind. */
interface StoredForm {
  toStored(object: Record<string, unknown>): Record<string, unknown>;
  toServed(object: StoredObject): StoredObject;
}

/** The kinds that a server serves; CRDs add and remove some. */
export interface Registry {
  /** Finds the resource of a path. */
  find(group: string, version: string, plural: string): Resource | undefined;
  /** A resource of any version whose objects are in this table. */
  ofTable(table: string): Resource | undefined;
  /** The resource of a kind, as an owner reference names it. */
  ofKind(apiVersion: string, kind: string): Resource | undefined;
  /** A resource of any version of a kind. */
  ofGroupKind(group: string, kind: string): Resource | undefined;
  /** Everything that is served now, for discovery. */
  all(): Iterable<Resource>;
  /** Whether Kubernetes itself, and not a CRD, serves the group. */
  isBuiltInGroup(group: string): boolean;
  /** The Namespace resource, if this server has it. */
  readonly namespaces: Resource | undefined;
  /** Serves the resources of a CRD instead of its former ones, or of those that the server had from its start. */
  install(name: string, resources: readonly Resource[]): void;
  /** Reverts `install`. */
  uninstall(name: string): void;
  /**
   * Calls `end` once, when the definition of the resource changes or is removed; the returned function cancels that.
   */
  onRetired(resource: Resource, end: () => void): () => void;
}

/** Indexes the initial resources of a server by their paths. */
export function createRegistry(initial: readonly Resource[]): Registry {
  const installed = new Map<string, readonly Resource[]>();
  const users = new Map<Resource, Set<() => void>>();
  const byPath = new Map<string, Resource>();
  const builtInGroups = new Set([""]);
  for (const resource of initial) {
    const path = pathOf(resource);
    if (byPath.has(path)) throw new Error(`two kinds are served at ${path}; give one of them another plural`);
    byPath.set(path, resource);
    if (!resource.custom) builtInGroups.add(resource.kind.group);
  }
  let indexes: Indexes | undefined;
  const lookUp = (): Indexes => (indexes ??= indexed(byPath.values()));
  const remove = (resources: readonly Resource[]): void => {
    indexes = undefined;
    for (const resource of resources) {
      if (byPath.get(pathOf(resource)) !== resource) continue;
      byPath.delete(pathOf(resource));
      const ends = users.get(resource) ?? [];
      users.delete(resource);
      for (const end of ends) end();
    }
  };
  const initially = (name: string): Resource[] =>
    initial.filter(({ custom, kind }) => custom && `${kind.plural}.${kind.group}` === name);
  const add = (resources: readonly Resource[]): void => {
    indexes = undefined;
    for (const resource of resources) {
      // Kubernetes' own resources take precedence over a CRD for the same path.
      if (!byPath.has(pathOf(resource))) byPath.set(pathOf(resource), resource);
    }
  };
  const find = (group: string, version: string, plural: string): Resource | undefined =>
    byPath.get(group === "" ? `${version}/${plural}` : `${group}/${version}/${plural}`);
  return {
    find,
    ofTable: (table) => lookUp().byTable.get(table),
    ofKind: (apiVersion, kind) => lookUp().byKind.get(`${apiVersion}/${kind}`),
    ofGroupKind: (group, kind) => lookUp().byGroupKind.get(`${group}/${kind}`),
    all: () => byPath.values(),
    isBuiltInGroup: (group) => builtInGroups.has(group),
    namespaces: find("", "v1", "namespaces"),
    install: (name, resources) => {
      remove(installed.get(name) ?? initially(name));
      installed.set(name, resources);
      add(resources);
    },
    uninstall: (name) => {
      remove(installed.get(name) ?? []);
      if (installed.delete(name)) add(initially(name));
    },
    onRetired: (resource, end) => {
      const ends = users.get(resource) ?? new Set();
      users.set(resource, ends.add(end));
      return () => ends.delete(end);
    },
  };
}

interface Indexes {
  readonly byTable: ReadonlyMap<string, Resource>;
  readonly byKind: ReadonlyMap<string, Resource>;
  readonly byGroupKind: ReadonlyMap<string, Resource>;
}

function indexed(resources: Iterable<Resource>): Indexes {
  const byTable = new Map<string, Resource>();
  const byKind = new Map<string, Resource>();
  const byGroupKind = new Map<string, Resource>();
  for (const resource of resources) {
    const { group, kind } = resource.kind;
    if (!byTable.has(resource.table)) byTable.set(resource.table, resource);
    byKind.set(`${resource.apiVersion}/${kind}`, resource);
    byGroupKind.set(`${group}/${kind}`, resource);
  }
  return { byTable, byKind, byGroupKind };
}

function pathOf({ apiVersion, kind }: Resource): string {
  return `${apiVersion}/${kind.plural}`;
}

const builtInResources = new WeakMap<Kind, Resource>();

/** One of Kubernetes' own kinds as a resource; cached, because simulations start very many servers. */
export function builtInResource(kind: Kind): Resource {
  const known = builtInResources.get(kind);
  if (known) return known;
  const resource = makeBuiltIn(kind);
  builtInResources.set(kind, resource);
  return resource;
}

function makeBuiltIn(kind: Kind): Resource {
  const isNewEvent = kind.group === "events.k8s.io" && kind.kind === "Event";
  return {
    kind,
    custom: undefined,
    schema: undefined,
    strategy: builtInStrategy(kind),
    apiVersion: kind.apiVersion,
    table: isNewEvent ? tableOf({ group: "", plural: kind.plural }) : tableOf(kind),
    ...(isNewEvent && { form: { toStored: olderEvent, toServed: newerEvent } }),
  };
}

/** The table that the objects of a kind are stored in. */
export function tableOf(kind: Pick<Kind, "group" | "plural">): string {
  return `${kind.group}/${kind.plural}`;
}

/** Where an object of the resource is stored. */
export function keyOf(resource: Resource, namespace: string, name: string): ObjectKey {
  return { resource: resource.table, namespace: resource.kind.namespaced ? namespace : "", name };
}

/** The object as this version shows it. */
export function inVersion(resource: Resource, object: StoredObject): StoredObject {
  return stamped(asServed(resource, object), resource.apiVersion);
}

/** The object as this version shows it, under the `apiVersion` of the storage version. */
export function asServed(resource: Resource, object: StoredObject): StoredObject {
  const { custom, schema, kind, form } = resource;
  if (form) return form.toServed(object);
  if (!custom || !schema) return object;
  const own = object.apiVersion === kind.apiVersion ? custom.stored : custom.schemas.get(object.apiVersion);
  const isCurrent = custom.since === 0 || Number(object.metadata.resourceVersion) > custom.since;
  if (isCurrent && own === schema) return stamped(object, kind.apiVersion);
  const known = custom.reread.get(object);
  if (known) return known;
  const reading = { own: own ?? schema, served: schema, isCurrent, convert: convertTo(resource) };
  const shown = stamped(readThrough(object, reading), kind.apiVersion);
  custom.reread.set(object, shown);
  return shown;
}

/** The object in the storage version; it may have been stored in another one before the definition changed. */
export function inStorageVersion({ custom, kind }: Resource, object: StoredObject): StoredObject {
  const { apiVersion: from } = object;
  const to = kind.apiVersion;
  if (!custom?.convert || from === to || !custom.schemas.has(from)) return object;
  const shown = custom.convert(object, { from, to }).object;
  prune(custom.stored, shown);
  applyDefaults(custom.stored, shown);
  return deepFreeze(shown) as StoredObject;
}

/** How a stored object becomes one of the requested version. */
interface Reading {
  /** The current schema of the version that it is stored in. */
  readonly own: SchemaNode;
  readonly served: SchemaNode;
  /** Whether it was written under the current schema. */
  readonly isCurrent: boolean;
  /** Converts it to the requested version; absent if the versions differ in their schemas alone. */
  readonly convert: ((object: StoredObject) => Record<string, unknown>) | undefined;
}

function convertTo({ custom, apiVersion: to }: Resource): Reading["convert"] {
  const convert = custom?.convert;
  return convert && ((object) => convert(object, { from: object.apiVersion, to }).object);
}

/** The object converted to the current schema of its stored version, then to the requested one. */
function readThrough(object: StoredObject, { own, served, isCurrent, convert }: Reading): StoredObject {
  const current = isCurrent && convert ? object : underSchema(own, object);
  const shown = convert?.(current) ?? { ...current };
  if (own !== served) prune(served, shown);
  if (convert) applyDefaults(served, shown);
  return deepEqual(shown, object) ? object : (deepFreeze(shown) as StoredObject);
}

/** A copy of the object as a schema reads it. */
function underSchema(schema: SchemaNode, object: StoredObject): StoredObject {
  const copy = deepCopy(object) as Record<string, unknown>;
  prune(schema, copy);
  applyDefaults(schema, copy);
  return copy as StoredObject;
}

/** The object under another `apiVersion`. */
export function stamped(object: StoredObject, apiVersion: string): StoredObject {
  return object.apiVersion === apiVersion ? object : Object.freeze({ ...object, apiVersion });
}

/** Whether the kind is one of ours, with a CRD. */
export function isCustom(kind: Kind): kind is CustomKind {
  return "specSchema" in kind;
}
