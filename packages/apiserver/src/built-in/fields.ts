/** Reading and filling objects whose types have been checked already, but which TypeScript knows nothing about. */

/** A JSON object. */
export type Fields = Record<string, unknown>;

const NOTHING: Fields = Object.freeze({});

/** The object in a field; an empty one, which must not be changed, when there is none. */
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

/** Fills in what is missing. */
export function fillIn(fields: Fields, defaults: Readonly<Fields>): void {
  for (const name in defaults) fields[name] ??= defaults[name];
}

/** The object in a field, made when there is none. */
export function objectMadeIn(fields: Fields, name: string): Fields {
  return (fields[name] ??= {}) as Fields;
}
