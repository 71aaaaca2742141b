/**
 * Finds the places where a value does not have the structure of its schema.
 *
 * It checks only what readers of the typed value rely on: types, enum values, required fields. The server checks
 * lengths, patterns and rules.
 */
import { isJsonObject } from "../values/json-object.ts";

/** A place where a value does not have the structure of its schema. */
export interface Misfit {
  /** The path of the place, such as `spec.files[0].path`; empty for the value itself. */
  readonly field: string;
  /** The actual value; undefined if a field is missing. */
  readonly value: unknown;
  /** The expected value, such as `must be a string`. */
  readonly expected: string;
}

type Schema = Readonly<Record<string, unknown>>;

/** Finds the misfits of a value, one after the other; `field` is its path. */
export function* misfits(schema: unknown, value: unknown, field = ""): Generator<Misfit, undefined> {
  const search: Search = { path: field === "" ? [] : [field], found: [] };
  checkOnce(search, schema, value);
  yield* search.found;
}

/** The schema that a frozen value is known to fit. */
const fitted = new WeakMap<object, unknown>();

/**
 * Checks a value unless it is frozen and was valid before: it cannot change, and objects of which only the status or
 * only the spec has changed are checked all the time.
 */
function checkOnce(search: Search, schema: unknown, value: unknown): void {
  if (typeof value !== "object" || value === null || !Object.isFrozen(value)) {
    check(search, schema, value);
  } else if (fitted.get(value) !== schema) {
    const before = search.found.length;
    check(search, schema, value);
    if (search.found.length === before) fitted.set(value, schema);
  }
}

/** The state of a check. The path is formatted only for a misfit, because nearly all values fit. */
interface Search {
  /** Fields of objects, indexes of lists, keys of maps. */
  readonly path: (string | number | { readonly key: string })[];
  readonly found: Misfit[];
}

function check(search: Search, schema: unknown, value: unknown): void {
  if (!isJsonObject(schema) || (value === null && schema["nullable"] === true)) return;
  const expected = expectation(schema, value);
  if (expected !== undefined) search.found.push({ field: pathText(search), value, expected });
  else if (Array.isArray(value)) checkItems(search, schema, value);
  else if (isJsonObject(value)) checkFields(search, schema, value);
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

/** What the schema expects, if the value does not fit. */
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

function checkItems(search: Search, schema: Schema, list: readonly unknown[]): void {
  const { path } = search;
  const { items } = schema;
  const isText = isJsonObject(items) && items["type"] === "string" && items["enum"] === undefined;
  for (let index = 0; index < list.length; index++) {
    // The longest lists contain texts.
    if (isText && typeof list[index] === "string") continue;
    path.push(index);
    check(search, items, list[index]);
    path.pop();
  }
}

function checkFields(search: Search, schema: Schema, value: Schema): void {
  const { path } = search;
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  // New versions of an object share most of its top-level fields with the old one, so these are worth caching; deeper
  // values are not.
  const checkField = path.length === 0 ? checkOnce : check;
  for (const name in properties) {
    const found = Object.hasOwn(value, name) ? value[name] : undefined;
    if (found === undefined && !required.includes(name)) continue;
    path.push(name);
    checkField(search, properties[name], found);
    path.pop();
  }
  const others = schema["additionalProperties"];
  if (!isJsonObject(others)) return;
  for (const key in value) {
    path.push({ key });
    check(search, others, value[key]);
    path.pop();
  }
}
