import { isPlain, jsonWord, readScalar } from "./scalars.ts";
import type { Field, Fields, ValueType } from "./types.ts";

type JsonObject = Record<string, unknown>;

/** What came of reading an object by its type. */
export interface TypedRead {
  /** The fields that the type does not know, in the order in which they came; they are gone. */
  readonly unknownFields: readonly string[];
  /** Why it is no object of its kind, in the words of Go. */
  readonly problem: string | undefined;
}

/**
 * Reads an object of one of Kubernetes' own kinds as Go reads JSON into a struct, in place: what the kind does
 * not know goes, nulls and empty values that say nothing go, times, quantities and bytes get their proper
 * spelling. What is frozen is stored like that, and has been read before.
 */
export function readTyped(fields: Fields, object: JsonObject): TypedRead {
  const reading: Reading = { steps: [], unknown: [], problem: undefined, isOver: false };
  readFields(reading, fields, object);
  return { unknownFields: reading.unknown, problem: reading.problem };
}

interface Reading {
  /** The way to the value that is read: fields of structs, keys of maps, places in lists. */
  readonly steps: (Field | string | number)[];
  readonly unknown: string[];
  /** The first one, unless a later one ends the reading. */
  problem: string | undefined;
  isOver: boolean;
}

function readFields(reading: Reading, fields: Fields, object: JsonObject): void {
  for (const name in object) {
    const field = fields.get(name);
    if (field) readField(reading, field, object);
    else {
      reading.unknown.push(pathTo(reading, name));
      delete object[name];
    }
    if (reading.isOver) return;
  }
}

function readField(reading: Reading, field: Field, object: JsonObject): void {
  const { name, type, keepsZero } = field;
  const value = object[name];
  if (value === null || value === undefined) {
    delete object[name];
    return;
  }
  if (saysItself(type, value) || (typeof value === "object" && Object.isFrozen(value))) return;
  reading.steps.push(field);
  const read = readValue(reading, type, value);
  reading.steps.pop();
  if (!keepsZero && isNothing(type, read)) delete object[name];
  else if (read !== value) object[name] = read;
}

function readValue(reading: Reading, type: ValueType, value: unknown): unknown {
  if (type.form === "scalar") return readOne(reading, type, value);
  if (type.form === "any") return value;
  if (type.form === "list" ? !Array.isArray(value) : !isObject(value)) {
    report(reading, typeProblem(reading, jsonWord(value), type.go), false);
    return value;
  }
  const within = value as JsonObject;
  if (type.form === "struct") readFields(reading, type.fields(), within);
  else if (type.form === "map") for (const at in within) readItem(reading, type.value, { within, at });
  else
    for (let at = 0; at < (value as readonly unknown[]).length; at++)
      readItem(reading, type.item, { within, at });
  return value;
}

/** An item of a list or map is always there: a null is the zero of its type. */
function readItem(
  reading: Reading,
  type: ValueType,
  { within, at }: { readonly within: JsonObject; readonly at: string | number },
): void {
  if (reading.isOver) return;
  const value = within[at];
  if (saysItself(type, value)) return;
  reading.steps.push(at);
  const read = value === null || value === undefined ? zeroOf(type) : readValue(reading, type, value);
  reading.steps.pop();
  if (read !== value) within[at] = read;
}

/** Whether a value is a text where one is wanted, as most values are: it stays as it is. */
function saysItself(type: ValueType, value: unknown): boolean {
  return typeof value === "string" && value !== "" && type.form === "scalar" && type.scalar === "string";
}

function readOne(reading: Reading, type: ValueType & { form: "scalar" }, value: unknown): unknown {
  if (isPlain(type.scalar, value)) return value;
  const read = readScalar(type.scalar, value);
  if ("value" in read) return read.value;
  report(
    reading,
    "was" in read ? typeProblem(reading, read.was, type.go) : read.problem,
    read.isFinal === true,
  );
  return value;
}

function report(reading: Reading, problem: string, isFinal: boolean): void {
  if (isFinal) reading.isOver = true;
  if (isFinal || reading.problem === undefined) reading.problem = problem;
}

/** Go names the struct that the field is in, and all fields on the way to it, but neither keys nor places. */
function typeProblem({ steps }: Reading, was: string, wanted: string): string {
  const fields = steps.filter((step) => typeof step === "object");
  const names = fields.map(({ within, name }) => (within === undefined ? name : `${within}.${name}`));
  return `json: cannot unmarshal ${was} into Go struct field ${fields.at(-1)?.struct}.${names.join(".")} of type ${wanted}`;
}

function pathTo({ steps }: Reading, name: string): string {
  let path = "";
  for (const step of [...steps, name]) {
    if (typeof step === "number") path += `[${step}]`;
    else path += `${path === "" ? "" : "."}${typeof step === "string" ? step : step.name}`;
  }
  return path;
}

/** Whether Go would leave the value out when it prints the struct. */
function isNothing(type: ValueType, value: unknown): boolean {
  if (type.form === "list") return Array.isArray(value) && value.length === 0;
  if (type.form === "map") return isObject(value) && Object.keys(value).length === 0;
  if (type.form !== "scalar") return false;
  // A number that could have been a text is a struct to Go, and those are always printed.
  return value === "" || value === false || (value === 0 && type.scalar !== "intOrString");
}

function zeroOf(type: ValueType): unknown {
  if (type.form === "struct") return {};
  if (type.form !== "scalar") return null;
  if (type.scalar === "boolean") return false;
  if (type.scalar === "quantity") return "0";
  return type.scalar.startsWith("int") ? 0 : "";
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
