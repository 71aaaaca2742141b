/** Where the fields and items of a document are in its text. */
import { isCollection, isPair, type Node, type Pair, type YAMLMap, type YAMLSeq } from "yaml";
import { columnOf } from "./comments.ts";

/** A map or a list. */
export type Collection = YAMLMap<Node, Node> | YAMLSeq<Node>;

/** A field of a map, or an item of a list. */
export type Child = Pair<Node, Node> | Node;

/** The place of a field or an item: the comments above it, and all lines of its value. */
interface Place {
  readonly parent: Collection;
  readonly start: number;
  readonly end: number;
  /** Its value as it was parsed. */
  readonly value: Node | undefined;
}

/** The places of all fields and items of maps and lists in block style. */
export interface Layout {
  readonly places: ReadonlyMap<Child, Place>;
  /** Where the lines of a map or list begin, with the comments above its first field or item. */
  readonly starts: ReadonlyMap<Collection, number>;
  /** The comments and empty lines after its last field or item that belong to it. */
  readonly tails: ReadonlyMap<Collection, string>;
}

/** The layout of a collection that ends at an offset of the text. */
export function layoutOf(text: string, root: Collection, end: number): Layout {
  const layout: DraftLayout = { places: new Map(), starts: new Map(), tails: new Map() };
  addPlaces(layout, text, { collection: root, start: startOf(root), end });
  return layout;
}

/** The value of a field, or the item itself. */
export function valueIn(child: Child | undefined): Node | undefined {
  return (isPair<Node, Node>(child) ? child.value : child) ?? undefined;
}

/** Whether a node has lines of its own for each of its fields or items. */
export function isBlock(node: unknown): node is Collection {
  return isCollection(node) && node.flow !== true && node.items.length > 0;
}

interface DraftLayout {
  readonly places: Map<Child, Place>;
  readonly starts: Map<Collection, number>;
  readonly tails: Map<Collection, string>;
}

interface Lines {
  readonly collection: Collection;
  readonly start: number;
  readonly end: number;
}

function addPlaces(layout: DraftLayout, text: string, { collection, start: first, end }: Lines): void {
  const children: readonly Child[] = collection.items;
  const column = columnOf(text, startOf(collection));
  layout.starts.set(collection, first);
  let start = first;
  for (const child of children) {
    const childEnd = Math.min(boundaryAfter(text, child, column), end);
    const value = valueIn(child);
    layout.places.set(child, { parent: collection, start, end: childEnd, value });
    if (isBlock(value))
      addPlaces(layout, text, { collection: value, start: linesStart(text, child, value), end: childEnd });
    start = childEnd;
  }
  layout.tails.set(collection, text.slice(start, end));
}

/** The line after the name of the field; the first line of an item begins beside its dash. */
function linesStart(text: string, child: Child, value: Collection): number {
  if (!isPair<Node, Node>(child)) return startOf(value);
  return Math.min(nextLine(text, child.key.range?.[1] ?? 0), startOf(value));
}

function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}

/**
 * Where the lines of the next field begin: comments that are indented below this one's column belong to it, the others
 * to the next.
 */
function boundaryAfter(text: string, child: Child, column: number): number {
  let offset = nextLine(text, contentEnd(child));
  let boundary = offset;
  while (offset < text.length) {
    const next = nextLine(text, offset + 1);
    const line = text.slice(offset, next).trimEnd();
    const hash = /^\s*#/.test(line) ? line.indexOf("#") : undefined;
    if (hash === undefined && line !== "") break;
    if (hash !== undefined && hash > column) boundary = next;
    offset = next;
  }
  return boundary;
}

function contentEnd(child: Child): number {
  const last = valueIn(child) ?? (isPair<Node, Node>(child) ? child.key : undefined);
  return last?.range?.[1] ?? 0;
}

/** The start of the first line that begins at an offset or after it. */
export function nextLine(text: string, offset: number): number {
  if (offset === 0 || text[offset - 1] === "\n") return offset;
  const end = text.indexOf("\n", offset);
  return end === -1 ? text.length : end + 1;
}
