/** Fields of a document that a conversion moves: they take their comments along. */
import type { Moves } from "@capstan/api";
import { isSeq } from "yaml";
import {
  type Editing,
  type Field,
  fieldIn,
  type FieldMap,
  isFields,
  joinedComments,
  newField,
  newMap,
  positionOf,
  rename,
} from "./edited-map.ts";

/** Moves the fields below a map, in the order of the conversion. */
export function moveFields(editing: Editing, root: FieldMap, moves: readonly Moves[]): void {
  for (const move of moves) {
    if ("list" in move) {
      for (const item of itemsAt(root, move.list)) moveFields(editing, item, move.moves);
      continue;
    }
    const taken = take(editing, root, move.from);
    if (taken) put(editing, root, { ...taken, ...move });
  }
}

function itemsAt(root: FieldMap, path: readonly string[]): readonly FieldMap[] {
  let node: unknown = root;
  for (const name of path) node = isFields(node) ? fieldIn(node, name)?.value : undefined;
  return isSeq(node) ? node.items.filter(isFields) : [];
}

/** A field that was removed. */
interface TakenField {
  readonly field: Field;
  /** The maps on the way to it, the outermost first. */
  readonly holders: readonly FieldMap[];
  /** Where it was in the outermost map that has lost a field. */
  readonly gap: { readonly map: FieldMap; readonly position: number };
  /** The fields that contained it and nothing else; they are removed, too. */
  readonly emptied: readonly Field[];
}

// Objects that mean something even if they are empty, as in the conversion of objects.
const KEPT_WHEN_EMPTY: ReadonlySet<string> = new Set(["spec", "status", "metadata", "template"]);

function take(editing: Editing, root: FieldMap, path: readonly string[]): TakenField | undefined {
  const way = wayTo(root, path);
  const taken = way?.fields.at(-1);
  if (!way || !taken) return undefined;
  const { holders, fields } = way;
  const depth = outermostEmptied(holders, path);
  const map = holders[depth] ?? root;
  const position = positionOf(map, path[depth] ?? "");
  map.items.splice(position, 1);
  for (const one of [...holders.slice(0, depth + 1), ...fields.slice(0, depth)]) editing.changed.add(one);
  return { field: taken, holders, gap: { map, position }, emptied: fields.slice(depth, -1) };
}

/** The maps and fields on the way to a field, which is the last; undefined if the way ends before. */
function wayTo(
  root: FieldMap,
  path: readonly string[],
): { readonly holders: readonly FieldMap[]; readonly fields: readonly Field[] } | undefined {
  const holders: FieldMap[] = [];
  const fields: Field[] = [];
  let node: unknown = root;
  for (const name of path) {
    const field = isFields(node) ? fieldIn(node, name) : undefined;
    // A field of an alias or a merge key is written twice or more: it is not moved, but removed and added.
    if (!field || !isFields(node)) return undefined;
    holders.push(node);
    fields.push(field);
    node = field.value;
  }
  return { holders, fields };
}

/** The depth of the outermost field that has nothing left without the last one. */
function outermostEmptied(holders: readonly FieldMap[], path: readonly string[]): number {
  let depth = path.length - 1;
  while (depth > 0 && holders[depth]?.items.length === 1 && !KEPT_WHEN_EMPTY.has(path[depth - 1] ?? ""))
    depth--;
  return depth;
}

interface Placement extends TakenField {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

function put(editing: Editing, root: FieldMap, placement: Placement): void {
  const { field, to } = placement;
  const found = deepestMap(editing, root, to);
  let { map } = found;
  const added = to.slice(found.depth, -1).map((name) => holderFor(editing, placement, name));
  added.push(field);
  for (const [index, one] of added.entries()) {
    const old = fieldIn(map, to[found.depth + index] ?? "");
    if (old) map.items.splice(map.items.indexOf(old), 1);
    map.items.splice(map === placement.gap.map ? placement.gap.position : map.items.length, 0, one);
    if (isFields(one.value)) map = one.value;
  }
  rename(field, to.at(-1) ?? "");
  editing.changed.add(field);
  // The comments of holders that were removed go to the outermost field that is new.
  const [outermost = field] = added;
  for (const one of placement.emptied.toReversed()) takeComments(outermost, one);
}

/** The innermost map on the way to a field that exists already, and how many names lead to it. */
function deepestMap(
  editing: Editing,
  root: FieldMap,
  path: readonly string[],
): { readonly map: FieldMap; readonly depth: number } {
  let map = root;
  let depth = 0;
  editing.changed.add(map);
  for (; depth < path.length - 1; depth++) {
    const field = fieldIn(map, path[depth] ?? "");
    if (!isFields(field?.value)) break;
    map = field.value;
    editing.changed.add(field).add(map);
  }
  return { map, depth };
}

/** A new holder of a moved field: in the style of the holder of the same name that was removed, if there is one. */
function holderFor(editing: Editing, { emptied, holders }: Placement, name: string): Field {
  const old = emptied.find(({ key }) => key.value === name);
  const flow = isFields(old?.value) ? old.value.flow : holders.at(-1)?.flow;
  const holder = newField(editing, name, newMap(flow));
  if (old) takeComments(holder, old);
  editing.changed.add(holder);
  return holder;
}

/** Gives a field the comments of another one, which then has none. */
function takeComments({ key }: Field, old: Field): void {
  const before = joinedComments(
    old.key.commentBefore,
    old.key.comment,
    old.value?.commentBefore,
    key.commentBefore,
    old.value?.comment,
  );
  if (before !== undefined) key.commentBefore = before;
  if (old.key.spaceBefore) key.spaceBefore = true;
  for (const node of [old.key, old.value]) if (node) [node.commentBefore, node.comment] = [null, null];
}
