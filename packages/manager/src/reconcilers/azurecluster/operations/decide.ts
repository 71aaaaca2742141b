import { isFinal, normalizedId } from "@capstan/azure";
import { isJsonObject, type JsonObject } from "@capstan/api";
import { mergeDesired, withoutNamed } from "../model/merge-desired.ts";
import type { LastApplied } from "../model/last-applied.ts";
import type { DesiredResource } from "../model/resource.ts";
import { isOwned, mergedTags, namesakeIn, type Owner, ownershipTag, type Tags, tagsIn } from "@capstan/plan";

/** A resource as Azure showed it; without a body it does not exist. */
export interface ObservedResource {
  readonly body?: JsonObject;
  readonly etag?: string;
}

/** The input of the decision about the resources. */
export interface Scene {
  readonly owner: Owner;
  /** Dependencies come before their dependants. */
  readonly desired: readonly DesiredResource[];
  /** By normalized id; a resource that is missing here was not read. */
  readonly seen: ReadonlyMap<string, ObservedResource>;
  readonly lastApplied: LastApplied;
  /** Normalized ids of resources with a running operation of the cluster. */
  readonly underWay: ReadonlySet<string>;
  /** Normalized ids of resources that Azure has refused, with the reason; they wait until the others are done. */
  readonly refused: ReadonlyMap<string, string>;
  /** The normalized id of the virtual network. */
  readonly networkID?: string | undefined;
}

/** The decision about one resource, and the reason. */
export type Decision = { readonly resource: DesiredResource; readonly why: string } & (
  | { readonly do: "put"; readonly body: JsonObject; readonly isNew: boolean; readonly etag?: string }
  | { readonly do: "patchTags"; readonly tags: Tags; readonly etag?: string }
  /** It matches the spec. */
  | { readonly do: "keep"; readonly isForeign: boolean }
  /** It must wait for another resource or operation. */
  | { readonly do: "wait" }
  /** A user must change something. */
  | { readonly do: "refuse"; readonly reason: string }
);

/** Decides about every resource of a cluster; in a settled cluster all are kept. */
export function decide(scene: Scene): readonly Decision[] {
  const isNetworkForeign = hasForeignNetwork(scene);
  const ready = new Set<string>();
  return scene.desired.map((resource) => {
    const decision = decideOne(scene, resource, { ready, isNetworkForeign });
    if (decision.do === "keep") ready.add(normalizedId(resource.id));
    return decision;
  });
}

/** Whether the virtual network exists without the cluster's tag: then a user owns it. */
function hasForeignNetwork({ networkID, seen, owner }: Scene): boolean {
  const body = networkID === undefined ? undefined : seen.get(networkID)?.body;
  return body !== undefined && !isOwned(body, owner);
}

interface Progress {
  readonly ready: ReadonlySet<string>;
  readonly isNetworkForeign: boolean;
}

function decideOne(scene: Scene, resource: DesiredResource, { ready, isNetworkForeign }: Progress): Decision {
  const id = normalizedId(resource.id);
  if (resource.isPartOfNetwork && isNetworkForeign) {
    return {
      do: "keep",
      resource,
      isForeign: true,
      why: "the virtual network and its parts belong to a user",
    };
  }
  if (scene.underWay.has(id)) return { do: "wait", resource, why: "Azure is working on it" };
  const refusal = scene.refused.get(id);
  if (refusal !== undefined) return { do: "refuse", resource, reason: "Failed", why: refusal };
  // A user's network depends only on the resource group.
  const isForeign = id === scene.networkID && isNetworkForeign;
  const missing = isForeign ? undefined : resource.dependsOn.find((other) => !ready.has(normalizedId(other)));
  if (missing !== undefined) return { do: "wait", resource, why: `it needs ${shortName(missing)} first` };
  const observed = scene.seen.get(id);
  if (!observed) return { do: "wait", resource, why: "it has not been read yet" };
  if (!observed.body) {
    const body = { ...resource.atCreation, ...resource.body };
    return { do: "put", resource, body, isNew: true, why: "it does not exist" };
  }
  return decideExisting(scene, resource, { ...observed, body: observed.body });
}

function decideExisting(
  scene: Scene,
  resource: DesiredResource,
  observed: ObservedResource & { readonly body: JsonObject },
): Decision {
  const state = stateOf(observed.body);
  const isForeign = !resource.hasNoTags && !isOwned(observed.body, scene.owner);
  const decision = isForeign
    ? decideForeign(scene, resource, observed)
    : decideOwn(scene, resource, observed);
  // Other clients, mainly the cloud provider, may change a resource as long as it matches the spec.
  if (isFinal(state) || (decision.do === "keep" && state !== "Deleting")) return decision;
  return { do: "wait", resource, why: `another client is changing it: it is ${state}` };
}

