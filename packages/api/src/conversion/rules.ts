/**
 * The rules of conversions between an older and a newer version of a kind. A rule says in one place how a field goes up
 * to the newer version and down to the older one; fields without a rule are the same in both.
 */
import { formatDuration, parseDuration, DurationError } from "../values/duration.ts";
import { isJsonObject, type JsonObject } from "../values/json-object.ts";
import type { ConversionContext } from "./conversion.ts";
import { fieldAt, fieldPath, type Fields, putField, takeField } from "./field-path.ts";

/** A conversion under way. */
export interface Pass extends ConversionContext {
  /** The object, or an item of one of its lists; it is changed in place. */
  readonly object: Fields;
  /** On the way up: what the older object carries of the newer one because it has no fields for it. */
  readonly restored: JsonObject;
  /** On the way down: the same, to be carried. */
  readonly carried: Fields;
  /** The namespace of the whole object. */
  readonly namespace: string | undefined;
  /** What the client should know. */
  readonly warnings: string[];
}

/** How some fields are converted. */
export interface FieldRule {
  /** The paths that the rule takes care of, in each version. */
  readonly older: readonly string[];
  readonly newer: readonly string[];
  readonly up: (pass: Pass) => void;
  readonly down: (pass: Pass) => void;
  /** Where single fields go, if the rule takes care of several; a rule with one path in each version needs none. */
  readonly moves?: readonly { readonly older: string; readonly newer: string }[];
  /** The rules of the items of a list, by the path of the list in the newer version. */
  readonly inner?: { readonly list: string; readonly rules: readonly FieldRule[] };
}

/** A field with another path. */
export function moved(older: string, newer: string): FieldRule {
  const [from, to] = [fieldPath(older), fieldPath(newer)];
  return {
    older: [older],
    newer: [newer],
    up: ({ object }) => move(object, from, to),
    down: ({ object }) => move(object, to, from),
  };
}

function move(object: Fields, from: readonly string[], to: readonly string[]): void {
  const value = takeField(object, from);
  if (value !== undefined) putField(object, to, value);
}

// The largest number that the newer version accepts.
const MOST_SECONDS = 2 ** 31 - 1;

/** Whether a value is a number of seconds that the newer version accepts. */
export function isSeconds(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MOST_SECONDS;
}

/** A duration in Go's grammar that became a whole number of seconds. Parts of a second are lost. */
export function seconds(older: string, newer: string): FieldRule {
  const [from, to] = [fieldPath(older), fieldPath(newer)];
  return {
    older: [older],
    newer: [newer],
    up: ({ object, warnings }) => {
      const value = takeField(object, from);
      if (value === undefined) return;
      const count = secondsOf(value);
      // A value that is not a duration stays, so that the schema of the newer version refuses it.
      putField(object, to, count?.whole ?? value);
      if (!count) warnings.push(`${older}: ${JSON.stringify(value)} is not a duration`);
      else if (count.isCut) warnings.push(`${older}: ${JSON.stringify(value)} became ${count.whole} seconds`);
    },
    down: ({ object }) => {
      const value = takeField(object, to);
      if (value !== undefined) putField(object, from, durationOf(value));
    },
  };
}

function durationOf(value: unknown): unknown {
  return typeof value === "number" ? formatDuration(value * 1000) : value;
}

/** A duration in whole seconds, and whether that is less than it was. */
function secondsOf(value: unknown): { readonly whole: number; readonly isCut: boolean } | undefined {
  if (typeof value !== "string") return undefined;
  try {
    const exact = parseDuration(value) / 1000;
    // Zero has no sign in JSON.
    const whole = Math.min(Math.trunc(exact), MOST_SECONDS) || 0;
    return { whole, isCut: whole !== exact };
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    return undefined;
  }
}

/**
 * A field whose zero value means "not set" in the older version, and has a meaning of its own in the newer one: a zero goes
 * up only if it is known to come from there.
 */
export function intent(older: string, newer: string, zero: boolean | number = false): FieldRule {
  const [from, to] = [fieldPath(older), fieldPath(newer)];
  return {
    older: [older],
    newer: [newer],
    up: ({ object, restored }) => {
      const value = takeField(object, from);
      const isMeant = value !== zero || fieldAt(restored, to) === zero;
      if (value !== undefined && isMeant) putField(object, to, value);
    },
    down: ({ object, carried }) => {
      const value = takeField(object, to);
      if (value !== undefined) putField(object, from, value);
      if (value === zero) putField(carried, to, zero);
    },
  };
}

