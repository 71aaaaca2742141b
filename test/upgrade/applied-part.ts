import { deepEqual, isJsonObject, type JsonObject } from "@capstan/api";

/** An entry of `metadata.managedFields`. */
export interface OwnerEntry {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
  readonly subresource?: string;
  readonly fieldsV1: JsonObject;
}

/** The owners of an object's fields. */
export function ownersOf(object: {
  readonly metadata: { readonly managedFields?: readonly unknown[] };
}): OwnerEntry[] {
  return (object.metadata.managedFields ?? []) as OwnerEntry[];
}

/** The configuration that a manager has applied, as far as the owners tell: the part of the object that it owns. */
export function appliedPart(object: JsonObject, { fieldsV1 }: OwnerEntry): JsonObject {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace } = metadata as JsonObject;
  const part = ownedPart(object, fieldsV1) as JsonObject;
  return {
    ...part,
    apiVersion,
    kind,
    metadata: {
      ...(part["metadata"] as JsonObject | undefined),
      name,
      ...(namespace !== undefined && { namespace }),
    },
  };
}

function ownedPart(value: unknown, fields: JsonObject): unknown {
  const keys = Object.keys(fields).filter((key) => key !== ".");
  if (keys.length === 0) return value;
  const under = (key: string): JsonObject => fields[key] as JsonObject;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return keys.flatMap((key): readonly unknown[] => {
      const wanted = JSON.parse(key.slice(2)) as unknown;
      if (key.startsWith("v:")) return items.filter((item) => deepEqual(item, wanted));
      return items
        .filter((item) =>
          Object.entries(wanted as object).every(([name, text]) => isJsonObject(item) && item[name] === text),
        )
        .map((item) => ({ ...(ownedPart(item, under(key)) as object), ...(wanted as object) }));
    });
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    keys
      .map((key) => [key.slice(2), key] as const)
      .filter(([name]) => value[name] !== undefined)
      .map(([name, key]) => [name, ownedPart(value[name], under(key))]),
  );
}
