import { REPORTED_FIELDS_LIMIT } from "../../schema/reported-fields.ts";
import { isPlain, jsonWord, readScalar } from "./scalars.ts";
import type { Field, Fields, ValueType } from "./types.ts";

type JsonObject = Record<string, unknown>;

/** The result of decoding an object by its type. */
export interface TypedRead {
  /** The fields that the type does not have, in input order; they have been dropped. */
  readonly unknownFields: readonly string[];
  /** Why it is not an object of its kind, in Go's words. */
  readonly problem: string | undefined;
}

/**
 * Decodes an object of one of Kubernetes' own kinds as Go decodes JSON into a struct, in place: it drops unknown
 * fields, nulls and empty values without meaning, and brings times, quantities and bytes to canonical form. Frozen
 * parts are stored ones, and have been decoded before.
 */
export function readTyped(fields: Fields, object: JsonObject): TypedRead {
  const reading: Reading = { steps: [], unknown: [], problem: undefined, isOver: false };
  readFields(reading, fields, object);
  return { unknownFields: reading.unknown, problem: reading.problem };
}

interface Reading {
  /** The path to the current value: fields of structs, keys of maps, indexes of lists. */
  readonly steps: (Field | string | number)[];
  readonly unknown: string[];
  /** The first one, unless a later one ends the decoding. */
  problem: string | undefined;
  isOver: boolean;
}

function readFields(reading: Reading, fields: Fields, object: JsonObject): void {
  for (const name in object) {
    const field = fields.get(name);
    if (field) readField(reading, field, object);
    else {
      if (reading.unknown.length < REPORTED_FIELDS_LIMIT) reading.unknown.push(pathTo(reading, name));
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
  if (isExpectedText(type, value) || (typeof value === "object" && Object.isFrozen(value))) return;
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

/** An item of a list or map is never missing: a null is the zero value of its type. */
function readItem(
  reading: Reading,
  type: ValueType,
  { within, at }: { readonly within: JsonObject; readonly at: string | number },
): void {
  if (reading.isOver) return;
  const value = within[at];
  if (isExpectedText(type, value)) return;
  reading.steps.push(at);
  const read = value === null || value === undefined ? zeroOf(type) : readValue(reading, type, value);
  reading.steps.pop();
  if (read !== value) within[at] = read;
}

/** Whether a string is expected and the value is one, as most values are: it stays as it is. */
function isExpectedText(type: ValueType, value: unknown): boolean {
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

/** Go names the struct of the field, and all fields on the path to it, but neither keys nor indexes. */
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

/** Whether Go would omit the value when it prints the struct. */
function isNothing(type: ValueType, value: unknown): boolean {
  if (type.form === "list") return Array.isArray(value) && value.length === 0;
  if (type.form === "map") return isObject(value) && Object.keys(value).length === 0;
  if (type.form !== "scalar") return false;
  // An int-or-string is a struct in Go, and structs are always printed.
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
