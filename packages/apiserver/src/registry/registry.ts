import type { CustomKind, Kind } from "@capstan/api";
import type { ObjectKey, StoredObject } from "../storage/storage.ts";
import { type Strategy, strategyOf } from "./strategy.ts";

/** A kind as it is served under one version. */
export interface Resource {
  readonly kind: Kind;
  /** Defined by a CRD: a few answers of kube-apiserver differ for these. */
  readonly custom: CustomKind | undefined;
  readonly strategy: Strategy;
  /** The `apiVersion` of this path; objects are stored under the kind's own. */
  readonly apiVersion: string;
  /** Name of the table in the store: all versions of a kind share it. */
  readonly table: string;
}

/** The kinds that a server serves. */
export interface Registry {
  /** Finds what a path names. */
  find(group: string, version: string, plural: string): Resource | undefined;
  /** Whether Kubernetes itself, and no CRD, serves the group. */
  isBuiltInGroup(group: string): boolean;
  /** Namespaces, when this server has them. */
  readonly namespaces: Resource | undefined;
}

/** Indexes the kinds by their paths. */
export function createRegistry(kinds: readonly Kind[]): Registry {
  const resources = new Map<string, Resource>();
  const builtInGroups = new Set([""]);
  for (const kind of kinds) {
    const custom = isCustom(kind) ? kind : undefined;
    if (!custom) builtInGroups.add(kind.group);
    const strategy = strategyOf(kind, custom !== undefined);
    for (const version of [kind.version, ...(custom?.alsoServed ?? [])]) {
      const apiVersion = kind.group === "" ? version : `${kind.group}/${version}`;
      const path = `${apiVersion}/${kind.plural}`;
      if (resources.has(path))
        throw new Error(`two kinds are served at ${path}; give one of them another plural`);
      resources.set(path, { kind, custom, strategy, apiVersion, table: tableOf(kind) });
    }
  }
  const find = (group: string, version: string, plural: string): Resource | undefined =>
    resources.get(group === "" ? `${version}/${plural}` : `${group}/${version}/${plural}`);
  return {
    find,
    isBuiltInGroup: (group) => builtInGroups.has(group),
    namespaces: find("", "v1", "namespaces"),
  };
}

/** The table that the objects of a kind are stored in. */
export function tableOf(kind: Kind): string {
  return `${kind.group}/${kind.plural}`;
}

/** Where an object of the resource is stored. */
export function keyOf(resource: Resource, namespace: string, name: string): ObjectKey {
  return { resource: resource.table, namespace: resource.kind.namespaced ? namespace : "", name };
}

/** The object as this version shows it. */
export function inVersion(resource: Resource, object: StoredObject): StoredObject {
  const { apiVersion } = resource;
  return object.apiVersion === apiVersion ? object : Object.freeze({ ...object, apiVersion });
}

/** Whether the kind is one of ours, with a CRD. */
export function isCustom(kind: Kind): kind is CustomKind {
  return "specSchema" in kind;
}
