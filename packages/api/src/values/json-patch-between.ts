import { isJsonObject } from "./json-object.ts";

/** One step of a JSON patch (RFC 6902). */
export type PatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

/**
 * The JSON patch that turns `before` into `after`; it touches nothing that is the same in both.
 *
 * Items of lists are compared place by place. Defaults change items and append some, and never move any; the search
 * for the fewest moves that libraries do takes the square of the length, which would let a client stop
 * the manager with a list of 100,000 items.
 */
export function jsonPatchBetween(before: unknown, after: unknown): PatchOperation[] {
  return [...changes(before, after, "")];
}

function* changes(before: unknown, after: unknown, path: string): Generator<PatchOperation> {
  if (before === after) return;
  if (Array.isArray(before) && Array.isArray(after)) yield* listChanges(before, after, path);
  else if (isJsonObject(before) && isJsonObject(after)) yield* fieldChanges(before, after, path);
  else yield { op: "replace", path, value: after };
}

function* listChanges(
  before: readonly unknown[],
  after: readonly unknown[],
  path: string,
): Generator<PatchOperation> {
  const shared = Math.min(before.length, after.length);
  for (let index = 0; index < shared; index++)
    yield* changes(before[index], after[index], `${path}/${index}`);
  // From the end, because each removal moves whatever comes after it.
  for (let index = before.length - 1; index >= shared; index--)
    yield { op: "remove", path: `${path}/${index}` };
  for (const value of after.slice(shared)) yield { op: "add", path: `${path}/-`, value };
}

function* fieldChanges(before: object, after: object, path: string): Generator<PatchOperation> {
  // Maps rather than look-ups by name: a key such as `__proto__` is data like any other.
  const old = presentFields(before);
  const now = presentFields(after);
  for (const name of old.keys()) if (!now.has(name)) yield { op: "remove", path: `${path}/${token(name)}` };
  for (const [name, value] of now) {
    const place = `${path}/${token(name)}`;
    if (old.has(name)) yield* changes(old.get(name), value, place);
    else yield { op: "add", path: place, value };
  }
}

/** A field that is undefined is a field that is not there. */
function presentFields(value: object): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(value).filter(([, field]) => field !== undefined));
}

function token(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
