import { deepEqual } from "@capstan/api";

type Fields = Record<string, unknown>;

/**
 * Replaces parts of the value by equal parts of the old one; returns the old one itself if they are equal. If one item
 * of a list of a thousand has changed, the new list costs the memory of one item. The value is changed in place.
 */
export function sharing(value: unknown, old: unknown): unknown {
  if (value === old || !isInner(value) || !isInner(old)) return value;
  // A frozen value comes from the storage, possibly from another position of the object.
  if (Object.isFrozen(value)) return deepEqual(value, old) ? old : value;
  if (Array.isArray(value) !== Array.isArray(old)) return value;
  const isSame = Array.isArray(value)
    ? shareItems(value, old as readonly unknown[])
    : shareFields(value as Fields, old as Fields);
  return isSame ? old : value;
}

/** Whether all items are those of the old list. Added and removed items shift the others, which are found again. */
function shareItems(list: unknown[], old: readonly unknown[]): boolean {
  const search: Search = { old, next: 0, comparisonsLeft: COMPARISONS_PER_ITEM * list.length };
  let isSame = list.length === old.length;
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    if (isInner(item)) list[index] = equalItem(search, item) ?? sharing(item, old[index]);
    if (list[index] !== old[index]) isSame = false;
  }
  return isSame;
}

// As many as are added or removed at once when a large pool is rolled.
const LOOK_AHEAD = 128;
const COMPARISONS_PER_ITEM = 16;

/** A search through a list along another with nearly the same items in nearly the same order. */
interface Search {
  readonly old: readonly unknown[];
  /** Where the next item is expected. */
  next: number;
  /** How many more items may be compared without a match: lists without common items must not take too long. */
  comparisonsLeft: number;
}

function equalItem(search: Search, item: object): unknown {
  const { old, next } = search;
  const end = Math.min(old.length, next + LOOK_AHEAD);
  for (let at = next; at < end; at++) {
    if (deepEqual(item, old[at])) {
      search.next = at + 1;
      return old[at];
    }
    if (search.comparisonsLeft-- <= 0) return undefined;
  }
  return undefined;
}

/** Whether all fields are those of the old object, in any order. */
function shareFields(object: Fields, old: Fields): boolean {
  const names = Object.keys(object);
  let isSame = names.length === Object.keys(old).length;
  for (const name of names) {
    if (!Object.hasOwn(old, name)) {
      isSame = false;
      continue;
    }
    const field = sharing(object[name], old[name]);
    if (field !== object[name]) object[name] = field;
    if (field !== old[name]) isSame = false;
  }
  return isSame;
}

function isInner(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
