/** Small parsers that turn places of a file into typed values and report problems. */
import { durationProblem, parseDuration } from "@capstan/api";
import { type Entry, isList, isMap, locateYaml, type Place } from "./located-yaml.ts";
import { suggestion } from "./near-names.ts";

/** A name in a scenario, in execution order. */
export interface Mention {
  readonly what: "cluster" | "scaleSet" | "manager";
  readonly name: string;
  /**
   * How the step uses it: `new` must not exist yet, `made` may exist, `used` and `gone` must exist, `seen` must have
   * existed.
   */
  readonly as: "new" | "made" | "used" | "gone" | "seen";
  readonly place: Pick<Place, "at" | "field">;
}

/** Shared state while a scenario is parsed. */
export interface Reading {
  /** Reports a problem at a place. */
  readonly report: (place: Pick<Place, "at" | "field">, message: string) => void;
  /** A file by its path relative to the naming file; reports a missing one. */
  readonly open: (place: Place, name: string) => OpenedFile | undefined;
  /** Records a name, for checks across the whole scenario. */
  readonly mention: (mention: Mention) => void;
}

/** A file with its contents. */
export interface OpenedFile {
  readonly file: string;
  readonly text: string;
}

/** Parses the value of a place; returns undefined after reporting a problem. */
export type Reader<T> = (place: Place, reading: Reading) => T | undefined;

type Readers = Readonly<Record<string, Reader<unknown>>>;
type ValuesOf<R extends Readers> = { readonly [K in keyof R]: R[K] extends Reader<infer T> ? T : never };

// A value can be a whole manifest; messages must stay readable.
const LONGEST_SHOWN = 60;

/** A value as shown in a message. */
export function shown({ value }: Pick<Place, "value">): string {
  if (isList(value)) return "a list";
  if (isMap(value)) return "a map";
  const json = JSON.stringify(value);
  return json.length > LONGEST_SHOWN ? `${json.slice(0, LONGEST_SHOWN)}…` : json;
}

/** A text that passes a test; `expected` completes "must be". */
export function text(
  expected: string,
  isRight: (text: string) => boolean = (given) => given !== "",
): Reader<string> {
  return (place, { report }) => {
    if (typeof place.value === "string" && isRight(place.value)) return place.value;
    report(place, `${shown(place)}: must be ${expected}`);
    return undefined;
  };
}

/** One of several words. */
export function oneOf<const T extends string>(words: readonly T[]): Reader<T> {
  return (place, { report }) => {
    const found = words.find((word) => word === place.value);
    if (found !== undefined) return found;
    const written = typeof place.value === "string" ? place.value : "";
    report(place, `${shown(place)}: ${suggestion({ written, known: words })}`);
    return undefined;
  };
}

/** True or false. */
export const trueOrFalse: Reader<boolean> = (place, { report }) => {
  if (typeof place.value === "boolean") return place.value;
  report(place, `${shown(place)}: must be true or false`);
  return undefined;
};

/** A whole number in a range. */
export function count(least: number, most: number): Reader<number> {
  return (place, { report }) => {
    const { value } = place;
    if (Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most) return Number(value);
    report(place, `${shown(place)}: must be a whole number from ${least} to ${most}`);
    return undefined;
  };
}

/** A duration above 0 in Go's grammar, in milliseconds. */
export const duration: Reader<number> = (place, { report }) => {
  const ms = typeof place.value === "string" ? millisecondsOf(place.value) : 0;
  if (ms > 0) return ms;
  report(place, `${shown(place)}: must be a duration above 0, such as 90s, 10m or 1h30m`);
  return undefined;
};

/** The milliseconds of a duration; 0 for an invalid one, because 0 is not allowed either. */
export function millisecondsOf(given: string): number {
  return durationProblem(given) === undefined ? parseDuration(given) : 0;
}

/** A list of items of one form. */
export function listOf<T>(item: Reader<T>): Reader<readonly T[]> {
  return (place, reading) => {
    if (isList(place.value)) return all(place.value.map((inside) => item(inside, reading)));
    reading.report(place, `${shown(place)}: must be a list`);
    return undefined;
  };
}

