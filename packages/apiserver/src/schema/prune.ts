import type { SchemaNode } from "./node.ts";
import { REPORTED_FIELDS_LIMIT } from "./reported-fields.ts";

type Fields = Record<string, unknown>;

/** The fields of every Kubernetes object, even if its schema does not list them. */
export const OBJECT_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/**
 * Removes unknown fields from an object, and returns the paths of the first ones. It also removes nulls that the schema does not allow,
 * unless a default replaces them; these are not reported, because they mean the same as a missing field.
 */
export function prune(
  node: SchemaNode,
  object: Fields,
  { keepsNulls = false }: { readonly keepsNulls?: boolean } = {},
): string[] {
  const pruning: Pruning = { path: [], dropped: [], keepsNulls };
  // The object itself is treated like an embedded one.
  pruneFields(pruning, { ...node, embedded: true }, object);
  return pruning.dropped.sort();
}

/** Removes unknown fields from any value, and returns whether there were any. */
export function pruneValue(node: SchemaNode, value: unknown): boolean {
  const pruning: Pruning = { path: [], dropped: [], keepsNulls: false };
  if (typeof value === "object" && value !== null) enter(pruning, { node, isOpen: false }, value);
  return pruning.dropped.length > 0;
}

interface Pruning {
  readonly path: (string | number)[];
  readonly dropped: string[];
  readonly keepsNulls: boolean;
}

/** `isOpen` inside an open list. */
interface Place {
  readonly node: SchemaNode | undefined;
  readonly isOpen: boolean;
}

function enter(pruning: Pruning, { node, isOpen }: Place, value: object): void {
  if (Array.isArray(value)) pruneItems(pruning, { node, isOpen: isOpen || node?.open === true }, value);
  else if (node) pruneFields(pruning, isOpen && !node.open ? { ...node, open: true } : node, value as Fields);
  else if (!isOpen) dropAll(pruning, value as Fields);
}

function pruneItems(pruning: Pruning, { node, isOpen }: Place, list: readonly unknown[]): void {
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    if (typeof item !== "object" || item === null) continue;
    pruning.path.push(index);
    enter(pruning, { node: node?.items, isOpen }, item);
    pruning.path.pop();
  }
}

function pruneFields(pruning: Pruning, node: SchemaNode, object: Fields): void {
  const { properties, additional, open, embedded } = node;
  for (const name in object) {
    if (embedded && OBJECT_FIELDS.has(name)) continue;
    const schema = properties.get(name) ?? additional;
    if (schema !== undefined) pruneField(pruning, schema, { object, name });
    else if (!open) drop(pruning, object, name);
  }
}

function pruneField(
  pruning: Pruning,
  schema: SchemaNode | "any",
  { object, name }: { readonly object: Fields; readonly name: string },
): void {
  const value = object[name];
  if (typeof value !== "object") return;
  const node = schema === "any" ? undefined : schema;
  if (value === null) {
    const isMissing = node && !node.nullable && node.default === undefined;
    if (isMissing && !pruning.keepsNulls) delete object[name];
    return;
  }
  // Frozen parts are stored ones, and have been pruned before.
  if (Object.isFrozen(value)) return;
  pruning.path.push(name);
  enter(pruning, { node, isOpen: false }, value);
  pruning.path.pop();
}

function dropAll(pruning: Pruning, object: Fields): void {
  for (const name of Object.keys(object)) drop(pruning, object, name);
}

function drop({ path, dropped }: Pruning, object: Fields, name: string): void {
  delete object[name];
  if (dropped.length >= REPORTED_FIELDS_LIMIT) return;
  let text = "";
  for (const step of [...path, name]) {
    if (typeof step === "number") text += `[${step}]`;
    else text += text === "" ? step : `.${step}`;
  }
  dropped.push(text);
}
