import { Duration } from "@marcbachmann/cel-js/evaluator";
import { parseDuration } from "@capstan/api";
import { escapedName } from "./names.ts";
import type { SchemaNode } from "../schema/node.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * A value as CEL sees it, typed by its schema: integers are 64 bits, numbers are doubles even if they are whole, times are
 * times. Fields without a schema cannot be named by rules and are left out of objects with properties.
 */
export function celValue(node: SchemaNode, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = node;
    return items ? value.map((item) => celValue(items, item)) : value.map(untyped);
  }
  if (typeof value === "object" && value !== null) return celMap(node, value as Fields);
  if (typeof value === "number") return number(node, value);
  return typeof value === "string" ? text(node, value) : value;
}

/** The root of an object, or an embedded one: beside its fields only its type and its name are visible. */
export function celRoot(node: SchemaNode, value: unknown): unknown {
  const { apiVersion, kind, metadata } = value as Fields;
  const { name, generateName } = (metadata ?? {}) as Fields;
  const visible = (fields: Fields) =>
    new Map(Object.entries(fields).filter(([, field]) => field !== undefined));
  const fields = celMap(node, value as Fields);
  return new Map([
    ...fields,
    ...visible({ apiVersion, kind }),
    ["metadata", visible({ name, generateName })],
  ]);
}

function celMap(node: SchemaNode, value: Fields): ReadonlyMap<string, unknown> {
  const fields = Object.entries(value).filter(([, field]) => field !== null && field !== undefined);
  if (typeof node.additional === "object") {
    const { additional } = node;
    return new Map(fields.map(([name, field]) => [name, celValue(additional, field)]));
  }
  if (node.properties.size === 0) return new Map(fields.map(([name, field]) => [name, untyped(field)]));
  return new Map(fields.flatMap(([name, field]) => entriesOf(node, name, field)));
}

/** A property under its escaped name, and under its own: a rule may use a reserved word after a dot. */
function entriesOf(node: SchemaNode, name: string, field: unknown): [string, unknown][] {
  const child = node.properties.get(name);
  if (!child) return [];
  const value = celValue(child, field);
  const escaped = escapedName(name);
  return escaped === undefined || escaped === name
    ? [[name, value]]
    : [
        [escaped, value],
        [name, value],
      ];
}

function number({ types }: SchemaNode, value: number): unknown {
  return Number.isInteger(value) && !types.includes("number") ? BigInt(value) : value;
}

function text({ limits, types }: SchemaNode, value: string): unknown {
  if (types.length !== 1) return value;
  switch (limits.format?.name ?? "") {
    case "date":
    case "date-time":
    case "datetime":
      return new Date(value);
    case "duration":
      return Duration.fromMilliseconds(parseDuration(value));
    case "byte":
      return Buffer.from(value, "base64");
    default:
      return value;
  }
}

function untyped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(untyped);
  if (typeof value === "object" && value !== null)
    return new Map(Object.entries(value).map(([name, field]) => [name, untyped(field)]));
  return typeof value === "number" && Number.isInteger(value) ? BigInt(value) : value;
}
