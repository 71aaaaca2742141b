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
  readonly required?: readonly string[];
}

// Objects that every object of their kind has, also if nothing is set in them.
const ALWAYS_PRESENT: ReadonlySet<string> = new Set(["spec", "template"]);

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
    if (isForbiddenEmpty(inner, field) && !ALWAYS_PRESENT.has(name)) delete (value as Fields)[name];
  }
}

function schemaOf({ properties, additionalProperties }: Schema, name: string): Schema | undefined {
  if (properties && Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}

function isForbiddenEmpty(schema: Schema, value: unknown): boolean {
  return isEmpty(value) && smallestOf(schema, value) > 0;
}

function isEmpty(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === "" || value === 0;
}

/** The least length, number of items or fields, or value that the schema allows. */
function smallestOf(schema: Schema, value: unknown): number {
  const { minLength = 0, minItems = 0, minimum = 0 } = schema;
  if (Array.isArray(value)) return minItems;
  if (typeof value === "object") return Math.max(schema.minProperties ?? 0, schema.required?.length ?? 0);
  return typeof value === "string" ? minLength : minimum;
}
