/** The text of a changed document. Lines of fields that did not change are those of the source. */
import {
  Document,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type ToStringOptions,
  visit,
  YAMLMap,
  YAMLSeq,
} from "yaml";
import { columnOf } from "./comments.ts";
import { type Child, type Collection, isBlock, type Layout, valueIn } from "./layout.ts";

/** The source of a document, and what has changed in it. */
export interface ChangedText {
  readonly text: string;
  readonly layout: Layout;
  readonly changed: ReadonlySet<unknown>;
  readonly style: ToStringOptions;
  /** What ends a line of the source. */
  readonly lineEnd: string;
}

/** The text of a collection in block style that is still where it was. */
export function printChanged(source: ChangedText, collection: Collection): string {
  const column = columnOf(source.text, collection.range?.[0] ?? 0);
  const indent = " ".repeat(column);
  const isBeside = columnOf(source.text, source.layout.starts.get(collection) ?? 0) > 0;
  const children: readonly Child[] = collection.items;
  const pieces = children.map((child, index) => {
    const [blank, text] = leadOf(piece(source, { collection, child, indent }));
    return index === 0 && isBeside ? text : `${blank}${indent}${text}`;
  });
  return pieces.join("") + (source.layout.tails.get(collection) ?? "");
}

/** The empty lines above a piece, and the rest without the indentation of its first line. */
function leadOf(text: string): readonly [string, string] {
  const blank = /^(?:[ \t]*\r?\n)*/.exec(text)?.[0] ?? "";
  return [blank, text.slice(blank.length).trimStart()];
}

interface Part {
  readonly collection: Collection;
  readonly child: Child;
  readonly indent: string;
}

function piece(source: ChangedText, { collection, child, indent }: Part): string {
  const { text, layout, changed } = source;
  const place = layout.places.get(child);
  const value = valueIn(child);
  if (place?.parent === collection && value === place.value) {
    if (!changed.has(child) && !changed.has(value)) return ended(source, text.slice(place.start, place.end));
    if (isBlock(value) && hasOldName(text, child))
      return text.slice(place.start, layout.starts.get(value)) + printChanged(source, value);
  }
  return printed(source, { collection, child, indent });
}

/** Whether a field has the name that the source gives it; items have none. */
function hasOldName(text: string, child: Child): boolean {
  if (!isPair(child)) return true;
  const { key } = child;
  if (!isScalar(key) || !key.range) return false;
  return text.slice(key.range[0], key.range[1]).replaceAll(/^["']|["']$/g, "") === String(key.value);
}

function ended({ lineEnd }: ChangedText, text: string): string {
  return text.endsWith("\n") ? text : `${text}${lineEnd}`;
}

/** A field or an item in new lines. */
function printed({ style, lineEnd }: ChangedText, { collection, child, indent }: Part): string {
  const holder = isSeq(collection) ? new YAMLSeq<Node>() : new YAMLMap<Node, Node>();
  holder.items.push(child as never);
  const lead = isPair<Node, Node>(child) ? child.key : child;
  const hasSpace = lead.spaceBefore === true;
  lead.spaceBefore = false;
  const text = new Document(holder).toString(style);
  lead.spaceBefore = hasSpace;
  const [first = "", ...rest] = text.split("\n");
  const lines = [first, ...rest.map((line) => (line === "" ? line : `${indent}${line}`))];
  return `${hasSpace ? lineEnd : ""}${lines.join(lineEnd)}`;
}

/** How a text is written: its indentation, and the space inside braces. */
export function styleOf(text: string, document: Document): ToStringOptions {
  const steps: number[] = [];
  let indentSeq = true;
  visit(document, {
    Pair: (_, { key, value }) => {
      if (!isScalar(key) || !key.range || !isBlock(value)) return;
      const step = columnOf(text, value.range?.[0] ?? 0) - columnOf(text, key.range[0]);
      if (!isSeq(value)) steps.push(step);
      else if (step === 0) indentSeq = false;
    },
  });
  return {
    indentSeq,
    indent: Math.min(Math.max(steps[0] ?? 2, 1), 8),
    flowCollectionPadding: !/[{[][^\s{}[\]"']/.test(text) || /\{ /.test(text),
    // Long lines stay long: a folded text is hard to read in a difference of two files.
    lineWidth: 0,
    verifyAliasOrder: false,
  };
}
