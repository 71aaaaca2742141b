/**
 * Whether a schema is structural: the form that the API server demands of every CRD.
 *
 * The schema constructors cannot build anything else; this finds out when one of them, or a schema from elsewhere, does.
 */
import { misfits } from "./schema/misfits.ts";
import { isJsonObject } from "./values/json-object.ts";

/** Something that the API server would refuse about a schema. */
export interface StructuralProblem {
  /** Where, such as `properties.spec.properties.replicas`; empty for the root. */
  readonly path: string;
  readonly message: string;
}

type Schema = Readonly<Record<string, unknown>>;

/** All problems of a schema and of everything in it. */
export function structuralProblems(schema: unknown): StructuralProblem[] {
  return nodeProblems(schema, "");
}

const TYPES: readonly unknown[] = ["object", "array", "string", "integer", "number", "boolean"];
const JUNCTORS = ["allOf", "anyOf", "oneOf"] as const;
const KEYWORDS = new Set([
  "additionalProperties",
  "allOf",
  "anyOf",
  "default",
  "description",
  "enum",
  "example",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "externalDocs",
  "format",
  "items",
  "maxItems",
  "maxLength",
  "maxProperties",
  "maximum",
  "minItems",
  "minLength",
  "minProperties",
  "minimum",
  "multipleOf",
  "not",
  "nullable",
  "oneOf",
  "pattern",
  "properties",
  "required",
  "title",
  "type",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-list-type",
  "x-kubernetes-map-type",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-validations",
]);

function nodeProblems(schema: unknown, path: string): StructuralProblem[] {
  if (!isJsonObject(schema)) return [{ path, message: "must be a schema" }];
  const own = [
    ...keywordProblems(schema),
    ...typeProblems(schema),
    ...objectProblems(schema),
    ...listProblems(schema),
    ...ruleProblems(schema),
    ...junctorProblems(schema),
    ...defaultProblems(schema),
  ];
  return [...own.map((message) => ({ path, message })), ...childProblems(schema, path)];
}

function childProblems(schema: Schema, path: string): StructuralProblem[] {
  const properties = Object.entries(asSchema(schema["properties"])).flatMap(([name, child]) =>
    nodeProblems(child, join(path, `properties.${name}`)),
  );
  const others = ["items", "additionalProperties"].flatMap((keyword) =>
    isJsonObject(schema[keyword]) ? nodeProblems(schema[keyword], join(path, keyword)) : [],
  );
  return [...properties, ...others];
}

function keywordProblems(schema: Schema): string[] {
  return Object.keys(schema).flatMap((keyword) =>
    KEYWORDS.has(keyword) ? [] : [`${keyword} is not allowed`],
  );
}

function typeProblems(schema: Schema): string[] {
  const { type } = schema;
  const intOrString = schema["x-kubernetes-int-or-string"] === true;
  const open = schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (intOrString && open) return ["int-or-string excludes preserve-unknown-fields"];
  if (intOrString) return type === undefined ? [] : ["type must be absent for int-or-string"];
  if (type === undefined) return open ? [] : ["type is missing"];
  return TYPES.includes(type) ? [] : [`type ${JSON.stringify(type)} is not allowed`];
}

function objectProblems(schema: Schema): string[] {
  const { properties, additionalProperties, required, type } = schema;
  const mapType = schema["x-kubernetes-map-type"];
  const listed = Array.isArray(required) ? required : [];
  return [
    ...(properties !== undefined && additionalProperties !== undefined
      ? ["properties and additionalProperties exclude each other"]
      : []),
    ...(additionalProperties === false ? ["additionalProperties must not be false"] : []),
    ...(mapType !== undefined && type !== "object" ? ["x-kubernetes-map-type needs type object"] : []),
    ...(mapType !== undefined && mapType !== "atomic" && mapType !== "granular"
      ? ["x-kubernetes-map-type must be atomic or granular"]
      : []),
    ...listed
      .filter((name) => !Object.hasOwn(asSchema(properties), String(name)))
      .map((name) => `required field ${String(name)} is not among the properties`),
  ];
}

function listProblems(schema: Schema): string[] {
  const { type, items } = schema;
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"];
  if (type === "array" && !isJsonObject(items)) return ["items is missing"];
  if (listType !== undefined && type !== "array") return ["x-kubernetes-list-type needs type array"];
  if (keys !== undefined && listType !== "map") {
    return ["x-kubernetes-list-map-keys needs x-kubernetes-list-type map"];
  }
  return listType === undefined ? [] : listTypeProblems(listType, asSchema(items), keys);
}

