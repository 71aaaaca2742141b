/** One document of a manifest, converted with its comments. */
import { deepEqual, isJsonObject, type JsonObject } from "@capstan/api";
import { Document, isPair, isSeq, type Node, parseAllDocuments } from "yaml";
import { lostComments, type LostComment, reattachComments } from "./comments.ts";
import { type ConvertedObject, convertObject, listVersion } from "./convert-object.ts";
import { type Editing, fieldIn, type FieldMap, isFields } from "./edited-map.ts";
import { fitNode } from "./fit-node.ts";
import { type Collection, isBlock, layoutOf, nextLine } from "./layout.ts";
import { moveFields } from "./move-fields.ts";
import { printChanged, styleOf } from "./print-changes.ts";
import type { Target } from "./target.ts";
import { writeOutAliases } from "./write-out-aliases.ts";

/** A converted document. */
export interface ConvertedDocument {
  readonly text: string;
  /** The objects that were converted. */
  readonly converted: readonly ConvertedObject[];
  /** Objects of our groups whose kinds are not known. */
  readonly unknown: readonly string[];
  readonly lostComments: readonly LostComment[];
  /** Whether aliases had to be written out, because the places that share them differ in the other version. */
  readonly hasWrittenOut: boolean;
}

/** How YAML is read: as kubectl does, with merge keys. */
export const READING = { merge: true, prettyErrors: true } as const;

/** The objects of a value: itself, or the items of a list. */
interface Listing {
  readonly converted: ConvertedObject[];
  readonly unknown: string[];
  /** The whole value after the conversion. */
  readonly value: unknown;
}

/** Converts the text of one document; what is not ours stays as it is, byte for byte. */
export function convertDocument(text: string, value: unknown, to: Target): ConvertedDocument {
  const listing = convertValue(value, to);
  const { converted, unknown } = listing;
  const kept = { text, converted, unknown, lostComments: [], hasWrittenOut: false };
  if (converted.length === 0 && listing.value === value) return kept;
  const json = jsonOf(text);
  if (json !== undefined) return { ...kept, text: printJson(text, json, listing) };
  return { ...kept, ...bestOf(text, listing) };
}

function convertValue(value: unknown, to: Target): Listing {
  if (!isJsonObject(value)) return { converted: [], unknown: [], value };
  const { items } = value;
  const isList = typeof value["kind"] === "string" && value["kind"].endsWith("List") && Array.isArray(items);
  if (!isList) return convertOne(value, to);
  const all = (items as readonly unknown[]).map((item) => convertValue(item, to));
  const apiVersion = listVersion(value, to) ?? value["apiVersion"];
  const isSame = all.every((one, index) => one.value === items[index]) && apiVersion === value["apiVersion"];
  return {
    converted: all.flatMap((one) => one.converted),
    unknown: all.flatMap((one) => one.unknown),
    value: isSame ? value : { ...value, apiVersion, items: all.map((one) => one.value) },
  };
}

function convertOne(value: JsonObject, to: Target): Listing {
  const fate = convertObject(value, to);
  if (fate.type === "converted") return { converted: [fate.result], unknown: [], value: fate.result.object };
  return { converted: [], unknown: fate.type === "unknown" ? [fate.title] : [], value };
}

/** JSON, which has no comments, and a style of its own. */
function jsonOf(text: string): unknown {
  const trimmed = text.replace(/^\uFEFF?\s*(?:---\s*\n)?/, "");
  if (!trimmed.startsWith("{")) return undefined;
  try {
    return JSON.parse(trimmed) as unknown;
  } catch {
    return undefined;
  }
}

