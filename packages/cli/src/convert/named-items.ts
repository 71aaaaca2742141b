/** Lists of items with names that are maps by name in the other version: arguments, failure domains. */
import { isJsonObject, type JsonObject } from "@capstan/api";
import { isScalar, type Node, YAMLSeq } from "yaml";
import {
  type Editing,
  type Field,
  fieldIn,
  type FieldMap,
  isFields,
  joinedComments,
  newField,
  newMap,
  nodeOf,
} from "./edited-map.ts";

/** The desired value, and how a node gets a part of it. */
interface Desired<T> {
  readonly value: T;
  readonly fit: (old: Node, value: unknown) => Node;
}

const [NAME, VALUE] = ["name", "value"];

/** The list of the entries of a map, each with its comments; undefined if the value is not such a list. */
export function listFromMap(
  editing: Editing,
  map: FieldMap,
  { value, fit }: Desired<readonly unknown[]>,
): Node | undefined {
  const list = new YAMLSeq<Node>();
  // The comment above the first entry belongs to it, and entries may change their order.
  const first = map.items[0]?.key;
  if (first) first.commentBefore = joinedComments(map.commentBefore, first.commentBefore) ?? null;
  map.commentBefore = null;
  for (const desired of value) {
    if (!isJsonObject(desired) || typeof desired[NAME] !== "string") return undefined;
    const entry = fieldIn(map, desired[NAME]);
    list.items.push(
      entry ? itemOf(editing, entry, { value: desired, fit, flow: map.flow }) : nodeOf(editing, desired),
    );
  }
  return list;
}

function itemOf(
  editing: Editing,
  { key, value: old }: Field,
  { value, fit, flow }: Desired<JsonObject> & { readonly flow: boolean | undefined },
): Node {
  const item = newMap(flow);
  item.commentBefore = joinedComments(key.commentBefore, key.comment) ?? null;
  if (key.spaceBefore) item.spaceBefore = true;
  [key.commentBefore, key.comment, key.spaceBefore] = [null, null, false];
  // A name such as 1 is a text in the list.
  item.items.push(newField(editing, NAME, fit(key, value[NAME])));
  const { [NAME]: _, ...rest } = value;
  if (isFields(old)) item.items.push(...(fit(old, rest) as FieldMap).items);
  else item.items.push(newField(editing, VALUE, fit(old ?? key, value[VALUE])));
  return item;
}

/** The map of the items of a list by their names, each with its comments. */
export function mapFromList(
  editing: Editing,
  list: YAMLSeq<Node>,
  { value, fit }: Desired<JsonObject>,
): Node | undefined {
  const isFlow = list.flow === true || list.items.every((item) => isFields(item) && item.flow === true);
  const map = newMap(isFlow);
  const first = list.items[0];
  if (first) first.commentBefore = joinedComments(list.commentBefore, first.commentBefore) ?? null;
  list.commentBefore = null;
  for (const [name, desired] of Object.entries(value)) {
    // Of two items with one name the later one counts.
    const item = list.items.findLast((one): one is FieldMap => isFields(one) && nameIn(one) === name);
    map.items.push(item ? entryOf(editing, item, { value: desired, fit }) : added(editing, name, desired));
  }
  return map;
}

function nameIn(item: FieldMap): unknown {
  const name = fieldIn(item, NAME)?.value;
  return isScalar(name) ? name.value : undefined;
}

function entryOf(editing: Editing, item: FieldMap, { value, fit }: Desired<unknown>): Field {
  const name = fieldIn(item, NAME);
  const field = newField(editing, String(nameIn(item)), nodeOf(editing, null));
  field.key.commentBefore = commentsOf(item) ?? null;
  if (item.spaceBefore) field.key.spaceBefore = true;
  const old = fieldIn(item, VALUE)?.value;
  if (!isJsonObject(value) && old) field.value = fit(old, value);
  else {
    item.items = item.items.filter((one) => one !== name);
    item.commentBefore = null;
    field.value = fit(item, value);
  }
  return field;
}

/** The comments above an item, beside its name, and above its value. */
function commentsOf(item: FieldMap): string | undefined {
  const [name, value] = [fieldIn(item, NAME), fieldIn(item, VALUE)];
  return joinedComments(
    item.commentBefore,
    name?.key.commentBefore,
    name?.value?.comment,
    value?.key.commentBefore,
  );
}

function added(editing: Editing, name: string, value: unknown): Field {
  return newField(editing, name, nodeOf(editing, value));
}
