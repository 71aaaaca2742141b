/** The comments of a document: to which field each belongs, and which of them a change has lost. */
import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isPair,
  type Node,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { joinedComments } from "./edited-map.ts";

/**
 * Gives each comment to the field below it. The parser leaves the comment above the first field of a map to the map, and
 * those between two fields to a list or map before them, even if they are not indented below it.
 */
export function reattachComments(document: Document, text: string): void {
  visit(document, {
    Collection: (_, collection, path) => {
      if (collection.flow === true) return;
      const holder = path.at(-1);
      if (isPair(holder)) reattachFirst(text, starting(holder), collection);
      const column = columnOf(text, collection.range?.[0] ?? 0);
      if (path.length > 1) hoistLast(text, collection, path.filter(isCollection));
      for (const [index, child] of collection.items.entries())
        reattach(text, column, { before: ending(child), after: starting(collection.items[index + 1]) });
    },
  });
}

/** A comment beside the name of a field belongs to the field, those in the lines below it to its first part. */
function reattachFirst(text: string, key: Node | undefined, collection: YAMLMap | YAMLSeq): void {
  const first = starting(collection.items[0]);
  if (!first || !collection.commentBefore) return;
  const [beside = ""] = text.slice(key?.range?.[1], collection.range?.[0]).split("\n");
  const comments = collection.commentBefore.split("\n");
  const own = beside.includes("#") ? comments.splice(0, 1) : [];
  collection.commentBefore = joinedComments(...own) ?? null;
  first.commentBefore = joinedComments(...comments, first.commentBefore) ?? null;
}

/** Comments after the last field belong to the innermost map that is not indented more than they are. */
function hoistLast(
  text: string,
  collection: YAMLMap | YAMLSeq,
  holders: readonly (YAMLMap | YAMLSeq)[],
): void {
  if (!collection.comment || !collection.range) return;
  const count = collection.comment.split("\n").length;
  const lines = text.slice(collection.range[1]).split("\n").filter(isComment).slice(0, count);
  const isOwn = (line: string): boolean => line.indexOf("#") >= columnOf(text, collection.range?.[0] ?? 0);
  if (lines.length < count || lines.every(isOwn)) return;
  collection.comment = joinedComments(...lines.filter(isOwn).map(contentOf)) ?? null;
  for (const line of lines.filter((one) => !isOwn(one))) {
    const holder = holders.findLast((one) => columnOf(text, one.range?.[0] ?? 0) <= line.indexOf("#"));
    if (holder) holder.comment = joinedComments(holder.comment, contentOf(line)) ?? null;
  }
}

function isComment(line: string): boolean {
  return line.trimStart().startsWith("#");
}

function ending(child: unknown): Node | undefined {
  const node = isPair(child) ? child.value : child;
  return isCollection(node) && node.flow !== true ? node : undefined;
}

function starting(child: unknown): Node | undefined {
  const node = isPair(child) ? child.key : child;
  return isNode(node) ? node : undefined;
}

function reattach(
  text: string,
  column: number,
  { before, after }: { readonly before: Node | undefined; readonly after: Node | undefined },
): void {
  if (!before?.range || !after?.range || !before.comment) return;
  const lines = text.slice(before.range[1], after.range[0]).split("\n").filter(isComment);
  const split = lines.findLastIndex((line) => line.indexOf("#") > column) + 1;
  if (split === lines.length) return;
  before.comment = joinedComments(...lines.slice(0, split).map(contentOf)) ?? null;
  after.commentBefore = joinedComments(...lines.slice(split).map(contentOf), after.commentBefore) ?? null;
}

function contentOf(line: string): string {
  return line.slice(line.indexOf("#") + 1).trimEnd();
}

/** The column of a character. */
export function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf("\n", offset - 1) + 1);
}

/** The lines of all comments, without the sign before them. */
function commentLines(document: Document): string[] {
  const texts: (string | null | undefined)[] = [document.commentBefore, document.comment];
  const add = (node: unknown): void => {
    if (isNode(node)) texts.push(node.commentBefore, node.comment);
  };
  visit(document, {
    Pair: (_, { key, value }) => [key, value].forEach((one) => isMap(one) || add(one)),
    Node: (key, node) => {
      if (key !== "key" && (key !== "value" || isMap(node))) add(node);
    },
  });
  return texts.flatMap((text) => (text ?? "").split("\n").map((line) => line.trim())).filter(Boolean);
}

/** A comment that is not in the changed document. */
export interface LostComment {
  readonly comment: string;
  /** Its line in the text, from 1. */
  readonly line: number;
}

/** The comments of a text that its changed form does not have. */
export function lostComments(
  before: { readonly document: Document; readonly text: string },
  after: Document,
): readonly LostComment[] {
  const left = new Map<string, number>();
  for (const line of commentLines(after)) left.set(line, (left.get(line) ?? 0) + 1);
  const lines = before.text.split(/\r?\n/);
  return commentLines(before.document).flatMap((comment) => {
    const count = left.get(comment) ?? 0;
    left.set(comment, count - 1);
    const line = lines.findIndex((one) => one.trimEnd().endsWith(comment) && one.includes("#"));
    return count > 0 ? [] : [{ comment, line: line + 1 }];
  });
}