/** A map from names to values of one form, as pairs. */
export function mapOf<T>(
  name: Reader<string>,
  value: Reader<T>,
): Reader<readonly { readonly name: string; readonly value: T }[]> {
  return (place, reading) => {
    const pairs = [...(entriesOf(place, reading) ?? [])].map(([key, entry]) => {
      const read = value(entry.place, reading);
      const named = name({ at: entry.key, field: place.field, value: key }, reading);
      return read === undefined || named === undefined ? undefined : { name: named, value: read };
    });
    return isMap(place.value) ? all(pairs) : undefined;
  };
}

/** A map with known fields: required and optional ones. */
export function fields<R extends Readers, O extends Readers>(
  required: R,
  optional: O,
): Reader<ValuesOf<R> & Partial<ValuesOf<O>>> {
  const known = Object.keys({ ...required, ...optional });
  const read = someFields(required, optional);
  return (place, reading) => {
    const values = read(place, reading);
    const unknown = [...(isMap(place.value) ? place.value : [])].filter(([name]) => !known.includes(name));
    for (const [name, { key, place: inside }] of unknown) {
      const message = `unknown field; ${suggestion({ written: name, known })}`;
      reading.report({ at: key, field: inside.field }, message);
    }
    return unknown.length > 0 ? undefined : values;
  };
}

/** A map with some relevant fields. */
export function someFields<R extends Readers, O extends Readers>(
  required: R,
  optional: O,
): Reader<ValuesOf<R> & Partial<ValuesOf<O>>> {
  const readers = { ...required, ...optional };
  return (place, reading) => {
    const entries = entriesOf(place, reading);
    if (!entries) return undefined;
    const missing = Object.keys(required).filter((name) => !entries.has(name));
    for (const name of missing) {
      reading.report(place, `${name} is missing; it takes ${Object.keys(readers).join(", ")}`);
    }
    const values = Object.entries(readers).flatMap(([name, read]) => {
      const entry = entries.get(name);
      return entry ? [[name, read(entry.place, reading)] as const] : [];
    });
    if (missing.length > 0 || values.some(([, value]) => value === undefined)) return undefined;
    return Object.fromEntries(values) as ValuesOf<R> & Partial<ValuesOf<O>>;
  };
}

/** A map with exactly one of several fields. */
export function oneField<R extends Readers>(readers: R, what: string): Reader<ValuesOf<R>[keyof R]> {
  const known = Object.keys(readers);
  return (place, reading) => {
    const entries = entriesOf(place, reading);
    if (!entries) return undefined;
    const [only, second] = [...entries];
    if (!only || second) {
      const found = only ? `${[...entries.keys()].join(" and ")} in one ${what}` : `empty ${what}`;
      reading.report(place, `${found}; it has exactly one of ${known.join(", ")}`);
      return undefined;
    }
    const [name, entry] = only;
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (read) return read(entry.place, reading) as ValuesOf<R>[keyof R] | undefined;
    reading.report(
      { at: entry.key, field: entry.place.field },
      `unknown ${what}; ${suggestion({ written: name, known })}`,
    );
    return undefined;
  };
}

/** Converts the result of a reader. */
export function mapped<T, U>(
  reader: Reader<T>,
  change: (value: T, place: Place, reading: Reading) => U | undefined,
): Reader<U> {
  return (place, reading) => {
    const value = reader(place, reading);
    return value === undefined ? undefined : change(value, place, reading);
  };
}

/** The fields of a place that must be a map; reports anything else. */
function entriesOf(place: Place, { report }: Reading): ReadonlyMap<string, Entry> | undefined {
  if (isMap(place.value)) return place.value;
  report(place, `${shown(place)}: must be a map of fields`);
  return undefined;
}

/** The items of a list if none of them is undefined. */
function all<T>(items: readonly (T | undefined)[]): readonly T[] | undefined {
  return items.every((item) => item !== undefined) ? items : undefined;
}

/** The documents of a file; reports invalid YAML. */
export function documentsIn(
  { file, text: content }: OpenedFile,
  { report }: Reading,
): readonly Place[] | undefined {
  const located = locateYaml(file, content);
  if ("documents" in located) return located.documents;
  for (const { message, ...where } of located.problems) report(where, message);
  return undefined;
}