/** The same for a duration that became a number of seconds. */
export function intendedSeconds(older: string, newer: string): FieldRule {
  const plain = seconds(older, newer);
  const [from, to] = [fieldPath(older), fieldPath(newer)];
  return {
    ...plain,
    up: (pass) => {
      const isZero = isZeroDuration(fieldAt(pass.object, from));
      plain.up(pass);
      if (isZero && fieldAt(pass.restored, to) !== 0) takeField(pass.object, to);
    },
    down: (pass) => {
      if (fieldAt(pass.object, to) === 0) putField(pass.carried, to, 0);
      plain.down(pass);
    },
  };
}

function isZeroDuration(value: unknown): boolean {
  return typeof value === "string" && /^0[a-zµ]*$/.test(value.replaceAll(/0[a-zµ]+(?=0)/g, ""));
}

/** A field that only the newer version has: the older object carries it. */
export function newerOnly(newer: string, isValid: (value: unknown) => boolean): FieldRule {
  const path = fieldPath(newer);
  return {
    older: [],
    newer: [newer],
    up: ({ object, restored, warnings }) => {
      const value = fieldAt(restored, path);
      if (value === undefined) return;
      if (isValid(value)) putField(object, path, structuredClone(value));
      else warnings.push(ignored(newer));
    },
    down: ({ object, carried }) => {
      const value = takeField(object, path);
      if (value !== undefined) putField(carried, path, value);
    },
  };
}

/** What a client reads about a value of an annotation that no conversion wrote. */
export function ignored(newer: string): string {
  return `${newer}: the restored value is not valid and was ignored`;
}

/** A field that only the older version has, and that is lost. */
export function olderOnly(older: string): FieldRule {
  const path = fieldPath(older);
  return {
    older: [older],
    newer: [],
    up: ({ object, warnings }) => {
      if (takeField(object, path) !== undefined)
        warnings.push(`${older}: was dropped, because the newer version has no such field`);
    },
    down: () => undefined,
  };
}

/** A whole number that only the older version has: the newer object carries it as an annotation. */
export function annotated(older: string, annotation: string): FieldRule {
  const path = fieldPath(older);
  const place = ["metadata", "annotations", annotation];
  return {
    older: [older],
    newer: [],
    up: ({ object }) => {
      const value = takeField(object, path);
      if (typeof value === "number") putField(object, place, String(value));
    },
    down: ({ object, warnings }) => {
      const text = takeField(object, place);
      if (typeof text !== "string") return;
      if (/^\d{1,9}$/.test(text)) putField(object, path, Number(text));
      else
        warnings.push(`metadata.annotations[${annotation}]: ${JSON.stringify(text)} is not a whole number`);
    },
  };
}

/** A list whose items have rules of their own. */
interface ItemRules {
  /** The path of the list in the newer version. */
  readonly list: string;
  /** Its path in the older version, if that differs; another rule moves the list. */
  readonly olderList?: string;
  /** The field that tells items apart. */
  readonly key: string;
  readonly rules: readonly FieldRule[];
}

/** Rules for each item of a list. They follow the rule that moves the list up. */
export function inItems({ list, olderList = list, key, rules }: ItemRules): FieldRule {
  const path = fieldPath(list);
  return {
    inner: { list, rules },
    older: rules.flatMap(({ older }) => older.map((one) => `${olderList}[].${one}`)),
    newer: rules.flatMap(({ newer }) => newer.map((one) => `${list}[].${one}`)),
    up: (pass) => {
      const restored = itemsAt(pass.restored, path);
      for (const item of itemsAt(pass.object, path)) {
        const same = restored.find((one) => one[key] !== undefined && one[key] === item[key]) ?? {};
        for (const { up } of rules) up({ ...pass, object: item, restored: same });
      }
    },
    down: (pass) => {
      const carried = itemsAt(pass.object, path).flatMap((item) => {
        const own: Fields = {};
        for (const { down } of rules.toReversed()) down({ ...pass, object: item, carried: own });
        return Object.keys(own).length > 0 ? [{ [key]: item[key], ...own }] : [];
      });
      if (carried.length > 0) putField(pass.carried, path, carried);
    },
  };
}

function itemsAt(object: JsonObject, path: readonly string[]): Fields[] {
  const list = fieldAt(object, path);
  return Array.isArray(list) ? list.filter((item): item is Fields => isJsonObject(item)) : [];
}
