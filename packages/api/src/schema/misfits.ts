/**
 * Where a value has not the shape that its schema describes.
 *
 * Only what a reader of the typed value relies on is looked at: types, words of an enum, fields that must be there.
 * Lengths, patterns and rules are the server's to check.
 */
import { isJsonObject } from "../values/json-object.ts";

/** A place where a value has not the shape that its schema describes. */
export interface Misfit {
  /** The path to the place, such as `spec.files[0].path`; empty for the value itself. */
  readonly field: string;
  /** What is there; undefined when a field is missing. */
  readonly value: unknown;
  /** What would be right, such as `must be a string`. */
  readonly expected: string;
}

type Schema = Readonly<Record<string, unknown>>;

/** Finds the misfits of a value, one after the other. */
export function* misfits(schema: unknown, value: unknown, field = ""): Generator<Misfit, undefined> {
  if (!isJsonObject(schema) || (value === null && schema["nullable"] === true)) return;
  const expected = expectation(schema, value);
  if (expected !== undefined) yield { field, value, expected };
  else if (Array.isArray(value)) yield* listMisfits(schema, value, field);
  else if (isJsonObject(value)) yield* fieldMisfits(schema, value, field);
}

interface Shape {
  readonly words: string;
  readonly test: (value: unknown) => boolean;
}

const SHAPES: ReadonlyMap<unknown, Shape> = new Map<unknown, Shape>([
  ["object", { words: "an object", test: isJsonObject }],
  ["array", { words: "a list", test: Array.isArray }],
  ["string", { words: "a string", test: (value) => typeof value === "string" }],
  ["boolean", { words: "true or false", test: (value) => typeof value === "boolean" }],
  ["number", { words: "a number", test: (value) => typeof value === "number" }],
  ["integer", { words: "a whole number", test: Number.isInteger }],
]);

/** What a value of the schema must be, when the given one is not. */
function expectation(schema: Schema, value: unknown): string | undefined {
  if (schema["x-kubernetes-int-or-string"] === true) {
    const fine = typeof value === "string" || Number.isInteger(value);
    return fine ? undefined : "must be a whole number or a string";
  }
  const shape = SHAPES.get(schema["type"]);
  if (shape && !shape.test(value)) return `must be ${shape.words}`;
  const words: unknown = schema["enum"];
  return Array.isArray(words) && !words.includes(value) ? `must be one of ${words.join(", ")}` : undefined;
}

function* listMisfits(schema: Schema, list: readonly unknown[], field: string): Generator<Misfit> {
  for (const [index, item] of list.entries()) yield* misfits(schema["items"], item, `${field}[${index}]`);
}

function* fieldMisfits(schema: Schema, value: Schema, field: string): Generator<Misfit> {
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  for (const [name, property] of entriesOf(schema["properties"])) {
    const found = Object.hasOwn(value, name) ? value[name] : undefined;
    const matters = found !== undefined || required.includes(name);
    if (matters) yield* misfits(property, found, field === "" ? name : `${field}.${name}`);
  }
  const others = schema["additionalProperties"];
  if (!isJsonObject(others)) return;
  for (const [key, entry] of Object.entries(value)) yield* misfits(others, entry, `${field}[${key}]`);
}

function entriesOf(value: unknown): [string, unknown][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}
