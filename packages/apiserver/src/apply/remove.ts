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

/** What becomes of a container that loses all of its content: it goes as well, or a null stays in its place. */
export type Emptied = "dropped" | "null";

/** The value without the items and fields of a set. Unchanged parts stay the same values. */
export function removeItems(
  type: MergeType,
  value: unknown,
  { set, emptied }: { readonly set: FieldSet; readonly emptied: Emptied },
): unknown {
  return new Removal(emptied).from(type, value, set);
}

class Removal {
  readonly #emptied: null | undefined;

  constructor(emptied: Emptied) {
    this.#emptied = emptied === "null" ? null : undefined;
  }

  from(type: MergeType, value: unknown, set: FieldSet): unknown {
    if (set.children.size === 0) return value;
    const { list, map } = formOf(type, value);
    if (map && isMap(value)) return map.isAtomic ? this.#emptied : this.#fromMap(map, value, set);
    if (!list || !Array.isArray(value)) return value;
    return list.relation === "atomic" ? this.#emptied : this.#fromList(list, value, set);
  }

  #fromMap(type: MapType, map: Readonly<Record<string, unknown>>, set: FieldSet): unknown {
    let kept: Record<string, unknown> | undefined;
    for (const element of set.children.keys()) {
      const name = element.slice(2);
      if (element !== fieldElement(name) || !Object.hasOwn(map, name)) continue;
      const inner = below(set, element);
      const rest = inner.isMember ? undefined : this.from(entryType(type, name), map[name], inner);
      if (rest === map[name]) continue;
      kept ??= { ...map };
      if (rest === undefined) delete kept[name];
      else kept[name] = rest;
    }
    if (!kept) return map;
    return Object.keys(kept).length === 0 ? this.#emptied : kept;
  }

  #fromList(type: ListType, list: readonly unknown[], set: FieldSet): unknown {
    const kept: unknown[] = [];
    let isSame = true;
    for (const item of list) {
      const element = elementOf(type, item);
      const inner = element === undefined ? undefined : set.children.get(element);
      const rest = inner && !isEmptySet(inner) ? this.#fromItem(type, item, inner) : item;
      if (rest !== item) isSame = false;
      if (rest !== undefined) kept.push(rest);
    }
    if (isSame) return list;
    return kept.length === 0 ? this.#emptied : kept;
  }

  #fromItem(type: ListType, item: unknown, inner: FieldSet): unknown {
    return inner.isMember ? undefined : this.from(type.item, item, inner);
  }
}
