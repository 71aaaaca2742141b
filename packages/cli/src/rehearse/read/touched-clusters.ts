import { Cluster, isJsonObject } from "@capstan/api";
import type { GivenObject } from "../../plan/read/read-objects.ts";
import { clusterOf } from "./machine-names.ts";
import { isKind, metadataOf, ownersOf } from "./owned-objects.ts";

/** The part of a fleet that a change can reach. */
export interface TouchedPart {
  readonly objects: readonly GivenObject[];
  /** Clusters that the change does not reach, and that are not grown. */
  readonly others: readonly GivenObject[];
}

/**
 * The Clusters that a change reaches, with everything that belongs to them, and the objects that belong to no Cluster. A change
 * that cannot be followed to a Cluster may reach all of them.
 */
export function touchedPart(roots: readonly GivenObject[], change: readonly GivenObject[]): TouchedPart {
  const clusters = roots.filter((one) => isKind(one, Cluster.kind));
  const graph = graphOf([...roots, ...change]);
  const members = new Map(clusters.map((cluster) => [keyOf(cluster), membersOf(graph, keyOf(cluster))]));
  const changed = change.filter((one) => one.kind !== "Secret").map(keyOf);
  const isFollowed = changed.every((key) => [...members.values()].some((keys) => keys.has(key)));
  const touched = [...members].filter(([, keys]) => !isFollowed || changed.some((key) => keys.has(key)));
  if (touched.length === clusters.length) return { objects: roots, others: [] };
  const kept = new Set(touched.flatMap(([, keys]) => [...keys]));
  const known = new Set([...members.values()].flatMap((keys) => [...keys]));
  const keptClusters = new Set(touched.map(([key]) => key));
  return {
    objects: roots.filter((one) => kept.has(keyOf(one)) || !known.has(keyOf(one))),
    others: clusters.filter((one) => !keptClusters.has(keyOf(one))),
  };
}

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** An object by its kind, namespace and name. */
export function keyOf({ kind, metadata }: NamedObject): string {
  return `${kind}/${metadata.namespace}/${metadata.name}`;
}

interface NamedObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
}

/** From each object to those that it refers to, and from a Cluster to those that name it. */
function graphOf(objects: readonly GivenObject[]): Graph {
  const graph = new Map<string, Set<string>>();
  const link = (from: string, to: string): void => {
    const known = graph.get(from);
    if (known) known.add(to);
    else graph.set(from, new Set([to]));
  };
  for (const object of objects) {
    const key = keyOf(object);
    const namespace = object.metadata.namespace ?? "";
    const names = [clusterOf(object), ownerCluster(object)];
    for (const name of names) if (name !== undefined) link(`${Cluster.kind}/${namespace}/${name}`, key);
    for (const reference of referencesIn(object["spec"])) {
      link(key, `${reference.kind}/${reference.namespace ?? namespace}/${reference.name}`);
    }
  }
  return graph;
}

function ownerCluster(object: GivenObject): string | undefined {
  const label = metadataOf(object)["labels"];
  const named = isJsonObject(label) ? label["cluster.x-k8s.io/cluster-name"] : undefined;
  if (typeof named === "string") return named;
  return ownersOf(object).find(({ kind }) => kind === Cluster.kind)?.name;
}

interface Reference {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** The objects that a value names by kind and name. */
export function referencesIn(value: unknown): readonly Reference[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isJsonObject(value)) return [];
  const { kind, name, namespace } = value;
  const own =
    typeof kind === "string" && typeof name === "string"
      ? [{ kind, name, ...(typeof namespace === "string" && { namespace }) }]
      : [];
  return [...own, ...Object.values(value).flatMap(referencesIn)];
}

function membersOf(graph: Graph, start: string): ReadonlySet<string> {
  const reached = new Set([start]);
  const pending = [start];
  for (let key = pending.pop(); key !== undefined; key = pending.pop()) {
    for (const next of graph.get(key) ?? []) {
      if (reached.has(next)) continue;
      reached.add(next);
      // Two Clusters may share an identity; the one does not belong to the other.
      if (!next.startsWith(`${Cluster.kind}/`)) pending.push(next);
    }
  }
  return reached;
}
