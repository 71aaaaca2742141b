/** The ARM id of an object of Azure Service Operator. Pure, except for reads of the cache. */
import { type AsoObject, type Frozen, groupOf, isJsonObject, type JsonObject } from "@capstan/api";
import type { CacheReader } from "@capstan/runtime";
import { type AsoResourceType, asoResourceType } from "@capstan/plan";

/** Why an object has no ARM id yet. */
export interface MissingOwner {
  readonly owner: string;
}

/** The id of an object: that of its owner, the type, the name. */
export function armIdOf(
  object: Frozen<AsoObject>,
  { cache, subscriptionID }: { readonly cache: CacheReader; readonly subscriptionID: string },
): string | MissingOwner {
  const type = asoResourceType({ group: groupOf(object.apiVersion), kind: object.kind });
  if (!type) return { owner: object.kind };
  const name = object.spec.azureName ?? object.metadata.name;
  const owner = ownerId(object, type, { cache, subscriptionID });
  return typeof owner === "string" ? `${owner}${type.path}/${name}` : owner;
}

function ownerId(
  object: Frozen<AsoObject>,
  type: AsoResourceType,
  options: { readonly cache: CacheReader; readonly subscriptionID: string },
): string | MissingOwner {
  const { ownerKind } = type;
  if (!ownerKind) return `/subscriptions/${options.subscriptionID}`;
  const { armId, name } = object.spec.owner ?? {};
  if (armId) return armId;
  const owner = ownerOf(object, type, options.cache);
  return owner
    ? armIdOf(owner, options)
    : { owner: `${ownerKind.kind} ${name ?? "(spec.owner.name is not set)"}` };
}

/** The object that `spec.owner` names; undefined while it does not exist, or if the owner is an ARM id. */
export function ownerOf(
  { spec, metadata: { namespace } }: Frozen<AsoObject>,
  { ownerKind }: AsoResourceType,
  cache: CacheReader,
): Frozen<AsoObject> | undefined {
  const { armId, name } = spec.owner ?? {};
  return ownerKind && !armId && name !== undefined ? cache.get(ownerKind, { name, namespace }) : undefined;
}

/** Finds the id behind a reference to another object in the same namespace. */
export function referenceResolver(
  { metadata }: Frozen<AsoObject>,
  options: { readonly cache: CacheReader; readonly subscriptionID: string },
): (reference: JsonObject) => string | undefined {
  return (reference) => {
    const { group, kind, name } = reference;
    const type = asoResourceType({ group: String(group), kind: String(kind) });
    const object =
      type && typeof name === "string"
        ? options.cache.get(type.kind, { name, namespace: metadata.namespace })
        : undefined;
    const id = object && armIdOf(object, options);
    return typeof id === "string" ? id : undefined;
  };
}

/** Which api-version of ARM the object asks for: that of the newest version in which a client has written it. */
export function writtenVersion(object: Frozen<AsoObject>, type: AsoResourceType): string {
  const entries: readonly unknown[] = object.metadata.managedFields ?? [];
  const versions = entries.flatMap((entry) => {
    if (!isJsonObject(entry) || entry["subresource"] !== undefined) return [];
    const fields = entry["fieldsV1"];
    const isSpec = isJsonObject(fields) && fields["f:spec"] !== undefined;
    return isSpec && typeof entry["apiVersion"] === "string"
      ? [entry["apiVersion"].split("/").at(-1) ?? ""]
      : [];
  });
  return versions.toSorted((a, b) => dateIn(a) - dateIn(b)).at(-1) ?? type.kind.version;
}

function dateIn(version: string): number {
  return Number(/\d{8}/.exec(version)?.[0] ?? 0);
}
