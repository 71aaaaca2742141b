import type { PrintedSchema } from "@capstan/api";
import { type Format, formatOf } from "./formats.ts";
import { compilePattern, PatternError } from "./pattern.ts";
import { goJson } from "./go-text.ts";

/** A type of JSON values as schemas name them. */
export type JsonType = "string" | "integer" | "number" | "boolean" | "array" | "object";

/** A limit on a number. */
export interface Bound {
  readonly value: number;
  readonly exclusive: boolean;
}

/** A compiled schema of one value: compiled once, used for every object. */
export interface SchemaNode {
  /** The allowed types; any if empty. */
  readonly types: readonly JsonType[];
  readonly nullable: boolean;
  readonly properties: ReadonlyMap<string, SchemaNode>;
  readonly required: readonly string[];
  /** Further fields: of this schema, of any type (not checked), or not allowed. */
  readonly additional: SchemaNode | "any" | undefined;
  readonly items: SchemaNode | undefined;
  /** Whether unknown fields are preserved. */
  readonly open: boolean;
  /** Whether the value is an embedded Kubernetes object. */
  readonly embedded: boolean;
  /** Undefined if there is none. */
  readonly default: unknown;
  /** The properties that have a default. */
  readonly defaulted: readonly (readonly [string, SchemaNode])[];
  readonly listType: string | undefined;
  readonly mapType: string | undefined;
  /** The declared format of a text, known or not. */
  readonly format: string | undefined;
  readonly listMapKeys: readonly string[];
  readonly limits: Limits;
  /** Any text is valid and nothing else is, as for most fields of most objects. */
  readonly isAnyText: boolean;
  /** CEL rules; `cel/rules.ts` compiles and evaluates them. */
  readonly rules: readonly unknown[];
  /** What occurs here or deeper, so that visits can skip whole branches. */
  readonly has: Contents;
}

/** Features that only few schemas have. */
export interface Contents {
  readonly defaults: boolean;
  readonly listTypes: boolean;
  readonly embedded: boolean;
  readonly rules: boolean;
}

/** A closed set of values; a lookup does not take longer with more of them. */
interface EnumValues {
  readonly values: readonly unknown[];
  has(value: unknown): boolean;
}

/** The constraints of a value beside its type. */
export interface Limits {
  readonly enum: EnumValues | undefined;
  readonly format: Format | undefined;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly pattern: { readonly source: string; readonly matches: (text: string) => boolean } | undefined;
  readonly minimum: Bound | undefined;
  readonly maximum: Bound | undefined;
  readonly multipleOf: number | undefined;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  readonly minProperties: number | undefined;
  readonly maxProperties: number | undefined;
  /** Present if the value must fit further schemas. */
  readonly combined: Combined | undefined;
}

/** Schemas that a value must fit, or must not fit, beside the main one. */
export interface Combined {
  readonly allOf: readonly SchemaNode[];
  readonly anyOf: readonly SchemaNode[];
  readonly oneOf: readonly SchemaNode[];
  readonly not: SchemaNode | undefined;
}

/** Compiles a structural schema. An invalid pattern never matches; definitions with one are refused. */
export function compileSchema(schema: PrintedSchema): SchemaNode {
  const properties = new Map(
    Object.entries(asSchema(schema["properties"])).map(([name, child]) => [
      name,
      compileSchema(asSchema(child)),
    ]),
  );
  const additional = compileAdditional(schema["additionalProperties"]);
  const items = isSchema(schema["items"]) ? compileSchema(schema["items"]) : undefined;
  const [types, limits] = [typesOf(schema), limitsOf(schema)];
  const own = {
    types,
    nullable: schema["nullable"] === true,
    properties,
    required: listOf(schema["required"]).map(String),
    additional,
    items,
    open: schema["x-kubernetes-preserve-unknown-fields"] === true,
    embedded: schema["x-kubernetes-embedded-resource"] === true,
    default: schema["default"] ?? undefined,
    defaulted: [...properties].filter(([, child]) => child.default !== undefined),
    listType: textOf(schema["x-kubernetes-list-type"]),
    mapType: textOf(schema["x-kubernetes-map-type"]),
    format: textOf(schema["format"]),
    listMapKeys: listOf(schema["x-kubernetes-list-map-keys"]).map(String),
    limits,
    isAnyText: types.length === 1 && types[0] === "string" && isWithoutLimits(limits),
    rules: listOf(schema["x-kubernetes-validations"]),
  };
  return { ...own, has: contentsOf(own) };
}

