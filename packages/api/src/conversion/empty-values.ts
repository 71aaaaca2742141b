import { isJsonObject } from "../values/json-object.ts";
import type { Fields } from "./field-path.ts";

/** The keywords of a schema that say that a value must not be empty. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly minProperties?: number;
  readonly minimum?: number;
}

/**
 * Removes values that mean "not set" in an older version and that the schema of the newer one forbids: empty texts, lists
 * and objects, and zeros. Items of lists stay.
 */
export function dropForbiddenEmpties(schema: unknown, value: unknown): void {
  const node = schema as Schema;
  if (Array.isArray(value)) {
    if (node.items) for (const item of value) dropForbiddenEmpties(node.items, item);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const [name, field] of Object.entries(value)) {
    const inner = schemaOf(node, name);
    if (!inner) continue;
    dropForbiddenEmpties(inner, field);
    if (isForbiddenEmpty(inner, field)) delete (value as Fields)[name];
  }
}

function schemaOf({ properties, additionalProperties }: Schema, name: string): Schema | undefined {
  if (properties && Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}

function isForbiddenEmpty(
  { minLength = 0, minItems = 0, minProperties = 0, minimum = 0 }: Schema,
  value: unknown,
): boolean {
  if (value === "") return minLength > 0;
  if (value === 0) return minimum > 0;
  if (Array.isArray(value)) return value.length === 0 && minItems > 0;
  return isJsonObject(value) && minProperties > 0 && Object.keys(value).length === 0;
}
