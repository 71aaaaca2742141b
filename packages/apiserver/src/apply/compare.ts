import { deepEqual } from "@capstan/api";
import { type FieldSet, FieldSetBuilder, differenceBelow, EMPTY } from "./field-set.ts";
import {
  elementOf,
  entryType,
  formOf,
  isMap,
  own,
  type ListType,
  type MapType,
  type MergeType,
} from "./merge-type.ts";
import { fieldElement } from "./path-element.ts";

/** How two versions of an object differ, as sets of paths. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Two equal objects. */
const NO_CHANGE: Comparison = { added: EMPTY, modified: EMPTY, removed: EMPTY };

/** Compares two versions of an object. Parts that are the same value in both cost nothing. */
export function compare(type: MergeType, before: unknown, after: unknown): Comparison {
  if (before === after) return NO_CHANGE;
  const walk: Walk = {
    path: [],
    added: new FieldSetBuilder(),
    modified: new FieldSetBuilder(),
    removed: new FieldSetBuilder(),
  };
  visit(walk, type, { before, after });
  return { added: walk.added.build(), modified: walk.modified.build(), removed: walk.removed.build() };
}

/** The comparison without some paths and everything below them. */
export function without(comparison: Comparison, ignored: FieldSet): Comparison {
  return {
    added: differenceBelow(comparison.added, ignored),
    modified: differenceBelow(comparison.modified, ignored),
    removed: differenceBelow(comparison.removed, ignored),
  };
}

interface Walk {
  readonly path: string[];
  readonly added: FieldSetBuilder;
  readonly modified: FieldSetBuilder;
  readonly removed: FieldSetBuilder;
}

/** The values of one path; undefined where it does not exist. */
interface Pair {
  readonly before: unknown;
  readonly after: unknown;
}

function visit(walk: Walk, type: MergeType, pair: Pair): void {
  const { before, after } = pair;
  if (before === after) return;
  const [first, second] = [formOf(type, before), formOf(type, after)];
  let isLeaf: boolean;
  if (after === undefined) isLeaf = visitForm(walk, first, pair);
  else if (before === undefined || first === second || isSameForm(first, second))
    isLeaf = visitForm(walk, second, pair);
  else {
    // A value of another form: the parts of the old one have gone, those of the new one are added.
    visitForm(walk, first, pair);
    isLeaf = visitForm(walk, second, pair);
  }
  if (isLeaf) return;
  if (before === undefined) walk.added.add(walk.path);
  else if (after === undefined) walk.removed.add(walk.path);
}

function isSameForm(a: MergeType, b: MergeType): boolean {
  return a.scalar === b.scalar && a.list === b.list && a.map === b.map;
}

/** Whether the value is a leaf; what is in it then has no paths. */
function visitForm(walk: Walk, { scalar, list, map }: MergeType, pair: Pair): boolean {
  if (map) return visitMap(walk, map, pair);
  if (scalar || !list) return visitLeaf(walk, pair);
  return visitList(walk, list, pair);
}

function visitLeaf(walk: Walk, { before, after }: Pair): true {
  if (before === undefined) walk.added.add(walk.path);
  else if (after === undefined) walk.removed.add(walk.path);
  else if (!deepEqual(before, after)) walk.modified.add(walk.path);
  return true;
}

function visitMap(walk: Walk, type: MapType, pair: Pair): boolean {
  const before = isMap(pair.before) ? pair.before : NOTHING;
  const after = isMap(pair.after) ? pair.after : NOTHING;
  // Two empty values are a leaf, so that an empty one differs from a missing one.
  if (type.isAtomic || (isEmpty(before) && isEmpty(after))) return visitLeaf(walk, pair);
  for (const name of Object.keys(before))
    visitChild(
      walk,
      { element: fieldElement(name), type: entryType(type, name) },
      {
        before: before[name],
        after: own(after, name),
      },
    );
  for (const name of Object.keys(after))
    if (!Object.hasOwn(before, name))
      visitChild(
        walk,
        { element: fieldElement(name), type: entryType(type, name) },
        { before: undefined, after: after[name] },
      );
  return false;
}

const NOTHING: Readonly<Record<string, unknown>> = {};

function isEmpty(map: object): boolean {
  for (const _ in map) return false;
  return true;
}

interface Child {
  readonly element: string;
  readonly type: MergeType;
}

function visitChild(walk: Walk, { element, type }: Child, pair: Pair): void {
  if (pair.before === pair.after) return;
  walk.path.push(element);
  visit(walk, type, pair);
  walk.path.pop();
}

function visitList(walk: Walk, type: ListType, pair: Pair): boolean {
  const before = Array.isArray(pair.before) ? (pair.before as unknown[]) : [];
  const after = Array.isArray(pair.after) ? (pair.after as unknown[]) : [];
  if (type.relation === "atomic" || before.length + after.length === 0) return visitLeaf(walk, pair);
  const [old, now] = [byElement(type, before), byElement(type, after)];
  for (const [element, items] of old)
    compareItems(walk, { type, element }, { items, others: now.get(element) ?? [] });
  for (const [element, others] of now)
    if (!old.has(element)) compareItems(walk, { type, element }, { items: [], others });
  return false;
}

/** The items of a list by their path element; those without one cannot have owners. */
function byElement(type: ListType, list: readonly unknown[]): Map<string, unknown[]> {
  const found = new Map<string, unknown[]>();
  for (const item of list) {
    const element = elementOf(type, item);
    if (element === undefined) continue;
    const same = found.get(element);
    if (same) same.push(item);
    else found.set(element, [item]);
  }
  return found;
}

/** Compares the items with one key; if there are several, they are compared as a whole. */
function compareItems(
  walk: Walk,
  { type, element }: { readonly type: ListType; readonly element: string },
  { items, others }: { readonly items: readonly unknown[]; readonly others: readonly unknown[] },
): void {
  if (items.length <= 1 && others.length <= 1)
    return visitChild(walk, { element, type: type.item }, { before: items[0], after: others[0] });
  walk.path.push(element);
  if (items.length > 1 && others.length > 1) {
    if (!deepEqual(items, others)) walk.modified.add(walk.path);
  } else if (items.length > 1) {
    if (others.length === 1) visit(walk, type.item, { before: undefined, after: others[0] });
    walk.removed.add(walk.path);
  } else {
    if (items.length === 1) visit(walk, type.item, { before: items[0], after: undefined });
    walk.added.add(walk.path);
  }
  walk.path.pop();
}
