import { type FieldSet, FieldSetBuilder } from "./field-set.ts";
import {
  elementOf,
  entryType,
  formOf,
  isMap,
  type ListType,
  type MapType,
  type MergeType,
} from "./merge-type.ts";
import { fieldElement } from "./path-element.ts";

/**
 * The paths that an applied object claims: every leaf, every item of a list, every entry of a map that is not a
 * declared field. An atomic value is one leaf.
 */
export function fieldSetOf(type: MergeType, object: unknown): FieldSet {
  const walk: Walk = { path: [], set: new FieldSetBuilder() };
  visit(walk, type, object);
  return walk.set.build();
}

interface Walk {
  readonly path: string[];
  readonly set: FieldSetBuilder;
}

function visit(walk: Walk, type: MergeType, value: unknown): void {
  const { scalar, list, map } = formOf(type, value);
  if (map) visitMap(walk, map, value);
  else if (scalar || list?.relation === "atomic") walk.set.add(walk.path);
  else if (list && Array.isArray(value)) visitList(walk, list, value);
}

function visitMap(walk: Walk, type: MapType, value: unknown): void {
  if (type.isAtomic) walk.set.add(walk.path);
  if (type.isAtomic || !isMap(value)) return;
  for (const name of Object.keys(value)) {
    const child = value[name];
    if (child === undefined) continue;
    walk.path.push(fieldElement(name));
    visit(walk, entryType(type, name), child);
    const isNothing = child === null || (isMap(child) && Object.keys(child).length === 0);
    if (isNothing || !type.fields.has(name)) walk.set.add(walk.path);
    walk.path.pop();
  }
}

function visitList(walk: Walk, type: ListType, list: readonly unknown[]): void {
  const counts = new Map<string, number>();
  const elements = list.map((item) => elementOf(type, item));
  for (const element of elements)
    if (element !== undefined) counts.set(element, (counts.get(element) ?? 0) + 1);
  for (const [index, element] of elements.entries()) {
    if (element === undefined) continue;
    walk.path.push(element);
    // Items with the same key are claimed as one: none of them can have owners of its own.
    if (counts.get(element) === 1) visit(walk, type.item, list[index]);
    walk.set.add(walk.path);
    walk.path.pop();
  }
}
