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

/** Finds the misfits of a value, one after the other; `field` is the path to it. */
export function* misfits(schema: unknown, value: unknown, field = ""): Generator<Misfit, undefined> {
  const search: Search = { path: field === "" ? [] : [field], found: [] };
  lookOnce(search, schema, value);
  yield* search.found;
}

/** The schema that a frozen value has been found to fit. */
const fitted = new WeakMap<object, unknown>();

/**
 * Looks at a value unless it is frozen and has fitted before: nothing about it changes, and objects of which only the status
 * has changed, or only the spec, come by here all the time.
 */
function lookOnce(search: Search, schema: unknown, value: unknown): void {
  if (typeof value !== "object" || value === null || !Object.isFrozen(value)) {
    look(search, schema, value);
  } else if (fitted.get(value) !== schema) {
    const before = search.found.length;
    look(search, schema, value);
    if (search.found.length === before) fitted.set(value, schema);
  }
}

/** A walk through a value. Its path is written down only where something is found: nearly all values fit. */
interface Search {
  /** Fields of objects, places in lists, keys of maps. */
  readonly path: (string | number | { readonly key: string })[];
  readonly found: Misfit[];
}

function look(search: Search, schema: unknown, value: unknown): void {
  if (!isJsonObject(schema) || (value === null && schema["nullable"] === true)) return;
  const expected = expectation(schema, value);
  if (expected !== undefined) search.found.push({ field: pathText(search), value, expected });
  else if (Array.isArray(value)) lookAtItems(search, schema, value);
  else if (isJsonObject(value)) lookAtFields(search, schema, value);
}

function pathText({ path }: Search): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "string") text += text === "" ? step : `.${step}`;
    else text += `[${typeof step === "number" ? step : step.key}]`;
  }
  return text;
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

function lookAtItems(search: Search, schema: Schema, list: readonly unknown[]): void {
  const { path } = search;
  const { items } = schema;
  const isText = isJsonObject(items) && items["type"] === "string" && items["enum"] === undefined;
  for (let index = 0; index < list.length; index++) {
    // The longest lists are of texts.
    if (isText && typeof list[index] === "string") continue;
    path.push(index);
    look(search, items, list[index]);
    path.pop();
  }
}

function lookAtFields(search: Search, schema: Schema, value: Schema): void {
  const { path } = search;
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  // Objects are stored with new versions of some of their fields: those are worth remembering, what is in them is not.
  const lookAt = path.length === 0 ? lookOnce : look;
  for (const name in properties) {
    const found = Object.hasOwn(value, name) ? value[name] : undefined;
    if (found === undefined && !required.includes(name)) continue;
    path.push(name);
    lookAt(search, properties[name], found);
    path.pop();
  }
  const others = schema["additionalProperties"];
  if (!isJsonObject(others)) return;
  for (const key in value) {
    path.push({ key });
    look(search, others, value[key]);
    path.pop();
  }
}
