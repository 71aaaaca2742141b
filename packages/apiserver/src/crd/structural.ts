import { deepEqual, type PrintedSchema } from "@capstan/api";
import { compilePattern, PatternError } from "../schema/pattern.ts";
import { type FieldProblem, forbiddenValue, invalidValue, requiredValue } from "../schema/problem.ts";

/** The position of a schema in a schema; it decides what the schema may leave out. */
type Level = "root" | "items" | "field";

/**
 * Reports why a schema is not structural: every value must have exactly one schema that describes it, so that pruning
 * and defaulting are unambiguous. The messages are kube-apiserver's.
 */
export function structuralProblems(schema: PrintedSchema, path: string): FieldProblem[] {
  const problems = [
    ...shapeProblems(schema, "root", path),
    ...coverProblems(schema, schema, { path, at: path }),
  ];
  return problems.sort((a, b) => (`${a.field}: ${a.message}` < `${b.field}: ${b.message}` ? -1 : 1));
}

function shapeProblems(schema: PrintedSchema, level: Level, path: string): FieldProblem[] {
  return [
    ...childProblems(schema, level, path),
    ...extensionProblems(schema, path),
    ...branchProblems(schema, path, isIntOrString(schema)),
    ...typeProblems(schema, level, path),
    ...embeddedProblems(schema, path),
    ...metaProblems(schema, level, path),
  ];
}

function childProblems(schema: PrintedSchema, level: Level, path: string): FieldProblem[] {
  const { items, additionalProperties } = schema;
  return [
    ...(schema["type"] === "array" && items === undefined
      ? [requiredValue(`${path}.items`, "must be specified")]
      : []),
    ...(isSchema(items) ? shapeProblems(items, "items", `${path}.items`) : []),
    ...fieldsOf(schema).flatMap(([name, child]) =>
      shapeProblems(child, "field", `${path}.properties[${name}]`),
    ),
    ...(additionalProperties !== undefined && level === "root"
      ? [forbiddenValue(`${path}.additionalProperties`, "must not be used at the root")]
      : []),
    ...(isSchema(additionalProperties)
      ? shapeProblems(additionalProperties, "field", `${path}.additionalProperties`)
      : []),
  ];
}

function extensionProblems(schema: PrintedSchema, path: string): FieldProblem[] {
  if (schema["x-kubernetes-int-or-string"] !== true) return [];
  return ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"]
    .filter((extension) => schema[extension] === true)
    .map((extension) =>
      invalidValue(`${path}.${extension}`, true, "must be false if x-kubernetes-int-or-string is true"),
    );
}

const EMPTY_TYPE: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  items: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function typeProblems(schema: PrintedSchema, level: Level, path: string): FieldProblem[] {
  const { type = "" } = schema;
  const field = `${path}.type`;
  if (schema["x-kubernetes-embedded-resource"] === true && type !== "object") {
    const detail = "must be object if x-kubernetes-embedded-resource is true";
    return [type === "" ? requiredValue(field, detail) : invalidValue(field, type, detail)];
  }
  if (type === "") return mayLackType(schema) ? [] : [requiredValue(field, EMPTY_TYPE[level])];
  const isOddRoot = level === "root" && type !== "object";
  return isOddRoot ? [invalidValue(field, type, "must be object at the root")] : [];
}

function mayLackType(schema: PrintedSchema): boolean {
  return (
    schema["x-kubernetes-int-or-string"] === true || schema["x-kubernetes-preserve-unknown-fields"] === true
  );
}

function embeddedProblems(schema: PrintedSchema, path: string): FieldProblem[] {
  if (schema["x-kubernetes-embedded-resource"] !== true) return [];
  const isEmpty = schema["x-kubernetes-preserve-unknown-fields"] !== true && fieldsOf(schema).length === 0;
  return [
    ...(schema["additionalProperties"] === undefined
      ? []
      : [
          forbiddenValue(
            `${path}.additionalProperties`,
            "must not be used if x-kubernetes-embedded-resource is set",
          ),
        ]),
    ...(isEmpty
      ? [
          requiredValue(
            `${path}.properties`,
            "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
          ),
        ]
      : []),
  ];
}

/** Kubernetes defines these fields itself; a schema may only restrict the name. */
function metaProblems(schema: PrintedSchema, level: Level, path: string): FieldProblem[] {
  if (level !== "root" && schema["x-kubernetes-embedded-resource"] !== true) return [];
  const fields = new Map(fieldsOf(schema));
  const problems = ["kind", "apiVersion", "metadata"].flatMap((name) => {
    const wanted = name === "metadata" ? "object" : "string";
    const { type = "" } = fields.get(name) ?? { type: wanted };
    return type === wanted
      ? []
      : [invalidValue(`${path}.properties[${name}].type`, type, `must be ${wanted}`)];
  });
  const metadata = fields.get("metadata");
  if (level === "root" && metadata && !isPlainMetadata(metadata))
    problems.push(
      forbiddenValue(
        `${path}.properties[metadata]`,
        "must not specify anything other than name and generateName, but metadata is implicitly specified",
      ),
    );
  return problems;
}

const ALLOWED_IN_METADATA: ReadonlySet<string> = new Set(["type", "properties", "default"]);

