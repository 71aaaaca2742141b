import type { PrintedSchema } from "@capstan/api";
import {
  type FieldProblem,
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from "../schema/problem.ts";
import { ruleProblems } from "./rule-problems.ts";
import { OBJECT_FIELDS } from "../schema/prune.ts";

/** What follows for a schema from its position. */
interface Surroundings {
  readonly isRoot: boolean;
  /** Inside the metadata of an object, embedded or not. */
  readonly inMeta: boolean;
  /** Why a default is not allowed here; empty if it is. */
  readonly noDefault: string;
  /** The list without keys that the schema is inside of: rules there have no former value. */
  readonly uncorrelated?: string | undefined;
}

/** Reports the keywords of a schema, and of nested ones, that Kubernetes does not know or does not allow. */
export function keywordProblems(schema: PrintedSchema, path: string): FieldProblem[] {
  return inside(schema, path, { isRoot: true, inMeta: false, noDefault: "" });
}

function inside(schema: PrintedSchema, path: string, surroundings: Surroundings): FieldProblem[] {
  return [
    ...ownProblems(schema, path, surroundings),
    ...childProblems(schema, path, surroundings),
    ...mapTypeProblems(schema, path),
    ...listTypeProblems(schema, path),
    ...listMapProblems(schema, path),
    ...ruleProblems(schema, { path, uncorrelated: surroundings.uncorrelated }),
  ];
}

const TYPES: readonly unknown[] = ["array", "boolean", "integer", "number", "object", "string"];
const UNKNOWN_KEYWORDS = [
  "id",
  "additionalItems",
  "patternProperties",
  "definitions",
  "dependencies",
  "$ref",
];

function ownProblems(
  schema: PrintedSchema,
  path: string,
  { inMeta, noDefault }: Surroundings,
): FieldProblem[] {
  const { type = "" } = schema;
  const when = (isSo: boolean, problem: () => FieldProblem): FieldProblem[] => (isSo ? [problem()] : []);
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  return [
    ...when(type !== "" && !TYPES.includes(type), () => unsupportedValue(`${path}.type`, type, TYPES)),
    ...when(schema["default"] !== undefined && noDefault !== "", () =>
      forbiddenValue(`${path}.default`, `must not be set ${noDefault}`),
    ),
    ...UNKNOWN_KEYWORDS.filter((keyword) => schema[keyword] !== undefined).map((keyword) =>
      forbiddenValue(`${path}.${keyword}`, `${keyword} is not supported`),
    ),
    ...when(type === "null", () =>
      forbiddenValue(`${path}.type`, "type cannot be set to null, use nullable as an alternative"),
    ),
    ...when(Array.isArray(schema["items"]), () =>
      forbiddenValue(`${path}.items`, "items must be a schema object and not an array"),
    ),
    ...when(inMeta && isEmbedded, () =>
      forbiddenValue(`${path}.x-kubernetes-embedded-resource`, "must not be used inside of resource meta"),
    ),
    ...when(schema["uniqueItems"] === true, () =>
      forbiddenValue(
        `${path}.uniqueItems`,
        "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
      ),
    ),
    ...when(schema["x-kubernetes-preserve-unknown-fields"] === false, () =>
      invalidValue(`${path}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"),
    ),
  ];
}

function childProblems(schema: PrintedSchema, path: string, surroundings: Surroundings): FieldProblem[] {
  const { additionalProperties } = schema;
  const fields = entriesOf(schema["properties"]);
  const within = { ...surroundings, isRoot: false };
  const noDefaultInMap = "inside additionalProperties applying to object metadata";
  const mapValues = within.inMeta ? { ...within, noDefault: noDefaultInMap } : within;
  return [
    ...(additionalProperties !== undefined && additionalProperties !== true && fields.length > 0
      ? [
          forbiddenValue(
            `${path}.additionalProperties`,
            "additionalProperties and properties are mutual exclusive",
          ),
        ]
      : []),
    ...(isSchema(additionalProperties)
      ? inside(additionalProperties, `${path}.additionalProperties`, mapValues)
      : []),
    ...fields.flatMap(([name, child]) =>
      inside(child, `${path}.properties[${name}]`, fieldSurroundings(schema, name, surroundings)),
    ),
    ...(isSchema(schema["not"]) ? inside(schema["not"], `${path}.not`, within) : []),
    ...["allOf", "oneOf", "anyOf"].flatMap((junctor) =>
      listOf(schema[junctor]).flatMap((branch, index) =>
        inside(branch, `${path}.${junctor}[${index}]`, within),
      ),
    ),
    ...(isSchema(schema["items"])
      ? inside(schema["items"], `${path}.items`, itemSurroundings(schema, path, within))
      : []),
  ];
}

function itemSurroundings(schema: PrintedSchema, path: string, within: Surroundings): Surroundings {
  if (schema["x-kubernetes-list-type"] === "map") return within;
  return { ...within, uncorrelated: within.uncorrelated ?? path };
}

function fieldSurroundings(schema: PrintedSchema, name: string, surroundings: Surroundings): Surroundings {
  const { isRoot } = surroundings;
  const isObject = isRoot || schema["x-kubernetes-embedded-resource"] === true;
  if (!isObject || !OBJECT_FIELDS.has(name)) return { ...surroundings, isRoot: false };
  const noDefault = isRoot ? `in top-level ${name}` : surroundings.noDefault;
  return { isRoot: false, inMeta: true, noDefault };
}

function mapTypeProblems(schema: PrintedSchema, path: string): FieldProblem[] {
  const mapType = schema["x-kubernetes-map-type"];
  if (mapType === undefined) return [];
  return [
    ...wantedType(schema, "object", { path, because: "x-kubernetes-map-type is specified" }),
    ...(mapType === "atomic" || mapType === "granular"
      ? []
      : [unsupportedValue(`${path}.x-kubernetes-map-type`, mapType, ["atomic", "granular"])]),
  ];
}

function wantedType(
  { type = "" }: PrintedSchema,
  wanted: string,
  { path, because }: { readonly path: string; readonly because: string },
): FieldProblem[] {
  if (type === wanted) return [];
  const detail = `must be ${wanted} if ${because}`;
  return [type === "" ? requiredValue(`${path}.type`, detail) : invalidValue(`${path}.type`, type, detail)];
}

const LIST_TYPES: readonly unknown[] = ["atomic", "set", "map"];

function listTypeProblems(schema: PrintedSchema, path: string): FieldProblem[] {
  const listType = schema["x-kubernetes-list-type"];
  const field = `${path}.x-kubernetes-list-type`;
  const keys = schema["x-kubernetes-list-map-keys"];
  const hasKeys = Array.isArray(keys) && keys.length > 0;
  const mustBeMap = "must be map if x-kubernetes-list-map-keys is non-empty";
  if (listType === undefined) return hasKeys ? [requiredValue(field, mustBeMap)] : [];
  return [
    ...wantedType(schema, "array", { path, because: "x-kubernetes-list-type is specified" }),
    ...(listType === "set" && schema["type"] === "array" ? setProblems(schema["items"], path) : []),
    ...(LIST_TYPES.includes(listType) ? [] : [unsupportedValue(field, listType, LIST_TYPES)]),
    ...(hasKeys && listType !== "map" ? [invalidValue(field, listType, mustBeMap)] : []),
  ];
}

/** Items of a set are compared as wholes, so no manager may own only a part of one. */
function setProblems(items: unknown, path: string): FieldProblem[] {
  if (!isSchema(items)) return [];
  const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const { type } = items;
  const listType = items["x-kubernetes-list-type"];
  const extension = type === "array" ? "x-kubernetes-list-type" : "x-kubernetes-map-type";
  const isWhole =
    type === "array"
      ? listType === undefined || listType === "atomic"
      : type !== "object" || items[extension] === "atomic";
  return [
    ...(isWhole ? [] : [invalidValue(`${path}.items.${extension}`, listType ?? null, detail)]),
    ...nullableProblems(items, path, "set"),
  ];
}

function nullableProblems(items: PrintedSchema, path: string, listType: string): FieldProblem[] {
  if (items["nullable"] !== true) return [];
  return [
    forbiddenValue(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`),
  ];
}

function listMapProblems(schema: PrintedSchema, path: string): FieldProblem[] {
  if (schema["x-kubernetes-list-type"] !== "map") return [];
  const keys = Array.isArray(schema["x-kubernetes-list-map-keys"])
    ? schema["x-kubernetes-list-map-keys"].map(String)
    : [];
  const { items } = schema;
  const missingKeys =
    keys.length === 0
      ? [
          requiredValue(
            `${path}.x-kubernetes-list-map-keys`,
            "must not be empty if x-kubernetes-list-type is map",
          ),
        ]
      : [];
  if (!isSchema(items))
    return [
      ...missingKeys,
      requiredValue(`${path}.items`, "must have a schema if x-kubernetes-list-type is map"),
    ];
  const isObject = items["type"] === "object";
  return [
    ...missingKeys,
    ...(isObject
      ? keys.flatMap((key, index) => keyProblems(items, path, { keys, key, index }))
      : [
          invalidValue(
            `${path}.items.type`,
            items["type"] ?? "",
            "must be object if parent array's x-kubernetes-list-type is map",
          ),
        ]),
    ...nullableProblems(items, path, "map"),
  ];
}

/** Keys identify an item, so they are required and scalar. */
function keyProblems(
  items: PrintedSchema,
  path: string,
  { keys, key, index }: { readonly keys: readonly string[]; readonly key: string; readonly index: number },
): FieldProblem[] {
  const field = `${path}.x-kubernetes-list-map-keys`;
  const repeated =
    keys.indexOf(key) < index ? [invalidValue(field, keys, "must not contain duplicate entries")] : [];
  const property = new Map(entriesOf(items["properties"])).get(key);
  if (!property)
    return [invalidValue(field, keys, "entries must all be names of item properties"), ...repeated];
  const at = `${path}.items.properties[${key}]`;
  const required = Array.isArray(items["required"]) && items["required"].includes(key);
  const isList = "this property is in x-kubernetes-list-map-keys, so it";
  return [
    ...(property["type"] === "array" || property["type"] === "object"
      ? [
          invalidValue(
            `${at}.type`,
            items["type"],
            "must be a scalar type if parent array's x-kubernetes-list-type is map",
          ),
        ]
      : []),
    ...repeated,
    ...(required || property["default"] !== undefined
      ? []
      : [requiredValue(`${at}.default`, `${isList} must have a default or be a required property`)]),
    ...(property["nullable"] === true
      ? [forbiddenValue(`${at}.nullable`, `${isList} cannot be nullable`)]
      : []),
  ];
}

function entriesOf(properties: unknown): [string, PrintedSchema][] {
  return isSchema(properties) ? (Object.entries(properties) as [string, PrintedSchema][]) : [];
}

function listOf(branches: unknown): readonly PrintedSchema[] {
  return Array.isArray(branches) ? branches.filter(isSchema) : [];
}

function isSchema(value: unknown): value is PrintedSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
