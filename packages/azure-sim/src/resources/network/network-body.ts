import type { Resource } from "../../core/resources.ts";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../json.ts";
import { NETWORK, type NetworkNoun } from "./network-noun.ts";

/** A network resource as Network shows it, its children included. */
export function networkBody(noun: NetworkNoun, resource: Resource): JsonObject {
  const { id: _id, name: _name, type: _type, etag: _etag, properties: _, ...rest } = resource.body;
  const properties: Record<string, unknown> = { ...objectAt(resource.body, "properties") };
  for (const field of noun.children) {
    if (properties[field] !== undefined) {
      properties[field] = objectsAt(properties, field).map((child) =>
        childBody(noun, resource, { field, child }),
      );
    }
  }
  return {
    name: resource.name,
    id: resource.id,
    etag: resource.etag,
    type: resource.type,
    ...rest,
    location: resource.location,
    properties: { ...properties, provisioningState: resource.state },
  };
}

/** A child as Network shows it, on its own or inside its parent. */
export function childBody(
  noun: NetworkNoun,
  resource: Resource,
  { field, child }: { readonly field: string; readonly child: JsonObject },
): JsonObject {
  const name = textAt(child, "name") ?? "";
  return {
    name,
    id: `${resource.id}/${field}/${name}`,
    etag: resource.etag,
    type: `${NETWORK}/${noun.type}/${field}`,
    properties: { ...objectAt(child, "properties"), provisioningState: resource.state },
  };
}

/** The child with that name, in any case. */
export function childNamed(resource: Resource, field: string, name: string): JsonObject | undefined {
  return objectsAt(resource.body, "properties", field).find(
    (child) => textAt(child, "name")?.toLowerCase() === name.toLowerCase(),
  );
}