function printJson(text: string, json: unknown, listing: Listing): string {
  const editing: Editing = { document: new Document(json), changed: new Set() };
  edit(editing, listing);
  const [lead = ""] = /^[^{]*/.exec(text) ?? [];
  const [tail = ""] = /\s*$/.exec(text) ?? [];
  const [, indent] = /\{\r?\n([ \t]+)"/.exec(text) ?? [];
  return `${lead}${JSON.stringify(editing.document.toJS(), null, indent)}${tail}`;
}

type Written = Pick<ConvertedDocument, "text" | "lostComments" | "hasWrittenOut">;

/**
 * The text that has the converted value and all comments, with as many lines of the source as possible. Lines are taken over
 * first; then the whole document is printed; then aliases are written out.
 */
function bestOf(text: string, listing: Listing): Written {
  const written: Written[] = [];
  for (const hasWrittenOut of [false, true]) {
    for (const print of [printLines, printWhole]) {
      const source = parsed(text);
      if (hasWrittenOut) writeOutAliases(source);
      const result = print(text, source, listing);
      const after = result === undefined ? undefined : sound(result, listing.value);
      if (result === undefined || !after) continue;
      const lost = lostComments({ document: parsed(text), text }, after);
      const one = { text: result, lostComments: lost, hasWrittenOut };
      if (lost.length === 0) return one;
      written.push(one);
    }
  }
  const [best] = written.toSorted((a, b) => a.lostComments.length - b.lostComments.length);
  if (best) return best;
  throw new Error(`no text has the converted value of:\n${text}`);
}

function parsed(text: string): Document {
  const [document] = parseAllDocuments(text, READING);
  const only: Document = document ?? new Document();
  reattachComments(only, text);
  return only;
}

/** The document of a text, if it has a value. */
function sound(text: string, value: unknown): Document | undefined {
  const [document, ...more] = parseAllDocuments(text, READING) as unknown as Document[];
  if (!document || more.length > 0 || document.errors.length > 0) return undefined;
  return deepEqual(valueOf(document), value) ? document : undefined;
}

function valueOf(document: Document): unknown {
  try {
    return document.toJS() as unknown;
  } catch {
    // An alias before its anchor.
    return undefined;
  }
}

/** Changes the document so that it has the value of the listing. */
function edit(editing: Editing, { converted, value }: Listing): void {
  const { contents } = editing.document;
  const objects = [...converted];
  const move = (node: unknown, desired: unknown): void => {
    if (!isFields(node)) return;
    const next = objects.find(({ object }) => object === desired);
    if (next) moveFields(editing, node, next.moves);
    else if (isJsonObject(desired)) for (const [item, one] of itemsOf(node, desired)) move(item, one);
  };
  move(contents, value);
  if (contents) editing.document.contents = fitNode(editing, contents, value) as never;
}

/** The nodes of the items of a list, each with its desired value. */
function itemsOf(list: FieldMap, { items }: JsonObject): readonly (readonly [Node, unknown])[] {
  const nodes = fieldIn(list, "items")?.value;
  if (!isSeq<Node>(nodes) || !Array.isArray(items)) return [];
  return nodes.items.map((node, index) => [node, items[index]] as const);
}

function lineEndOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** With all lines of the source whose fields did not change. */
function printLines(text: string, document: Document, listing: Listing): string | undefined {
  const root = document.contents as Collection | null;
  if (!isBlock(root) || !root.range) return undefined;
  const [start] = root.range;
  // The range of a map whose last value is not set ends before the line does.
  const end = nextLine(text, root.range[1]);
  const layout = layoutOf(text, root, end);
  const style = styleOf(text, document);
  const editing: Editing = { document, changed: new Set() };
  // The comment above the first field is above the lines that are printed.
  const [first] = root.items;
  if (isPair<Node, Node>(first)) first.key.commentBefore = null;
  edit(editing, listing);
  const source = { text, layout, style, changed: editing.changed, lineEnd: lineEndOf(text) };
  const lines = printChanged(source, root);
  const isEnded = text.slice(start, end).endsWith("\n") || end < text.length;
  return text.slice(0, start) + (isEnded ? lines : lines.trimEnd()) + text.slice(end);
}

/** In the parser's own style. */
function printWhole(text: string, document: Document, listing: Listing): string | undefined {
  const style = styleOf(text, document);
  edit({ document, changed: new Set() }, listing);
  try {
    const bom = text.startsWith("\uFEFF") ? "\uFEFF" : "";
    return bom + document.toString(style).replaceAll("\n", lineEndOf(text));
  } catch {
    // An alias whose anchor is gone.
    return undefined;
  }
}
