import { goValue } from "../schema/go-text.ts";
import { goType, noMergeKey, StrategicMergeError, unknownDirective, wrongType } from "./strategic-error.ts";
import { type Fields, isFields, PATCH, taken } from "./strategic-value.ts";

type List = readonly unknown[];

/** How the items of a list are identified and merged. */
export interface ItemMerge {
  /** The merge key; empty for items that are not objects. */
  readonly key: string;
  merge(original: Fields, patch: Fields): Fields;
}

/** Merges a list into another: items with the same key are merged, and the patch gives the order of its own items. */
export function mergeLists(original: List, patch: List, items: ItemMerge): List {
  if (original.length === 0 && patch.length === 0) return original;
  if (!areObjects(original, patch))
    return inOrder([...new Set([...original, ...patch])], patch, { live: original, key: "" });
  const { key } = items;
  if (key === "") throw new StrategicMergeError("cannot merge lists without merge key for struct");
  const { live, changes } = applyItemDirectives(original as Fields[], patch as Fields[], key);
  const merged = [...live];
  const placeOf = new Map(places(live, (item) => (item as Fields)[key]));
  for (const change of changes) {
    const id = keyOf(change, key);
    const place = placeOf.get(id) ?? merged.length;
    const found = merged[place];
    merged[place] = found ? items.merge(found, change) : (taken(change) as Fields);
    placeOf.set(id, place);
  }
  return inOrder(merged, changes, { live, key });
}

/** Removes items from a list of scalars. */
export function removeFromList(original: List, patch: List): List {
  const gone = new Set(patch);
  return original.filter((item) => !gone.has(item));
}

interface Order {
  /** The list before the patch, which determines the positions of items that the order does not name. */
  readonly live: List;
  readonly key: string;
}

/** Sorts a list: items that the given order names are in that order, others stay where they were. */
export function inOrder(list: List, wanted: List, { live, key }: Order): List {
  const identity = identityBy(key);
  const wantedPlaces = places(wanted, identity);
  const livePlaces = places(live, identity);
  const placeIn = (map: ReadonlyMap<unknown, number>, item: unknown): number => map.get(identity(item)) ?? -1;
  const sorted = (part: List, map: ReadonlyMap<unknown, number>): unknown[] =>
    part.toSorted((a, b) => placeIn(map, a) - placeIn(map, b));
  const isNamed = (item: unknown): boolean => wantedPlaces.has(identity(item));
  const named = sorted(list.filter(isNamed), wantedPlaces);
  const others = sorted(
    list.filter((item) => !isNamed(item)),
    livePlaces,
  );
  const result: unknown[] = [];
  let next = 0;
  for (const item of named) {
    const place = placeIn(livePlaces, item);
    while (next < others.length && placeIn(livePlaces, others[next]) < place) result.push(others[next++]);
    result.push(item);
  }
  return [...result, ...others.slice(next)];
}

/** Refuses a patch whose items are missing in the given order, or are in another order. */
export function checkOrder(patch: List, wanted: List, key: string): void {
  if (wanted.length === 0 || patch.length === 0) return;
  const identity = identityBy(key);
  const rest = patch.filter((item) => !(isFields(item) && Object.hasOwn(item, PATCH)));
  let next = 0;
  for (const item of wanted) {
    if (next < rest.length && identity(rest[next]) === identity(item)) next += 1;
  }
  if (next < rest.length)
    throw new StrategicMergeError(
      `The order in patch list:\n${goValue(patch)}\n doesn't match $setElementOrder list:\n${goValue(wanted)}\n`,
    );
}

/** Applies `$patch` in items: it deletes one item, or the other items of the patch replace the list. */
function applyItemDirectives(
  original: readonly Fields[],
  patch: readonly Fields[],
  key: string,
): { live: readonly Fields[]; changes: readonly Fields[] } {
  const changes = patch.filter((item) => !Object.hasOwn(item, PATCH));
  const directives = patch.filter((item) => Object.hasOwn(item, PATCH));
  const gone = new Set<unknown>();
  for (const item of directives) {
    const directive = item[PATCH];
    if (directive === "delete") gone.add(keyOf(item, key));
    else if (directive === "merge")
      throw new StrategicMergeError("merging lists cannot yet be specified in the patch");
    else if (directive !== "replace") throw unknownDirective(directive, item);
  }
  const replaces = directives.some((item) => item[PATCH] === "replace");
  if (replaces) return { live: changes.map((item) => taken(item) as Fields), changes: [] };
  return { live: original.filter((item) => !gone.has(item[key])), changes };
}

/** Whether the items are objects; all must be of one type, which is not a list. */
function areObjects(original: List, patch: List): boolean {
  const [first = "", ...others] = new Set([...original, ...patch].map(goType));
  if (first === goType([])) throw new StrategicMergeError("lists of lists are not supported", 422);
  if (others.length > 0 || first === goType(null))
    throw new StrategicMergeError(`list element types are not identical: ${goValue([original, patch])}`);
  return first === goType({});
}

function places(list: List, identity: (item: unknown) => unknown): ReadonlyMap<unknown, number> {
  // From the end, so that of equal items the first one counts.
  return new Map(list.map((item, index) => [identity(item), index] as const).toReversed());
}

function identityBy(key: string): (item: unknown) => unknown {
  return key === "" ? (item) => item : (item) => keyOf(item, key);
}

function keyOf(item: unknown, key: string): unknown {
  if (!isFields(item)) throw wrongType({}, item);
  if (!Object.hasOwn(item, key)) throw noMergeKey(item, key);
  return item[key];
}
