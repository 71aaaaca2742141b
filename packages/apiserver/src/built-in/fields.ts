/** Accessors for objects whose types have been checked already, but which TypeScript does not know. */

/** A JSON object. */
export type Fields = Record<string, unknown>;

const NOTHING: Fields = Object.freeze({});

/** The object in a field; an empty one, which must not be changed, if there is none. */
export function objectIn(fields: Fields, name: string): Fields {
  return (fields[name] as Fields | undefined) ?? NOTHING;
}

/** The objects in a list. */
export function objectsIn(fields: Fields, name: string): readonly Fields[] {
  return (fields[name] as readonly Fields[] | undefined) ?? [];
}

/** The text in a field; an empty one when there is none. */
export function textIn(fields: Fields, name: string): string {
  return (fields[name] as string | undefined) ?? "";
}

/** The number in a field; zero when there is none. */
export function numberIn(fields: Fields, name: string): number {
  return Number(fields[name] ?? 0);
}

/** Sets missing fields. */
export function fillIn(fields: Fields, defaults: Readonly<Fields>): void {
  for (const name in defaults) fields[name] ??= defaults[name];
}

/** The object in a field, created if there is none. */
export function objectMadeIn(fields: Fields, name: string): Fields {
  return (fields[name] ??= {}) as Fields;
}
