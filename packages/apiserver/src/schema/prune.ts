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
  enter(pruning, node, value);
  return pruning.dropped.length > 0;
}

interface Pruning {
  readonly path: (string | number)[];
  readonly dropped: string[];
}

function enter(pruning: Pruning, node: SchemaNode | undefined, value: unknown, open = false): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) pruneItems(pruning, node, { value, open });
  else if (node) pruneFields(pruning, open && !node.open ? { ...node, open } : node, value as Fields);
  else if (!open) dropAll(pruning, value as Fields);
}

/** An open list also opens its items. */
function pruneItems(
  pruning: Pruning,
  node: SchemaNode | undefined,
  { value, open }: { readonly value: readonly unknown[]; readonly open: boolean },
): void {
  const itemsOpen = open || node?.open === true;
  for (let index = 0; index < value.length; index++) {
    pruning.path.push(index);
    enter(pruning, node?.items, value[index], itemsOpen);
    pruning.path.pop();
  }
}

function pruneFields(pruning: Pruning, node: SchemaNode, object: Fields): void {
  const { properties, additional, open, embedded } = node;
  for (const name in object) {
    if (embedded && OBJECT_FIELDS.has(name)) continue;
    const child = properties.get(name);
    if (!child && additional === undefined) {
      if (!open) drop(pruning, object, name);
      continue;
    }
    const schema = child ?? (additional === "any" ? undefined : additional);
    const value = object[name];
    if (value === null) {
      if (schema && !schema.nullable && schema.default === undefined) delete object[name];
    } else if (typeof value === "object") {
      pruning.path.push(name);
      enter(pruning, schema, value);
      pruning.path.pop();
    }
  }
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