function compileAdditional(additional: unknown): SchemaNode | "any" | undefined {
  if (isSchema(additional)) return compileSchema(additional);
  return additional === true ? "any" : undefined;
}

function typesOf(schema: PrintedSchema): readonly JsonType[] {
  if (schema["x-kubernetes-int-or-string"] === true) return ["integer", "string"];
  const type = textOf(schema["type"]);
  return type === undefined ? [] : [type as JsonType];
}

function contentsOf(node: Omit<SchemaNode, "has">): Contents {
  const { properties, additional, items } = node;
  const children = [
    ...properties.values(),
    ...(items ? [items] : []),
    ...(additional !== undefined && additional !== "any" ? [additional] : []),
  ];
  const inside = children.map((child) => child.has);
  return {
    defaults: inside.some((has) => has.defaults) || children.some((child) => child.default !== undefined),
    listTypes: node.listType === "set" || node.listType === "map" || inside.some((has) => has.listTypes),
    embedded: node.embedded || inside.some((has) => has.embedded),
    rules: node.rules.length > 0 || inside.some((has) => has.rules),
  };
}

function isWithoutLimits(limits: Limits): boolean {
  return Object.values(limits).every((limit) => limit === undefined);
}

function limitsOf(schema: PrintedSchema): Limits {
  return {
    enum: enumOf(listOf(schema["enum"])),
    format: formatOf(textOf(schema["format"]) ?? ""),
    minLength: numberOf(schema["minLength"]),
    maxLength: numberOf(schema["maxLength"]),
    pattern: patternOf(textOf(schema["pattern"]) ?? ""),
    minimum: boundOf(schema, "minimum", "exclusiveMinimum"),
    maximum: boundOf(schema, "maximum", "exclusiveMaximum"),
    multipleOf: numberOf(schema["multipleOf"]),
    minItems: numberOf(schema["minItems"]),
    maxItems: numberOf(schema["maxItems"]),
    minProperties: numberOf(schema["minProperties"]),
    maxProperties: numberOf(schema["maxProperties"]),
    combined: combinedOf(schema),
  };
}

/** Texts and numbers are looked up as they are, objects and lists by their text with sorted names. */
function enumOf(values: readonly unknown[]): EnumValues | undefined {
  if (values.length === 0) return undefined;
  const isScalar = (value: unknown): boolean => typeof value !== "object" || value === null;
  const scalars = new Set(values.filter(isScalar));
  const texts = new Set(values.filter((value) => !isScalar(value)).map(goJson));
  return { values, has: (value) => (isScalar(value) ? scalars.has(value) : texts.has(goJson(value))) };
}

function patternOf(source: string): Limits["pattern"] {
  if (source === "") return undefined;
  try {
    const expression = compilePattern(source);
    return { source, matches: (text) => expression.test(text) };
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return { source, matches: () => false };
  }
}

function boundOf(schema: PrintedSchema, bound: string, exclusive: string): Bound | undefined {
  const value = numberOf(schema[bound]);
  return value === undefined ? undefined : { value, exclusive: schema[exclusive] === true };
}

function combinedOf(schema: PrintedSchema): Combined | undefined {
  const branches = (keyword: string): SchemaNode[] =>
    listOf(schema[keyword]).map((branch) => compileSchema(asSchema(branch)));
  const combined = {
    allOf: branches("allOf"),
    anyOf: branches("anyOf"),
    oneOf: branches("oneOf"),
    not: isSchema(schema["not"]) ? compileSchema(schema["not"]) : undefined,
  };
  const { allOf, anyOf, oneOf, not } = combined;
  return not || allOf.length + anyOf.length + oneOf.length > 0 ? combined : undefined;
}

function isSchema(value: unknown): value is PrintedSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function asSchema(value: unknown): PrintedSchema {
  return isSchema(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
