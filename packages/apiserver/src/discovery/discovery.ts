import { newerFirst } from "@capstan/api";

/** A kind as discovery describes it. */
export interface Discoverable {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly DiscoverableSubresource[];
  /** Whether clients that name no version use this one, although its group has newer ones. */
  readonly isPreferred?: boolean;
  /** Whether a CRD defines it. For its own kinds kube-apiserver omits what the position in the document implies. */
  readonly isCustom: boolean;
}

/** A subresource, which may have another kind than its parent: `pods/eviction` takes an Eviction. */
export interface DiscoverableSubresource {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** The form of discovery that a client requested. */
export type DiscoveryForm = "aggregated" | "legacy" | "none";

/**
 * Clients up to kubectl 1.29 know the aggregated form only as v2beta1, which this server does not have: they get the
 * legacy one. With v2 they would find no resource at all.
 */
export function discoveryForm(accept: string): DiscoveryForm {
  const ranges = accept
    .split(",")
    .map((range) => new Set(range.split(";").map((part) => part.trim().toLowerCase())));
  const isAggregated = (parameters: ReadonlySet<string>): boolean =>
    parameters.has("as=apigroupdiscoverylist");
  if (ranges.some((one) => isAggregated(one) && one.has("g=apidiscovery.k8s.io") && one.has("v=v2")))
    return "aggregated";
  return ranges.every(isAggregated) ? "none" : "legacy";
}

/** The content type of the aggregated form; kubectl checks it. */
export const AGGREGATED_TYPE = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** `/api`, legacy: the versions of the core group. */
export function coreVersions(serverAddress: string): object {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
  };
}

/** `/apis`, legacy: the groups with their versions, the preferred one first. */
export function groupList(kinds: readonly Discoverable[]): object {
  return {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: groupsOf(kinds).map(([name, versions]) => group(name, versions)),
  };
}

/** `/apis/GROUP`, legacy; undefined if there is no such group. */
export function groupDocument(kinds: readonly Discoverable[], name: string): object | undefined {
  const versions = new Map(groupsOf(kinds)).get(name);
  return versions && { kind: "APIGroup", apiVersion: "v1", ...group(name, versions) };
}

/** `/api/v1` and `/apis/GROUP/VERSION`, legacy; undefined if there is no such version. */
export function resourceList(
  kinds: readonly Discoverable[],
  wanted: { group: string; version: string },
): object | undefined {
  const served = kinds.filter((kind) => kind.group === wanted.group && kind.version === wanted.version);
  if (served.length === 0) return undefined;
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: groupVersion(wanted),
    resources: served.flatMap((kind) => [
      resource(kind),
      ...kind.subresources.map((part) => subresource(kind, part)),
    ]),
  };
}

/** `/api` (the core group) or `/apis` (all others) in the aggregated form. */
export function aggregated(kinds: readonly Discoverable[], root: "api" | "apis"): object {
  const shown = kinds.filter((kind) => (kind.group === "") === (root === "api"));
  const items = groupsOf(shown).map(([name, versions]) => ({
    metadata: { ...(name !== "" && { name }) },
    versions: versions.map((version) => ({
      version,
      freshness: "Current",
      resources: shown
        .filter((kind) => kind.group === name && kind.version === version)
        .map(aggregatedResource),
    })),
  }));
  return { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", metadata: {}, items };
}

function groupsOf(kinds: readonly Discoverable[]): [string, string[]][] {
  const groups = new Map<string, Set<string>>();
  const preferred = new Set<string>();
  for (const { group: name, version, isPreferred } of kinds) {
    groups.set(name, (groups.get(name) ?? new Set()).add(version));
    if (isPreferred) preferred.add(`${name}/${version}`);
  }
  const rankOf = (name: string, version: string): number => Number(!preferred.has(`${name}/${version}`));
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, versions]) => [
      name,
      [...versions].sort((a, b) => rankOf(name, a) - rankOf(name, b) || newerFirst(a, b)),
    ]);
}

function group(name: string, versions: readonly string[]): object {
  const entries = versions.map((version) => ({
    groupVersion: groupVersion({ group: name, version }),
    version,
  }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

function groupVersion({ group: name, version }: { group: string; version: string }): string {
  return name === "" ? version : `${name}/${version}`;
}

function resource(kind: Discoverable): object {
  return {
    name: kind.plural,
    singularName: kind.singular,
    namespaced: kind.namespaced,
    kind: kind.kind,
    verbs: kind.verbs,
    ...(kind.shortNames.length > 0 && { shortNames: kind.shortNames }),
    ...(kind.categories.length > 0 && { categories: kind.categories }),
  };
}

function subresource(parent: Discoverable, part: DiscoverableSubresource): object {
  const foreign = part.group !== parent.group || part.version !== parent.version;
  return {
    name: `${parent.plural}/${part.name}`,
    singularName: "",
    namespaced: parent.namespaced,
    ...(foreign && { group: part.group, version: part.version }),
    kind: part.kind,
    verbs: part.verbs,
  };
}

function aggregatedResource(kind: Discoverable): object {
  return {
    resource: kind.plural,
    responseKind: kind.isCustom
      ? { group: kind.group, version: kind.version, kind: kind.kind }
      : { group: "", version: "", kind: kind.kind },
    scope: kind.namespaced ? "Namespaced" : "Cluster",
    singularResource: kind.singular,
    verbs: kind.verbs,
    ...(kind.shortNames.length > 0 && { shortNames: kind.shortNames }),
    ...(kind.categories.length > 0 && { categories: kind.categories }),
    ...(kind.subresources.length > 0 && {
      subresources: kind.subresources.map(({ name, group: of, version, kind: speaksOf, verbs }) => ({
        subresource: name,
        responseKind: { group: of, version, kind: speaksOf },
        verbs,
      })),
    }),
  };
}
