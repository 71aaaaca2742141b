/** The nodes of a YAML document while a conversion changes it. */
import { type Document, isAlias, isMap, isScalar, type Node, Pair, Scalar, visit, YAMLMap } from "yaml";

/** A document that is being changed. */
export interface Editing {
  readonly document: Document;
  /** Pairs, items and collections whose text is no longer that of the source. */
  readonly changed: Set<unknown>;
}

/** A field of a map: its name, and its value. */
export type Field = Pair<Scalar, Node>;

/** A map whose keys are names. */
export type FieldMap = YAMLMap<Scalar, Node>;

/** Whether a node is a map of fields; a map with other keys is not part of a Kubernetes object. */
export function isFields(node: unknown): node is FieldMap {
  return isMap(node) && node.items.every(({ key }) => isScalar(key));
}

/** The name of a field; a merge key, which the parser makes a symbol, is `<<`. */
export function nameOf(key: Scalar): string {
  return typeof key.value === "symbol" ? (key.value.description ?? "") : String(key.value);
}

/** The key that merges the fields of another map. */
export const MERGE = "<<";

/** The position of a field in a map, or -1. */
export function positionOf({ items }: FieldMap, name: string): number {
  return items.findIndex(({ key }) => nameOf(key) === name);
}

/** The field of a name. Fields that a merge key adds do not count. */
export function fieldIn(map: FieldMap, name: string): Field | undefined {
  return map.items[positionOf(map, name)];
}

/** Gives a field another name, and keeps its comments. */
export function rename({ key }: Field, name: string): void {
  key.value = name;
  delete key.source;
}

/** A field with a new name and value. */
export function newField(editing: Editing, name: string, value: Node): Field {
  return new Pair(editing.document.createNode(name), value);
}

/** An empty map, in the style of another one. */
export function newMap(flow: boolean | undefined): FieldMap {
  const map = new YAMLMap<Scalar, Node>();
  if (flow === true) map.flow = true;
  return map;
}

// Texts that YAML 1.1, which kubectl reads, takes for another type.
const AMBIGUOUS = /^(?:y|n|yes|no|on|off|true|false|null|~|[-+.]?\d.*)$/i;

/** The node of a new value. */
export function nodeOf({ document }: Editing, value: unknown): Node {
  const node = document.createNode(value) as Node;
  visit(node, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === "string" && AMBIGUOUS.test(scalar.value)) scalar.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return node;
}

/** A comment, or several one below the other. */
export function joinedComments(...comments: readonly (string | null | undefined)[]): string | undefined {
  const given = comments.filter((one) => one !== undefined && one !== null && one !== "");
  return given.length === 0 ? undefined : given.join("\n");
}

/** Gives a node the comments of the one that it replaces. */
export function withCommentsOf<T extends Node>(node: T, old: Node): T {
  node.commentBefore ??= old.commentBefore ?? null;
  node.comment ??= old.comment ?? null;
  if (old.spaceBefore) node.spaceBefore = true;
  if (!isAlias(node) && !isAlias(old) && old.anchor !== undefined) node.anchor = old.anchor;
  return node;
}
