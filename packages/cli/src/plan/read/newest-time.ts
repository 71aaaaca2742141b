import { isJsonObject } from "@capstan/api";

// Timestamps of Kubernetes: RFC 3339, with or without fractions of a second.
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** A timestamp in milliseconds; undefined for any other text. */
export function timeOf(text: string): number | undefined {
  const ms = TIMESTAMP.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** The fields of an object that have past timestamps. */
interface Dated {
  readonly metadata: object;
  readonly status?: unknown;
}

/** The newest timestamp of objects: a dump cannot be older than that. */
export function newestTimeIn(objects: readonly Dated[]): number | undefined {
  return objects.map(newestOf).reduce(later, undefined);
}

// Objects of a watch are frozen and read again with each change of any other one of them.
const FOUND = new WeakMap<Dated, number | undefined>();

function newestOf(object: Dated): number | undefined {
  if (FOUND.has(object)) return FOUND.get(object);
  const { metadata, status } = object;
  const newest = newestIn([{ ...metadata, ...WITHOUT_FUTURE_TIMES }, status]);
  if (Object.isFrozen(object)) FOUND.set(object, newest);
  return newest;
}

// Annotations, like a spec, may hold times in the future: a join token expires an hour ahead.
const WITHOUT_FUTURE_TIMES = { annotations: undefined, labels: undefined };

function newestIn(value: unknown): number | undefined {
  if (typeof value === "string") return timeOf(value);
  const parts = Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
  return parts.reduce<number | undefined>((newest, part) => later(newest, newestIn(part)), undefined);
}

function later(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.max(one, other);
}
