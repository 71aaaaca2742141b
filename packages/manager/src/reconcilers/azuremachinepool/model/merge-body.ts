import { isJsonObject, type JsonObject } from "@capstan/api";
import { digest } from "@capstan/azure";
import { tagsIn } from "@capstan/plan";

/** The tag of a scale set: the extensions and identities of our last write, as short digests of their names. */
export const ITEMS_TAG = "capstan_items";

// A tag has at most 256 characters, so it holds 28 digests: more than a model has extensions and identities.
const DIGEST_LENGTH = 8;
const DIGESTS_AT_MOST = 28;

// Azure sets these fields itself.
const READ_ONLY = ["id", "name", "type", "etag", "systemData", "resources"];
const READ_ONLY_PROPERTIES = ["provisioningState", "uniqueId", "timeCreated"];

// The spec of a pool has a field for each of these: when the desired body lacks one, the user does not want it.
const SPEC_FIELDS = new Set([
  "plan",
  "zones",
  "zoneBalance",
  "platformFaultDomainCount",
  "additionalCapabilities",
  "securityProfile",
  "priority",
  "evictionPolicy",
  "billingProfile",
  "scheduledEventsProfile",
  "dataDisks",
]);

// Other clients add fields and items to these parts of a scale set. Every other part is replaced as a whole.
const SHARED_PARTS = new Set([
  "properties",
  "virtualMachineProfile",
  "osProfile",
  "linuxConfiguration",
  "storageProfile",
  "networkProfile",
  "networkInterfaceConfigurations",
  "ipConfigurations",
  "loadBalancerBackendAddressPools",
]);

const SYSTEM_ASSIGNED = "SystemAssigned";
const USER_ASSIGNED = "UserAssigned";

/**
 * The body of a PUT of an existing scale set: the desired body merged into the observed one.
 *
 * Additions of other clients stay, such as backend pools that the cloud provider adds for Services, extensions and
 * identities that a policy adds, and fields that this release does not know. Extensions and identities that our own last
 * write contained, and that the spec no longer has, are removed: the tag of the scale set names them.
 */
export function mergedBody(observed: JsonObject, desired: JsonObject): JsonObject {
  const ours = new Set((tagsIn(observed)[ITEMS_TAG] ?? "").split(","));
  const isForeign = (name: string) => !ours.has(shortDigest(name));
  const { identity: _, ...rest } = desired;
  const merged = mergedObject(writable(observed), rest);
  const identity = mergedIdentity(part(observed, "identity"), part(desired, "identity"), isForeign);
  const properties = part(merged, "properties");
  const profile = part(properties, "virtualMachineProfile");
  const extensions = mergedExtensions(extensionsOf(observed), extensionsOf(desired), isForeign);
  return {
    ...merged,
    ...(identity && { identity }),
    properties: {
      ...properties,
      virtualMachineProfile: {
        ...profile,
        ...(extensions && { extensionProfile: { ...part(profile, "extensionProfile"), extensions } }),
      },
    },
  };
}

/** The value of the tag for a desired body; empty if it has neither extensions nor identities. */
export function itemsTag(desired: JsonObject): string {
  const names = [...extensionsOf(desired).map(keyOf), ...identitiesIn(part(desired, "identity"))];
  return names.map(shortDigest).sort().slice(0, DIGESTS_AT_MOST).join(",");
}

function writable(observed: JsonObject): JsonObject {
  const { identity: _, ...rest } = omit(observed, READ_ONLY);
  return { ...rest, properties: omit(part(observed, "properties"), READ_ONLY_PROPERTIES) };
}

function mergedObject(observed: JsonObject, desired: JsonObject): JsonObject {
  const kept = Object.entries(observed).filter(([field]) => field in desired || !SPEC_FIELDS.has(field));
  const set = Object.entries(desired).map(([field, value]): [string, unknown] => [
    field,
    mergedPart(field, observed[field], value),
  ]);
  return { ...Object.fromEntries(kept), ...Object.fromEntries(set) };
}

