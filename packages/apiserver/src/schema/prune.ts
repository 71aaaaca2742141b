import type { SchemaNode } from "./node.ts";

type Fields = Record<string, unknown>;

/** What every Kubernetes object has, whether its schema says so or not. */
export const OBJECT_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/**
 * Takes out of an object what its schema does not know, and answers with the paths of that. Nulls
 * where the schema allows none go as well, unless a default is to take their place; they are not
 * worth a word, because they say the same as nothing at all.
 */
export function prune(node: SchemaNode, object: Fields): string[] {
  const pruning: Pruning = { path: [], dropped: [] };
  // The object itself is one as those embedded in it are.
  pruneFields(pruning, { ...node, embedded: true }, object);
  return pruning.dropped.sort();
}

/** Takes out of any value what its schema does not know, and says whether that was anything. */
export function pruneValue(node: SchemaNode, value: unknown): boolean {
  const pruning: Pruning = { path: [], dropped: [] };
  if (typeof value === "object" && value !== null) enter(pruning, { node, isOpen: false }, value);
  return pruning.dropped.length > 0;
}

interface Pruning {
  readonly path: (string | number)[];
  readonly dropped: string[];
}

/** `isOpen` where an open list has opened what is in it. */
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
    if (node && !node.nullable && node.default === undefined) delete object[name];
    return;
  }
  // What is frozen is stored like that, and has been pruned before.
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
  let text = "";
  for (const step of [...path, name]) {
    if (typeof step === "number") text += `[${step}]`;
    else text += text === "" ? step : `.${step}`;
  }
  dropped.push(text);
}
