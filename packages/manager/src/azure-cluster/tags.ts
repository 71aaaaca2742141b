import { isJsonObject } from "@capstan/api";
import { HASH_TAG } from "../azure/operations/wanted.ts";
import type { JsonObject } from "../azure/port.ts";

/** Tags of a resource, by name. */
export type Tags = Readonly<Record<string, string>>;

// Cluster API's Azure provider puts these on everything it makes, so that what one of the two made is known to the other.
const PREFIX = "sigs.k8s.io_cluster-api-provider-azure_";
const ROLE_TAG = `${PREFIX}role`;

// Clusters of one name may be in several namespaces, and all of them have the same tag of ownership.
const CLUSTER_TAG = "capstan_cluster";

/** Whose resources they are. */
export interface Owner {
  readonly clusterName: string;
  /** The cluster with its namespace, `default/quay`. */
  readonly clusterKey: string;
}

/** The tag that says to which cluster a resource belongs. */
export function ownershipTag(clusterName: string): string {
  return `${PREFIX}cluster_${clusterName}`;
}

/** The tags that Capstan puts on a resource of a cluster; those of ownership are stronger than the user's. */
export function tagsOf(
  { clusterName, clusterKey, additionalTags = {} }: Owner & { readonly additionalTags?: Tags },
  role: string,
  name?: string,
): Tags {
  return {
    ...additionalTags,
    [ownershipTag(clusterName)]: "owned",
    [CLUSTER_TAG]: clusterKey,
    [ROLE_TAG]: role,
    ...(name !== undefined && { Name: name }),
  };
}

/** Whether a resource bears the tag of this very cluster, and that of no other of its name. */
export function isOwned(body: JsonObject, owner: Owner): boolean {
  return bearsNameOf(body, owner) && namesakeIn(body, owner) === undefined;
}

/** The cluster of the same name, in another namespace, that a resource belongs to. */
export function namesakeIn(body: JsonObject, owner: Owner): string | undefined {
  const key = tagIn(body, CLUSTER_TAG);
  return key === owner.clusterKey || !bearsNameOf(body, owner) ? undefined : key;
}

function bearsNameOf(body: JsonObject, { clusterName }: Owner): boolean {
  return tagIn(body, ownershipTag(clusterName)) === "owned";
}

/** Azure ignores the case of names of tags. */
function tagIn(body: JsonObject, wanted: string): string | undefined {
  return Object.entries(tagsIn(body)).find(([name]) => name.toLowerCase() === wanted.toLowerCase())?.[1];
}

/** The tags of a resource without the one by which a write is known again. */
export function tagsIn(body: JsonObject): Tags {
  const tags = isJsonObject(body["tags"]) ? body["tags"] : {};
  return Object.fromEntries(
    Object.entries(tags).flatMap(([name, value]): [string, string][] =>
      typeof value === "string" && name !== HASH_TAG ? [[name, value]] : [],
    ),
  );
}

/**
 * What the tags of a resource are to be: those that were ours and are not wanted any more go, those wanted come, and
 * all others stay as somebody else set them.
 */
export function mergedTags(observed: Tags, wanted: Tags, lastApplied: Tags): Tags {
  const wantedNames = new Set(Object.keys(wanted).map((name) => name.toLowerCase()));
  const ours = new Set(Object.keys(lastApplied).map((name) => name.toLowerCase()));
  const others = Object.entries(observed).filter(
    ([name]) => !wantedNames.has(name.toLowerCase()) && !ours.has(name.toLowerCase()),
  );
  return { ...Object.fromEntries(others), ...wanted };
}
