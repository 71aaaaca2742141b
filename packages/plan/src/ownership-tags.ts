import { HASH_TAG, isJsonObject, type JsonObject } from "@capstan/api";

/** Tags of a resource, by name. */
export type Tags = Readonly<Record<string, string>>;

// Cluster API's Azure provider sets these on its resources, so that both providers recognize each other's resources.
const PREFIX = "sigs.k8s.io_cluster-api-provider-azure_";
const ROLE_TAG = `${PREFIX}role`;

// Clusters of the same name in several namespaces have the same tag of ownership, so this tag distinguishes them.
const CLUSTER_TAG = "capstan_cluster";

/** The owner of resources. */
export interface Owner {
  readonly clusterName: string;
  /** The cluster with its namespace, `default/quay`. */
  readonly clusterKey: string;
}

/** The tag that says to which cluster a resource belongs. */
export function ownershipTag(clusterName: string): string {
  return `${PREFIX}cluster_${clusterName}`;
}

/** The tags of a resource of a cluster; the tags of ownership take precedence over the user's. */
export function tagsOf(
  { clusterName, clusterKey, additionalTags = {} }: Owner & { readonly additionalTags?: Tags },
  role: string | undefined,
  name?: string,
): Tags {
  return {
    ...additionalTags,
    [ownershipTag(clusterName)]: "owned",
    [CLUSTER_TAG]: clusterKey,
    ...(role !== undefined && { [ROLE_TAG]: role }),
    ...(name !== undefined && { Name: name }),
  };
}

/** Whether a resource has the tag of this cluster, and not that of a cluster of the same name. */
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
function tagIn(body: JsonObject, desired: string): string | undefined {
  return Object.entries(tagsIn(body)).find(([name]) => name.toLowerCase() === desired.toLowerCase())?.[1];
}

/** The tags of a resource without the one that identifies a write. */
export function tagsIn(body: JsonObject): Tags {
  const tags = isJsonObject(body["tags"]) ? body["tags"] : {};
  return Object.fromEntries(
    Object.entries(tags).flatMap(([name, value]): [string, string][] =>
      typeof value === "string" && name !== HASH_TAG ? [[name, value]] : [],
    ),
  );
}

/**
 * The desired tags of a resource: tags that were applied and are no longer desired are removed, desired tags are set, and
 * tags of other clients stay.
 */
export function mergedTags(observed: Tags, desired: Tags, lastApplied: Tags): Tags {
  const desiredNames = new Set(Object.keys(desired).map((name) => name.toLowerCase()));
  const ours = new Set(Object.keys(lastApplied).map((name) => name.toLowerCase()));
  const others = Object.entries(observed).filter(
    ([name]) => !desiredNames.has(name.toLowerCase()) && !ours.has(name.toLowerCase()),
  );
  return { ...Object.fromEntries(others), ...desired };
}
