import { assignOwn } from "@capstan/api";
import { below, type FieldSet, isEmptySet } from "./field-set.ts";
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

/** What to remove. */
interface Cut {
  readonly set: FieldSet;
  /**
   * What managers own. A container that loses all of its content stays, empty, if it has an owner itself, and goes
   * otherwise. Without this set, a null stays in its place.
   */
  readonly owned?: FieldSet;
}

/** The value without the items and fields of a set. Unchanged parts stay the same values. */
export function removeItems(type: MergeType, value: unknown, cut: Cut): unknown {
  if (cut.set.children.size === 0) return value;
  const { list, map } = formOf(type, value);
  if (map && isMap(value)) return map.isAtomic ? emptied({}, cut) : removeEntries(map, value, cut);
  if (!list || !Array.isArray(value)) return value;
  return list.relation === "atomic" ? emptied([], cut) : removeFromList(list, value, cut);
}

function emptied(empty: object, { owned }: Cut): unknown {
  if (!owned) return null;
  return owned.isMember ? empty : undefined;
}

function removeEntries(type: MapType, map: Readonly<Record<string, unknown>>, cut: Cut): unknown {
  let kept: Record<string, unknown> | undefined;
  for (const element of cut.set.children.keys()) {
    const name = element.slice(2);
    if (element !== fieldElement(name) || !Object.hasOwn(map, name)) continue;
    const rest = removeInner(entryType(type, name), map[name], inside(cut, element));
    if (rest === map[name]) continue;
    kept ??= { ...map };
    if (rest === undefined) delete kept[name];
    else assignOwn(kept, name, rest);
  }
  if (!kept) return map;
  return Object.keys(kept).length === 0 ? emptied({}, cut) : kept;
}

function removeFromList(type: ListType, list: readonly unknown[], cut: Cut): unknown {
  const kept: unknown[] = [];
  let isSame = true;
  for (const item of list) {
    const element = elementOf(type, item);
    const rest = element === undefined ? item : removeInner(type.item, item, inside(cut, element));
    if (rest !== item) isSame = false;
    if (rest !== undefined) kept.push(rest);
  }
  if (isSame) return list;
  return kept.length === 0 ? emptied([], cut) : kept;
}

function removeInner(type: MergeType, value: unknown, cut: Cut): unknown {
  if (isEmptySet(cut.set)) return value;
  return cut.set.isMember ? undefined : removeItems(type, value, cut);
}

function inside({ set, owned }: Cut, element: string): Cut {
  return { set: below(set, element), ...(owned && { owned: below(owned, element) }) };
}