function mergedPart(field: string, observed: unknown, desired: unknown): unknown {
  if (!SHARED_PARTS.has(field)) return desired;
  if (Array.isArray(desired)) return Array.isArray(observed) ? mergedList(observed, desired) : desired;
  return isJsonObject(desired) && isJsonObject(observed) ? mergedObject(observed, desired) : desired;
}

/** The desired items, each merged with the observed one of its name, then the items of other clients. */
function mergedList(observed: readonly unknown[], desired: readonly unknown[]): readonly unknown[] {
  const known = new Map(observed.map((item) => [keyOf(item), item]));
  const desiredKeys = new Set(desired.map(keyOf));
  const merged = desired.map((item) => {
    const before = known.get(keyOf(item));
    return isJsonObject(item) && isJsonObject(before) ? mergedObject(before, item) : item;
  });
  return [...merged, ...observed.filter((item) => !desiredKeys.has(keyOf(item)))];
}

type IsForeign = (name: string) => boolean;

/** Our extensions as desired, each as a whole, and those of other clients; undefined if there are none at all. */
function mergedExtensions(
  observed: readonly unknown[],
  desired: readonly unknown[],
  isForeign: IsForeign,
): readonly unknown[] | undefined {
  const desiredKeys = new Set(desired.map(keyOf));
  const others = observed.filter((item) => !desiredKeys.has(keyOf(item)) && isForeign(keyOf(item)));
  return observed.length + desired.length > 0 ? [...desired, ...others] : undefined;
}

/** Our identities as desired, and those of other clients; undefined if there are none at all. */
function mergedIdentity(
  observed: JsonObject,
  desired: JsonObject,
  isForeign: IsForeign,
): JsonObject | undefined {
  const before = identitiesIn(observed);
  const identities = identitiesIn(desired);
  if (before.length + identities.length === 0) return undefined;
  const names = [...new Set([...identities, ...before.filter(isForeign)])];
  const assigned = names.filter((name) => name !== SYSTEM_ASSIGNED.toLowerCase());
  const ids = Object.keys({
    ...part(observed, "userAssignedIdentities"),
    ...part(desired, "userAssignedIdentities"),
  });
  const chosen = ids.filter((id) => assigned.includes(id.toLowerCase()));
  const types = [
    ...(assigned.length < names.length ? [SYSTEM_ASSIGNED] : []),
    ...(chosen.length > 0 ? [USER_ASSIGNED] : []),
  ];
  if (types.length === 0) return { type: "None" };
  // Azure answers with ids of its own for each identity and accepts only empty objects.
  const userAssignedIdentities = Object.fromEntries(chosen.map((id) => [id, {}]));
  return { type: types.join(", "), ...(chosen.length > 0 && { userAssignedIdentities }) };
}

/** The identities of a resource: ARM ids in lower case, and `systemassigned`. */
function identitiesIn(identity: JsonObject): readonly string[] {
  const { type } = identity;
  const isSystem = typeof type === "string" && type.includes(SYSTEM_ASSIGNED);
  const ids = Object.keys(part(identity, "userAssignedIdentities")).map((id) => id.toLowerCase());
  return [...(isSystem ? [SYSTEM_ASSIGNED.toLowerCase()] : []), ...new Set(ids)];
}

function extensionsOf(body: JsonObject): readonly unknown[] {
  const profile = part(part(body, "properties"), "virtualMachineProfile");
  const { extensions } = part(profile, "extensionProfile");
  return Array.isArray(extensions) ? extensions : [];
}

/** The name or id of a list item, ignoring case as Azure does. */
function keyOf(item: unknown): string {
  const key = isJsonObject(item) ? (item["name"] ?? item["id"]) : undefined;
  return typeof key === "string" ? key.toLowerCase() : "";
}

function shortDigest(name: string): string {
  return digest(name).slice(0, DIGEST_LENGTH);
}

/** The object in a field; an empty one if there is none. */
export function part(value: JsonObject, field: string): JsonObject {
  const inner = value[field];
  return isJsonObject(inner) ? inner : {};
}

function omit(value: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([field]) => !fields.includes(field)));
}
