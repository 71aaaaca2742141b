import { assignOwn, deepEqual, isJsonObject } from "@capstan/api";
import type { SchemaNode } from "../schema/node.ts";

/** One value in the stored version of its object. */
interface Values {
  /** As it is stored. */
  readonly stored: unknown;
  /** As it is after a conversion to the version of the request and back: what a client of that version can see of it. */
  readonly seen: unknown;
  /** As the request sets it. */
  readonly next: unknown;
}

/**
 * The value to store after a write in another version. What the request does not change stays exactly as it is stored,
 * also if the other version cannot express it: the client has not seen it, and cannot have meant to remove it.
 */
export function keepUnseen(schema: SchemaNode | undefined, { stored, seen, next }: Values): unknown {
  if (deepEqual(next, seen)) return stored;
  if (Array.isArray(next) && Array.isArray(seen) && Array.isArray(stored))
    return keepItems(next, seen, stored);
  const isPart = schema?.mapType !== "atomic" && isJsonObject(next) && isJsonObject(stored);
  return isPart ? keepFields(schema, { stored, seen: isJsonObject(seen) ? seen : {}, next }) : next;
}

/** Items are kept whole: which of them belong together is known only while their number stays. */
function keepItems(next: unknown[], seen: unknown[], stored: readonly unknown[]): unknown[] {
  if (stored.length !== seen.length) return next;
  return next.map((item, index) =>
    index < seen.length && deepEqual(item, seen[index]) ? stored[index] : item,
  );
}

type Fields = Readonly<Record<string, unknown>>;

function keepFields(
  schema: SchemaNode | undefined,
  { stored, seen, next }: { readonly stored: Fields; readonly seen: Fields; readonly next: Fields },
): Fields {
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys({ ...stored, ...next })) {
    const values = { stored: own(stored, name), seen: own(seen, name), next: own(next, name) };
    const value = keepUnseen(schema?.properties.get(name), values);
    if (value !== undefined) assignOwn(kept, name, value);
  }
  return kept;
}

function own(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}