function decideForeign(
  { owner }: Scene,
  resource: DesiredResource,
  { body = {} }: ObservedResource,
): Decision {
  const namesake = namesakeIn(body, owner);
  if (namesake !== undefined) {
    const why = `${shortName(resource.id)} belongs to the cluster ${namesake}; give one of the clusters another name, for example in spec.resourceGroup`;
    return { do: "refuse", resource, reason: "ResourceNotOwned", why };
  }
  if (resource.ifForeign === "refuse") {
    const tag = `${ownershipTag(owner.clusterName)}: owned`;
    const why = `${shortName(resource.id)} already exists and the cluster does not own it; choose another name, or add the tag ${tag} to hand it over`;
    return { do: "refuse", resource, reason: "ResourceNotOwned", why };
  }
  const missing = missingSubnet(resource.body, body);
  if (missing !== undefined) {
    const why = `${shortName(resource.id)} has no subnet ${JSON.stringify(missing)}, and the cluster does not own it; create the subnet, or set an existing one in spec.networkSpec.subnets`;
    return { do: "refuse", resource, reason: "SubnetNotFound", why };
  }
  return { do: "keep", resource, isForeign: true, why: "the cluster does not own it and uses it as it is" };
}

function decideOwn(
  { lastApplied }: Scene,
  resource: DesiredResource,
  { body, etag }: ObservedResource & { readonly body: JsonObject },
): Decision {
  const properties = desiredProperties(resource, body, lastApplied);
  const observedTags = tagsIn(body);
  const tags = mergedTags(observedTags, tagsIn(resource.body), lastApplied.tags);
  const areTagsRight = resource.hasNoTags === true || sameTags(observedTags, tags);
  const state = stateOf(body);
  const precondition = etag === undefined ? {} : { etag };
  if (properties !== body["properties"] || state === "Failed" || state === "Canceled") {
    const { id: _id, name: _name, type: _type, etag: _etag, ...rest } = body;
    const merged = { ...rest, properties, ...(!resource.hasNoTags && { tags }) };
    const why = properties === body["properties"] ? `it is ${state}` : "it differs from the spec";
    return { do: "put", resource, body: merged, isNew: false, ...precondition, why };
  }
  if (!areTagsRight)
    return { do: "patchTags", resource, tags, ...precondition, why: "its tags differ from the spec" };
  return { do: "keep", resource, isForeign: false, why: "it matches the spec" };
}

/** The properties with the desired ones merged in; the same object when they already match. */
function desiredProperties(resource: DesiredResource, body: JsonObject, lastApplied: LastApplied): unknown {
  const observed = body["properties"];
  const desired = resource.body["properties"];
  if (!isJsonObject(observed) || !isJsonObject(desired)) return observed ?? desired;
  const kept = Object.entries(retiredIn(resource, lastApplied)).reduce<JsonObject>(
    (properties, [list, names]) => {
      const rest = withoutNamed(properties[list], new Set(names.map((name) => name.toLowerCase())));
      return rest === properties[list] ? properties : { ...properties, [list]: rest };
    },
    observed,
  );
  return mergeDesired(kept, shapedLike(kept, desired));
}

/** Names of items that were written once and have been removed from the spec, by list. */
function retiredIn(
  resource: DesiredResource,
  { rules }: LastApplied,
): Readonly<Record<string, readonly string[]>> {
  const group = Object.entries(rules).find(([name]) =>
    normalizedId(resource.id).endsWith(`/networksecuritygroups/${name.toLowerCase()}`),
  );
  if (!group) return resource.retired ?? {};
  const desired = new Set(namesIn(resource.body, "securityRules"));
  return { securityRules: Object.keys(group[1]).filter((name) => !desired.has(name)) };
}

/** Azure shows the range of a subnet in the field in which it was first written. */
function shapedLike(observed: JsonObject, desired: JsonObject): JsonObject {
  const { subnets } = desired;
  const existing = observed["subnets"];
  if (!Array.isArray(subnets) || !Array.isArray(existing)) return desired;
  const shaped = subnets.filter(isJsonObject).map((subnet) => {
    const other = existing.filter(isJsonObject).find(({ name }) => name === subnet["name"]);
    const { addressPrefix, ...rest } = propertiesOf(subnet);
    const isPlural =
      propertiesOf(other)["addressPrefixes"] !== undefined &&
      propertiesOf(other)["addressPrefix"] === undefined;
    if (addressPrefix === undefined || !isPlural) return subnet;
    return { ...subnet, properties: { ...rest, addressPrefixes: [addressPrefix] } };
  });
  return { ...desired, subnets: shaped };
}

function missingSubnet(desired: JsonObject, observed: JsonObject): string | undefined {
  const there = new Set(namesIn(observed, "subnets").map((name) => name.toLowerCase()));
  return namesIn(desired, "subnets").find((name) => !there.has(name.toLowerCase()));
}

function namesIn(body: JsonObject, list: string): readonly string[] {
  const items = propertiesOf(body)[list];
  return Array.isArray(items) ? items.filter(isJsonObject).map(({ name }) => String(name)) : [];
}

function propertiesOf(body: JsonObject | undefined): JsonObject {
  const properties = body?.["properties"];
  return isJsonObject(properties) ? properties : {};
}

function stateOf(body: JsonObject): string {
  const state = propertiesOf(body)["provisioningState"];
  return typeof state === "string" ? state : "";
}

function sameTags(left: Tags, right: Tags): boolean {
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every((name) => left[name] === right[name]);
}

/** The last type and name of an id, such as `virtualNetworks/net`. */
export function shortName(id: string): string {
  return id.split("/").slice(-2).join("/");
}
