import type { StoredObject } from "../storage/storage.ts";
import { since } from "./human-duration.ts";

/** What a cell of a Table may hold. */
export type Cell = string | number | boolean | null;

/** A column as a Table describes it. */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  /** `name` marks the column that identifies the rows. */
  readonly format: string;
  readonly description: string;
  /** Above zero: shown only by `-o wide`. */
  readonly priority: number;
}

/** A column and how its cells are filled. */
export interface Column extends ColumnDefinition {
  readonly cell: (object: StoredObject, now: number) => Cell;
}

/** A column that is always shown; its type is string by default. */
export function column(
  name: string,
  description: string,
  cell: Column["cell"] | { readonly type: "integer" | "boolean" | "date"; readonly cell: Column["cell"] },
): Column {
  const definition = typeof cell === "function" ? { type: "string", cell } : cell;
  return { name, format: "", description, priority: 0, ...definition };
}

/** A column that only `-o wide` shows. */
export function wideColumn(name: string, description: string, cell: Column["cell"]): Column {
  return { ...column(name, description, cell), priority: 1 };
}

/** The first column of every kind. */
export const NAME: Column = {
  ...column("Name", "The name of the object, unique among its kind in its namespace.", ({ metadata }) =>
    text(metadata.name),
  ),
  format: "name",
};

/** The column with the time since creation. */
export const AGE: Column = column("Age", "The time since the object was created.", ({ metadata }, now) =>
  since(metadata.creationTimestamp, now),
);

/** The column with the time of creation, for kinds without columns of their own. */
export const CREATED_AT: Column = column("Created At", "When the object was created.", {
  type: "date",
  cell: ({ metadata }) => text(metadata.creationTimestamp),
});

/** The text of an empty cell. */
export const NONE = "<none>";

/**
 * The value at a path, undefined if there is none.
 *
 * Kubernetes' own kinds may be stored without validation of all fields, so no field is trusted to have the right type.
 */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const field of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, field)) return undefined;
    found = (found as Record<string, unknown>)[field];
  }
  return found;
}

/** A text, empty for anything else. */
export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A number, zero for anything else. */
export function count(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** A list, empty for anything else. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The fields of an object, none for anything else. */
export function fields(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

/** A map of texts as `a=1,b=2`. */
export function formatLabels(value: unknown): string {
  const pairs = fields(value).map(([key, one]) => `${key}=${text(one)}`);
  return pairs.length === 0 ? NONE : pairs.sort().join(",");
}

/** Whether a list of conditions has one of the type that is true. */
export function isConditionTrue(conditions: unknown, type: string): boolean {
  return list(conditions).some((one) => at(one, "type") === type && at(one, "status") === "True");
}

const OPERATORS: Readonly<Record<string, (key: string, values: string) => string>> = {
  In: (key, values) => `${key} in (${values})`,
  NotIn: (key, values) => `${key} notin (${values})`,
  Exists: (key) => key,
  DoesNotExist: (key) => `!${key}`,
};

/** A selector object as kubectl writes selectors, ordered by key. */
export function formatSelectorObject(selector: unknown): string {
  const labels = fields(at(selector, "matchLabels")).map(([key, value]) => [key, `${key}=${text(value)}`]);
  const expressions = list(at(selector, "matchExpressions")).map((one) => {
    const key = text(at(one, "key"));
    const values = list(at(one, "values")).map(text).sort().join(",");
    return [key, OPERATORS[text(at(one, "operator"))]?.(key, values) ?? "<error>"];
  });
  const sorted = [...labels, ...expressions].sort(([a = ""], [b = ""]) => (a < b ? -1 : Number(a > b)));
  return sorted.length === 0 ? NONE : sorted.map(([, shown]) => shown).join(",");
}
