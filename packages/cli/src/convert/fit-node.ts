/** Makes the nodes of a document have given values. What has its value already stays as it is, comments included. */
import { deepEqual, isJsonObject, type JsonObject } from "@capstan/api";
import { isSeq, type Node, type YAMLSeq } from "yaml";
import {
  type Editing,
  fieldIn,
  type FieldMap,
  isFields,
  MERGE,
  nameOf,
  newField,
  nodeOf,
  rename,
  withCommentsOf,
} from "./edited-map.ts";
import { listFromMap, mapFromList } from "./named-items.ts";

/** The node for a value: the given one, changed where it must be, or a new one. */
export function fitNode(editing: Editing, node: Node, value: unknown): Node {
  if (deepEqual(valueOf(editing, node), value)) return node;
  if (isFields(node) && isJsonObject(value)) return fitMap(editing, node, value);
  if (isSeq<Node>(node) && Array.isArray(value)) return fitList(editing, node, value);
  return withCommentsOf(otherForm(editing, node, value) ?? nodeOf(editing, value), node);
}

/** The value of a node, with aliases and merge keys. */
export function valueOf({ document }: Editing, node: Node): unknown {
  return node.toJS(document);
}

/** Lists of named items that are maps by name in the other version. */
function otherForm(editing: Editing, node: Node, value: unknown): Node | undefined {
  const fit = (old: Node, desired: unknown): Node => fitNode(editing, old, desired);
  if (isFields(node) && Array.isArray(value)) return listFromMap(editing, node, { value, fit });
  return isSeq<Node>(node) && isJsonObject(value) ? mapFromList(editing, node, { value, fit }) : undefined;
}

function fitList(editing: Editing, list: YAMLSeq<Node>, values: readonly unknown[]): Node {
  editing.changed.add(list);
  list.items = values.map((value, index) => {
    const old = list.items[index];
    if (!old) return nodeOf(editing, value);
    const item = fitNode(editing, old, value);
    if (item !== old) editing.changed.add(item);
    return item;
  });
  return list;
}

// A reference names a group in one version, and a group with its version in the other: one line takes the other's place.
const REFERENCE_FIELDS = ["apiVersion", "apiGroup"] as const;

function fitMap(editing: Editing, map: FieldMap, value: JsonObject): Node {
  editing.changed.add(map);
  const [versioned, grouped] = REFERENCE_FIELDS;
  renameIn(editing, map, { from: versioned, to: grouped, value });
  renameIn(editing, map, { from: grouped, to: versioned, value });
  const isKept = (name: string): boolean => Object.hasOwn(value, name) || name === MERGE;
  const firstGap = map.items.findIndex(({ key }) => !isKept(nameOf(key)));
  map.items = map.items.filter(({ key }) => isKept(nameOf(key)));
  for (const field of map.items) {
    const name = nameOf(field.key);
    if (name === MERGE || field.value === null) continue;
    const fitted = fitNode(editing, field.value, value[name]);
    if (fitted !== field.value || editing.changed.has(fitted)) editing.changed.add(field);
    field.value = fitted;
  }
  // Fields that a merge key adds are there without a line of their own.
  const present = valueOf(editing, map) as JsonObject;
  const missing = Object.keys(value).filter(
    (name) => !fieldIn(map, name) && !deepEqual(present[name], value[name]),
  );
  const added = missing.map((name) => newField(editing, name, nodeOf(editing, value[name])));
  for (const field of added) editing.changed.add(field);
  map.items.splice(firstGap === -1 ? map.items.length : firstGap, 0, ...added);
  return map;
}

function renameIn(
  editing: Editing,
  map: FieldMap,
  { from, to, value }: { readonly from: string; readonly to: string; readonly value: JsonObject },
): void {
  const field = fieldIn(map, from);
  const isRenamed = !Object.hasOwn(value, from) && Object.hasOwn(value, to) && !fieldIn(map, to);
  if (!field || !isRenamed) return;
  rename(field, to);
  editing.changed.add(field);
}
