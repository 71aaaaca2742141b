import type { TSchema } from "./schema.ts";

type Plain = Record<string, unknown>;

/**
 * A schema in which lists, and objects without required fields, may not be empty, as in v1beta2 of Cluster API: a field that
 * is not set is left out. Fields of the given names are excepted.
 */
export function nonEmpty<S extends TSchema>(schema: S, except: readonly string[] = []): S {
  const copy = JSON.parse(JSON.stringify(schema)) as Plain;
  tighten(copy, new Set(except));
  return copy as unknown as S;
}

function tighten(node: Plain, except: ReadonlySet<string>): void {
  const properties = (node["properties"] ?? {}) as Record<string, Plain>;
  for (const [name, field] of Object.entries(properties)) {
    tighten(field, except);
    if (!except.has(name)) forbidEmpty(field);
  }
  const items = node["items"] as Plain | undefined;
  if (!items) return;
  tighten(items, except);
  if (items["type"] === "array") forbidEmpty(items);
}

function forbidEmpty(field: Plain): void {
  const required = (field["required"] ?? []) as unknown[];
  if (field["type"] === "array") field["minItems"] ??= 1;
  if (field["properties"] && required.length === 0) field["minProperties"] ??= 1;
}
