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
  /** Its version is the one that objects are stored in. */
  readonly kind: Kind;
  /** What a CRD says about this version; absent for the kinds of Kubernetes itself. */
  readonly custom: CustomVersion | undefined;
  /** What objects of this version look like; absent for kinds that are passed through as they come. */
  readonly schema: SchemaNode | undefined;
  readonly strategy: Strategy;
  /** How objects are turned into the form that they are stored in and back; absent where that is their own. */
  readonly form?: StoredForm;
  /** The `apiVersion` of this path; objects are stored under the kind's own. */
  readonly apiVersion: string;
  /** Name of the table in the store: all versions of a kind share it. */
  readonly table: string;
}

/** Another form of the same objects: that of another kind, in whose table they are. */
interface StoredForm {
  toStored(object: Record<string, unknown>): Record<string, unknown>;
  toServed(object: StoredObject): StoredObject;
}

/** The kinds that a server serves; those of CRDs come and go. */
export interface Registry {
  /** Finds what a path names. */
  find(group: string, version: string, plural: string): Resource | undefined;
  /** A resource whose objects are in this table, under whichever version. */
  ofTable(table: string): Resource | undefined;
  /** What is served under a kind, as an owner reference names it. */
  ofKind(apiVersion: string, kind: string): Resource | undefined;
  /** Everything that is served now, for discovery. */
  all(): Iterable<Resource>;
  /** Whether Kubernetes itself, and no CRD, serves the group. */
  isBuiltInGroup(group: string): boolean;
  /** Namespaces, when this server has them. */
  readonly namespaces: Resource | undefined;
  /** Serves what a CRD defines instead of what it, or the server from its start, defined under that name. */
  install(name: string, resources: readonly Resource[]): void;
  /** Takes back what `install` did. */
  uninstall(name: string): void;
  /** Calls `end` once, when the definition of the resource no longer holds; the result takes that back. */
  onRetired(resource: Resource, end: () => void): () => void;
}

/** Indexes the resources that a server has from its start by their paths. */
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
      // What Kubernetes itself serves stays in front of what a CRD defines in its place.
      if (!byPath.has(pathOf(resource))) byPath.set(pathOf(resource), resource);
    }
  };
  const find = (group: string, version: string, plural: string): Resource | undefined =>
    byPath.get(group === "" ? `${version}/${plural}` : `${group}/${version}/${plural}`);
  return {
    find,
    ofTable: (table) => lookUp().byTable.get(table),
    ofKind: (apiVersion, kind) => lookUp().byKind.get(`${apiVersion}/${kind}`),
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
}

function indexed(resources: Iterable<Resource>): Indexes {
  const byTable = new Map<string, Resource>();
  const byKind = new Map<string, Resource>();
  for (const resource of resources) {
    if (!byTable.has(resource.table)) byTable.set(resource.table, resource);
    byKind.set(`${resource.apiVersion}/${resource.kind.kind}`, resource);
  }
  return { byTable, byKind };
}

function pathOf({ apiVersion, kind }: Resource): string {
  return `${apiVersion}/${kind.plural}`;
}

const builtInResources = new WeakMap<Kind, Resource>();

/** A kind of Kubernetes itself as a resource; made once, because simulations start very many servers. */
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

/** The object with what this version shows of it, under the `apiVersion` that objects are stored in. */
export function asServed(resource: Resource, object: StoredObject): StoredObject {
  const { custom, schema, kind, form } = resource;
  if (form) return form.toServed(object);
  if (!custom || !schema) return object;
  const own = object.apiVersion === kind.apiVersion ? custom.stored : custom.schemas.get(object.apiVersion);
  const isCurrent = custom.since === 0 || Number(object.metadata.resourceVersion) > custom.since;
  if (isCurrent && own === schema) return stamped(object, kind.apiVersion);
  const known = custom.reread.get(object);
  if (known) return known;
  const shown = stamped(readThrough(object, own ?? schema, schema), kind.apiVersion);
  custom.reread.set(object, shown);
  return shown;
}

/** The object first as the version that it was stored in reads it today, then as the one that is asked for does. */
function readThrough(object: StoredObject, own: SchemaNode, served: SchemaNode): StoredObject {
  const copy = deepCopy(object) as Record<string, unknown>;
  prune(own, copy);
  applyDefaults(own, copy);
  if (own !== served) prune(served, copy);
  return deepEqual(copy, object) ? object : (deepFreeze(copy) as StoredObject);
}

function stamped(object: StoredObject, apiVersion: string): StoredObject {
  return object.apiVersion === apiVersion ? object : Object.freeze({ ...object, apiVersion });
}

/** Whether the kind is one of ours, with a CRD. */
export function isCustom(kind: Kind): kind is CustomKind {
  return "specSchema" in kind;
}
