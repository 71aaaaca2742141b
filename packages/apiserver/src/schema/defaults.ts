import { assignOwn, deepCopy } from "@capstan/api";
import type { SchemaNode } from "./node.ts";

type Fields = Record<string, unknown>;

/** Sets the defaults of a schema: for missing values, and for nulls that are not allowed. */
export function applyDefaults(node: SchemaNode, value: unknown): void {
  if (!node.has.defaults || typeof value !== "object" || value === null) return;
  // Frozen parts are stored ones, and have their defaults.
  if (Object.isFrozen(value)) return;
  if (Array.isArray(value)) defaultItems(node, value);
  else defaultFields(node, value as Fields);
}

function defaultItems({ items }: SchemaNode, list: unknown[]): void {
  if (!items) return;
  for (let index = 0; index < list.length; index++) {
    if (list[index] === null && takesDefault(items)) list[index] = deepCopy(items.default);
    applyDefaults(items, list[index]);
  }
}

function defaultFields({ properties, additional, defaulted }: SchemaNode, object: Fields): void {
  for (const [name, child] of defaulted) {
    const isMissing = !Object.hasOwn(object, name) || (object[name] === null && takesDefault(child));
    if (isMissing) assignOwn(object, name, deepCopy(child.default));
  }
  for (const name in object) {
    const child = properties.get(name);
    if (child) applyDefaults(child, object[name]);
    else if (additional !== undefined && additional !== "any") defaultEntry(additional, object, name);
  }
}

function defaultEntry(schema: SchemaNode, object: Fields, name: string): void {
  if (object[name] === null && takesDefault(schema)) object[name] = deepCopy(schema.default);
  applyDefaults(schema, object[name]);
}

/** Whether the default replaces a null. */
function takesDefault(schema: SchemaNode): boolean {
  return !schema.nullable && schema.default !== undefined;
}
