import { isJsonObject } from "@capstan/api";
import { PROBLEMS_LIMIT } from "./findings.ts";
import { goJson } from "./go-text.ts";
import type { SchemaNode } from "./node.ts";
import { duplicateValue, type FieldProblem, invalidValue } from "./problem.ts";
import { visit } from "./visit.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Reports duplicate items of sets, and duplicate keys of lists that are maps. */
export function listTypeProblems(node: SchemaNode, value: unknown): FieldProblem[] {
  const problems: FieldProblem[] = [];
  visit(node, value, {
    has: "listTypes",
    found: (at, list, path) => {
      if (!Array.isArray(list)) return;
      if (at.listType === "set") problems.push(...duplicates(list, path, (item) => item));
      if (at.listType === "map") problems.push(...mapProblems(at, list, path));
    },
  });
  return problems;
}

/** The keys of an item as a unique text. */
export function keyText(item: Fields, keys: readonly string[]): string {
  return goJson(keysOf(item, keys));
}

function keysOf(item: Fields, keys: readonly string[]): Fields {
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(item, key)).map((key) => [key, item[key]]));
}

function mapProblems({ listMapKeys }: SchemaNode, list: readonly unknown[], path: string): FieldProblem[] {
  const [key] = listMapKeys;
  if (key !== undefined && listMapKeys.length === 1 && haveUniqueKeys(list, key)) return [];
  const odd = list.findIndex((item) => typeof item !== "object" || Array.isArray(item));
  if (odd >= 0)
    return [invalidValue(`${path}[${odd}]`, list[odd], "must be an object for an array of list-type map")];
  return duplicates(list, path, (item) => keysOf((item ?? {}) as Fields, listMapKeys));
}

/**
 * Whether each item is an object with a different text under the key: nearly all lists are like that, and this check is
 * cheap.
 */
function haveUniqueKeys(list: readonly unknown[], key: string): boolean {
  const texts = new Set<string>();
  for (const item of list) {
    const text = isJsonObject(item) ? item[key] : undefined;
    if (typeof text !== "string" || texts.has(text)) return false;
    texts.add(text);
  }
  return true;
}

/** Of several equal values, only the first duplicate is a problem. */
function duplicates(
  list: readonly unknown[],
  path: string,
  identity: (item: unknown) => unknown,
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const counts = new Map<string, number>();
  for (const [index, item] of list.entries()) {
    const key = identity(item);
    const text = goJson(key);
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    if (count === 2) problems.push(duplicateValue(`${path}[${index}]`, key));
    if (problems.length === PROBLEMS_LIMIT) break;
  }
  return problems;
}