function listTypeProblems(listType: unknown, items: Schema, keys: unknown): string[] {
  if (listType === "set") return setProblems(items);
  if (listType === "map") return listMapProblems(items, keys);
  return listType === "atomic" ? [] : ["x-kubernetes-list-type must be atomic, set or map"];
}

function setProblems(items: Schema): string[] {
  const scalar = items["type"] !== "object" && items["type"] !== "array";
  const atomic = items["x-kubernetes-map-type"] === "atomic" || items["x-kubernetes-list-type"] === "atomic";
  return scalar || atomic ? [] : ["items of a set must be scalar or atomic"];
}

function listMapProblems(items: Schema, keys: unknown): string[] {
  if (!Array.isArray(keys) || keys.length === 0) return ["x-kubernetes-list-map-keys is missing"];
  if (items["type"] !== "object") return ["items of a list-map must be objects"];
  const required = Array.isArray(items["required"]) ? items["required"] : [];
  const properties = asSchema(items["properties"]);
  return keys.map(String).flatMap((key) => {
    const property = Object.hasOwn(properties, key) ? asSchema(properties[key]) : undefined;
    if (!property) return [`list-map key ${key} is not among the properties of the items`];
    if (property["type"] === "object" || property["type"] === "array")
      return [`list-map key ${key} must be scalar`];
    const present = required.includes(key) || property["default"] !== undefined;
    return present ? [] : [`list-map key ${key} must be required or have a default`];
  });
}

function ruleProblems(schema: Schema): string[] {
  const rules = schema["x-kubernetes-validations"];
  if (rules === undefined) return [];
  if (!Array.isArray(rules)) return ["x-kubernetes-validations must be a list"];
  return rules.flatMap((entry) => {
    const { rule, message } = asSchema(entry);
    return [
      ...(typeof rule === "string" && rule.trim() !== "" ? [] : ["a rule must not be empty"]),
      ...(typeof message === "string" && /^[^\n]+$/.test(message)
        ? []
        : ["the message of a rule must be one line"]),
    ];
  });
}

// Inside a junctor a schema may only restrict what stands outside of it.
const OUTSIDE_ONLY = ["description", "type", "default", "additionalProperties", "nullable"];
const INT_OR_STRING = JSON.stringify([{ type: "integer" }, { type: "string" }]);

function junctorProblems(schema: Schema): string[] {
  return JUNCTORS.flatMap((junctor) => {
    const branches = schema[junctor];
    if (branches === undefined) return [];
    if (!Array.isArray(branches)) return [`${junctor} must be a list`];
    const isIntOrString =
      schema["x-kubernetes-int-or-string"] === true && JSON.stringify(branches) === INT_OR_STRING;
    return isIntOrString
      ? []
      : branches.flatMap((branch) => branchProblems(junctor, schema, asSchema(branch)));
  }).concat(schema["not"] === undefined ? [] : branchProblems("not", schema, asSchema(schema["not"])));
}

function branchProblems(junctor: string, outside: Schema, branch: Schema): string[] {
  const forbidden = Object.keys(branch).filter(
    (keyword) => OUTSIDE_ONLY.includes(keyword) || keyword.startsWith("x-kubernetes-"),
  );
  const known = asSchema(outside["properties"]);
  const unknown = Object.keys(asSchema(branch["properties"])).filter((name) => !Object.hasOwn(known, name));
  return [
    ...forbidden.map((keyword) => `${keyword} is not allowed inside ${junctor}`),
    ...unknown.map((name) => `${junctor} names ${name}, which is not among the properties outside of it`),
  ];
}

function defaultProblems(schema: Schema): string[] {
  const value = schema["default"];
  return value === undefined || fits(schema, value)
    ? []
    : [`default ${JSON.stringify(value)} does not fit the schema`];
}

/** Whether a value has the shape that a schema describes, and nothing that would be pruned. */
function fits(schema: Schema, value: unknown): boolean {
  return misfits(schema, value).next().done === true && keepsAll(schema, value);
}

function keepsAll(schema: Schema, value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => keepsAll(asSchema(schema["items"]), item));
  if (!isJsonObject(value)) return true;
  const properties = asSchema(schema["properties"]);
  const others = schema["additionalProperties"];
  const open = schema["x-kubernetes-preserve-unknown-fields"] === true;
  return Object.entries(value).every(([name, field]) => {
    if (Object.hasOwn(properties, name)) return keepsAll(asSchema(properties[name]), field);
    return isJsonObject(others) ? keepsAll(others, field) : open;
  });
}

function asSchema(value: unknown): Schema {
  return isJsonObject(value) ? value : {};
}

function join(path: string, step: string): string {
  return path === "" ? step : `${path}.${step}`;
}
