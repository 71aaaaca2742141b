/** An object of Azure Service Operator as the PUT that it becomes. Pure. */
import { type AsoObject, type Frozen, isJsonObject, type JsonObject } from "@capstan/api";
import type { AsoResourceType } from "./resource-types.ts";

/** Finds the ARM id that a reference leads to; undefined while the object or its id does not exist. */
export type ResolveReference = (reference: JsonObject) => string | undefined;

/** A reference that leads nowhere yet. */
export class UnresolvedReference extends Error {
  override readonly name = "UnresolvedReference";
}

/** The fields of a spec that stay at the top of the body; all others go under `properties`. */
const TOP_LEVEL = ["location", "tags", "identity", "kind", "sku", "extendedLocation"];

/** The fields of a spec that only Azure Service Operator reads. */
const NOT_SENT = ["azureName", "owner", "operatorSpec", "originalVersion"];

/** References whose field in Azure ends in `ID`; the names of all others end in `Id`. */
const UPPER_CASE_IDS = [
  "vnetSubnet",
  "podSubnet",
  "diskEncryptionSet",
  "nodePublicIPPrefix",
  "proximityPlacementGroup",
  "capacityReservationGroup",
  "hostGroup",
];

/** The body of the PUT. Throws an UnresolvedReference. */
export function armBody(
  { spec, metadata }: Frozen<AsoObject>,
  type: AsoResourceType,
  resolve: ResolveReference,
): JsonObject {
  // The tags of a pool are properties, beside its labels.
  const isTop = (name: string): boolean =>
    TOP_LEVEL.includes(name) && !(name === "tags" && hasInnerTags(type));
  const fields = Object.entries(converted(spec, resolve)).filter(([name]) => !NOT_SENT.includes(name));
  const properties = propertiesOf(
    fields.filter(([name]) => !isTop(name)),
    type,
  );
  const body: Record<string, unknown> = {
    ...(type.explicitPool && { tags: {} }),
    ...Object.fromEntries(fields.filter(([name]) => isTop(name))),
    name: spec.azureName ?? metadata.name,
  };
  if (isJsonObject(body["identity"])) body["identity"] = identityOf(body["identity"]);
  return Object.keys(properties).length === 0 ? body : { ...body, properties };
}

function hasInnerTags({ explicit }: AsoResourceType): boolean {
  return explicit !== undefined && "tags" in explicit;
}

function propertiesOf(
  fields: readonly [string, unknown][],
  { explicit, explicitPool }: AsoResourceType,
): JsonObject {
  const properties: Record<string, unknown> = { ...explicit, ...Object.fromEntries(fields) };
  const pools = properties["agentPoolProfiles"];
  if (!explicitPool || !Array.isArray(pools)) return properties;
  const agentPoolProfiles = pools.map((pool) => ({ ...explicitPool, ...(pool as JsonObject) }));
  return { ...properties, agentPoolProfiles };
}

/** The list of user-assigned identities is a map in Azure, keyed by id. */
function identityOf(identity: JsonObject): JsonObject {
  const { userAssignedIdentities, ...rest } = identity;
  const ids = Array.isArray(userAssignedIdentities)
    ? userAssignedIdentities.flatMap((one) =>
        isJsonObject(one) && typeof one["id"] === "string" ? [one["id"]] : [],
      )
    : [];
  return {
    delegatedResources: null,
    ...rest,
    ...(ids.length > 0 && { userAssignedIdentities: Object.fromEntries(ids.map((id) => [id, {}])) }),
  };
}

function converted(
  value: Readonly<Record<string, unknown>>,
  resolve: ResolveReference,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([name, field]): [string, unknown] => {
      if (/^reference$|Reference$/.test(name) && isJsonObject(field))
        return [idField(name), idOf(field, resolve)];
      if (name.endsWith("References") && Array.isArray(field))
        return [name.replace(/References$/, "Ids"), field.map((one) => idOf(one as JsonObject, resolve))];
      return [name, convertedValue(field, resolve)];
    }),
  );
}

function convertedValue(value: unknown, resolve: ResolveReference): unknown {
  if (Array.isArray(value)) return value.map((item) => convertedValue(item, resolve));
  return isJsonObject(value) ? converted(value, resolve) : value;
}

function idField(name: string): string {
  if (name === "reference") return "id";
  const stem = name.slice(0, -"Reference".length);
  return UPPER_CASE_IDS.includes(stem) ? `${stem}ID` : `${stem}Id`;
}

function idOf(reference: JsonObject, resolve: ResolveReference): string {
  const { armId, kind, name } = reference;
  if (typeof armId === "string" && armId !== "") return armId;
  const id = resolve(reference);
  if (id === undefined)
    throw new UnresolvedReference(`${String(kind)} ${String(name)} does not exist yet, or has no ARM id`);
  return id;
}

/** The api-version of ARM for a version of the kind: v1api20250801 is 2025-08-01, v20251002preview is 2025-10-02-preview. */
export function apiVersionOf(version: string): string {
  const [, year, month, day, suffix = ""] = /(\d{4})(\d{2})(\d{2})([a-z]*)$/.exec(version) ?? [];
  return `${year}-${month}-${day}${suffix === "" ? "" : `-${suffix}`}`;
}