function isPlainMetadata(metadata: PrintedSchema): boolean {
  const names = fieldsOf(metadata).map(([name]) => name);
  return (
    Object.keys(metadata).every((keyword) => ALLOWED_IN_METADATA.has(keyword)) &&
    names.every((name) => name === "name" || name === "generateName")
  );
}

const INT_OR_STRING = [{ type: "integer" }, { type: "string" }];

/** The one form in which `anyOf` may contain types: other tools write int-or-string like this. */
function isIntOrString(schema: PrintedSchema): boolean {
  return deepEqual(schema["anyOf"], INT_OR_STRING);
}

function branchProblems(schema: PrintedSchema, path: string, isExempt: boolean): FieldProblem[] {
  const [first] = listOf(schema["allOf"]);
  const exempt = first !== undefined && isIntOrString(first);
  return [
    ...(isExempt
      ? []
      : listOf(schema["anyOf"]).flatMap((one, index) => nestedProblems(one, `${path}.anyOf[${index}]`))),
    ...listOf(schema["allOf"]).flatMap((one, index) =>
      nestedProblems(one, `${path}.allOf[${index}]`, exempt && index === 0),
    ),
    ...listOf(schema["oneOf"]).flatMap((one, index) => nestedProblems(one, `${path}.oneOf[${index}]`)),
    ...(isSchema(schema["not"]) ? nestedProblems(schema["not"], `${path}.not`) : []),
    ...patternProblems(schema, path),
  ];
}

function patternProblems({ pattern }: PrintedSchema, path: string): FieldProblem[] {
  if (typeof pattern !== "string" || pattern === "") return [];
  try {
    compilePattern(pattern);
    return [];
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    const detail = `must be a valid regular expression, but isn't: ${error.message}`;
    return [invalidValue(`${path}.pattern`, pattern, detail)];
  }
}

const FORBIDDEN_IN_BRANCHES: readonly (readonly [string, string])[] = [
  ["type", "must be empty to be structural"],
  ["additionalProperties", "must be undefined to be structural"],
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  ["x-kubernetes-preserve-unknown-fields", "must be false to be structural"],
  ["x-kubernetes-embedded-resource", "must be false to be structural"],
  ["x-kubernetes-int-or-string", "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"],
];

/** Inside `anyOf` and similar keywords a schema may restrict values, but not describe their structure. */
function nestedProblems(schema: PrintedSchema, path: string, isExempt = false): FieldProblem[] {
  const { items } = schema;
  return [
    ...branchProblems(schema, path, isExempt),
    ...(isSchema(items) ? nestedProblems(items, `${path}.items`) : []),
    ...fieldsOf(schema).flatMap(([name, child]) => nestedProblems(child, `${path}.properties[${name}]`)),
    ...FORBIDDEN_IN_BRANCHES.filter(([keyword]) => isSet(schema[keyword])).map(([keyword, detail]) =>
      forbiddenValue(`${path}.${keyword}`, detail),
    ),
    ...(fieldsOf(schema).some(([name]) => name === "metadata")
      ? [forbiddenValue(`${path}.properties[metadata]`, "must not be specified in a nested context")]
      : []),
  ];
}

interface Place {
  /** The path of the schema that must describe the value. */
  readonly path: string;
  /** The path of the schema that restricts it. */
  readonly at: string;
}

/** Reports values that are restricted somewhere and described nowhere. */
function coverProblems(narrowing: PrintedSchema, schema: PrintedSchema, { path, at }: Place): FieldProblem[] {
  const cover = (branch: PrintedSchema, place: string): FieldProblem[] =>
    nestedCoverProblems(branch, schema, { path, at: place });
  return [
    ...(isSchema(narrowing["not"]) ? cover(narrowing["not"], `${at}.not`) : []),
    ...["allOf", "anyOf", "oneOf"].flatMap((junctor) =>
      listOf(narrowing[junctor]).flatMap((branch, index) => cover(branch, `${at}.${junctor}[${index}]`)),
    ),
  ];
}

function nestedCoverProblems(
  narrowing: PrintedSchema,
  schema: PrintedSchema | undefined,
  place: Place,
): FieldProblem[] {
  const { path, at } = place;
  if (!schema) return [requiredValue(path, `because it is defined in ${at}`)];
  const known = new Map(fieldsOf(schema));
  const { items } = narrowing;
  return [
    ...coverProblems(narrowing, schema, place),
    ...(isSchema(items)
      ? nestedCoverProblems(items, isSchema(schema["items"]) ? schema["items"] : undefined, {
          path: `${path}.items`,
          at: `${at}.items`,
        })
      : []),
    ...fieldsOf(narrowing).flatMap(([name, child]) =>
      nestedCoverProblems(child, known.get(name), {
        path: `${path}.properties[${name}]`,
        at: `${at}.properties[${name}]`,
      }),
    ),
  ];
}

function fieldsOf({ properties }: PrintedSchema): [string, PrintedSchema][] {
  return isSchema(properties) ? (Object.entries(properties) as [string, PrintedSchema][]) : [];
}

function listOf(branches: unknown): readonly PrintedSchema[] {
  return Array.isArray(branches) ? branches.filter(isSchema) : [];
}

/** Go cannot distinguish a missing value from one that is false or empty. */
function isSet(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== false && value !== "";
}

function isSchema(value: unknown): value is PrintedSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
