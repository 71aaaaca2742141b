import type { Kind } from "@capstan/api";

// Every cache read needs the id, and a new string would have to be hashed again.
const ids = new WeakMap<Kind, string>();

/** Identifies a kind by group, version and kind: two descriptions of one kind have the same id. */
export function kindId(kind: Kind): string {
  const known = ids.get(kind);
  if (known !== undefined) return known;
  const id = `${kind.apiVersion}/${kind.kind}`;
  ids.set(kind, id);
  return id;
}
