import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  visit,
  type YAMLMap,
} from "yaml";
import { MERGE, nameOf } from "./edited-map.ts";

/** Replaces all aliases and merge keys of a document by copies of what they stand for. */
export function writeOutAliases(document: Document): void {
  visit(document, {
    Alias: (_, alias) => {
      const copy = alias.resolve(document)?.clone() as Exclude<Node, typeof alias> | undefined;
      if (!copy) return undefined;
      delete copy.anchor;
      copy.comment = alias.comment ?? null;
      copy.commentBefore = alias.commentBefore ?? null;
      return copy;
    },
  });
  visit(document, {
    Node: (_, node) => {
      if (!isAlias(node)) delete node.anchor;
    },
    Map: (_, map) => mergeInto(map),
  });
}

function mergeInto(map: YAMLMap): void {
  map.items = map.items.flatMap((pair): Pair[] => {
    if (!isScalar(pair.key) || nameOf(pair.key) !== MERGE) return [pair];
    const sources = isSeq(pair.value) ? pair.value.items : [pair.value];
    const names = new Set(map.items.map(({ key }) => (isScalar(key) ? key.value : undefined)));
    return sources.filter(isMap).flatMap((source) =>
      source.items.filter(({ key }) => {
        const name = isScalar(key) ? key.value : undefined;
        const isNew = !names.has(name);
        names.add(name);
        return isNew;
      }),
    );
  });
}
