import { deepEqual, dns1035LabelProblems, type ScalePaths } from "@capstan/api";
import { compileSchema, type SchemaNode } from "../schema/node.ts";
import {
  type FieldProblem,
  forbiddenValue,
  invalidValue,
  requiredValue,
  tooMany,
} from "../schema/problem.ts";
import type { DefinitionVersion } from "./definition.ts";
import { defaultProblems } from "./schema-defaults.ts";
import { keywordProblems } from "./schema-rules.ts";
import { structuralProblems } from "./structural.ts";

/** Validates the versions of a definition, each and all together. */
export function versionsProblems(versions: readonly DefinitionVersion[]): FieldProblem[] {
  const names = versions.map(({ name }) => name);
  const stored = versions.filter(({ storage }) => storage);
  return [
    ...versions.flatMap(({ schema }, index) =>
      schema?.openAPIV3Schema ? [] : [requiredValue(`spec.versions[${index}].schema.openAPIV3Schema`)],
    ),
    ...versions.flatMap((version, index) => nameProblems(version, `spec.versions[${index}]`)),
    // kube-apiserver also reports the first version at the field that an older API had for the only one.
    ...versions.slice(0, 1).flatMap(({ name }) => labelProblems(name, "spec.version")),
    ...PARTS.flatMap((part) => partProblems(versions, part)),
    ...(new Set(names).size === names.length
      ? []
      : [invalidValue("spec.versions", versions, "must contain unique version names")]),
    ...(stored.length === 1
      ? []
      : [invalidValue("spec.versions", versions, "must have exactly one version marked as storage version")]),
  ];
}

function nameProblems(version: DefinitionVersion, path: string): FieldProblem[] {
  const { name, deprecated, deprecationWarning } = version;
  return [
    ...labelProblems(name, `${path}.name`),
    ...(deprecationWarning !== undefined && deprecated !== true
      ? [
          invalidValue(
            `${path}.deprecationWarning`,
            deprecationWarning,
            "can only be set for deprecated versions",
          ),
        ]
      : []),
  ];
}

function labelProblems(name: string, field: string): FieldProblem[] {
  const problems = dns1035LabelProblems(name);
  return problems.length > 0 ? [invalidValue(field, name, problems.join(","))] : [];
}

/** A part that versions have, each its own or all the same. */
interface Part {
  readonly field: "schema" | "subresources" | "additionalPrinterColumns" | "selectableFields";
  /** The path that kube-apiserver reports for the part if all versions have the same one: that of an older API. */
  readonly shared: string;
  readonly problems: (version: DefinitionVersion, path: string) => FieldProblem[];
}

const PARTS: readonly Part[] = [
  { field: "schema", shared: "spec.validation", problems: schemaProblems },
  { field: "subresources", shared: "spec.subresources", problems: scaleProblems },
  { field: "additionalPrinterColumns", shared: "spec.additionalPrinterColumns", problems: columnProblems },
  { field: "selectableFields", shared: "spec.selectableFields", problems: selectableProblems },
];

function partProblems(
  versions: readonly DefinitionVersion[],
  { field, shared, problems }: Part,
): FieldProblem[] {
  const [first, ...others] = versions;
  if (first && others.every((other) => deepEqual(other[field], first[field]))) return problems(first, shared);
  return versions.flatMap((version, index) => problems(version, `spec.versions[${index}].${field}`));
}

// With a status subresource the schema of the status is used alone, so it must not depend on anything above it.
const ROOT_KEYWORDS: ReadonlyMap<string, string> = new Map([
  ["description", "Description"],
  ["type", "Type"],
  ["format", "Format"],
  ["title", "Title"],
  ["maximum", "Maximum"],
  ["exclusiveMaximum", "ExclusiveMaximum"],
  ["minimum", "Minimum"],
  ["exclusiveMinimum", "ExclusiveMinimum"],
  ["maxLength", "MaxLength"],
  ["minLength", "MinLength"],
  ["pattern", "Pattern"],
  ["maxItems", "MaxItems"],
  ["minItems", "MinItems"],
  ["uniqueItems", "UniqueItems"],
  ["multipleOf", "MultipleOf"],
  ["required", "Required"],
  ["items", "Items"],
  ["properties", "Properties"],
  ["externalDocs", "ExternalDocs"],
  ["example", "Example"],
  ["x-kubernetes-preserve-unknown-fields", "XPreserveUnknownFields"],
  ["x-kubernetes-validations", "XValidations"],
]);

function schemaProblems({ schema, subresources }: DefinitionVersion, path: string): FieldProblem[] {
  const root = schema?.openAPIV3Schema;
  if (!root) return [];
  const at = `${path}.openAPIV3Schema`;
  const odd = subresources?.status
    ? Object.keys(root).find((keyword) => root[keyword] !== undefined && !ROOT_KEYWORDS.has(keyword))
    : undefined;
  const keywords = keywordProblems(root, at);
  // A schema with unknown keywords cannot be checked any further.
  const isReadable = !keywords.some(({ message }) => message.endsWith("is not supported"));
  const structural = isReadable ? structuralProblems(root, at) : [];
  return [
    ...(odd === undefined
      ? []
      : [
          invalidValue(
            at,
            root,
            `only [${[...ROOT_KEYWORDS.values()].join(" ")}] fields are allowed at the root of the schema if the status subresource is enabled`,
          ),
        ]),
    ...(root["nullable"] === true
      ? [forbiddenValue(`${at}.nullable`, "nullable cannot be true at the root")]
      : []),
    ...structural,
    ...(isReadable && structural.length === 0 ? defaultProblems(compileSchema(root), at) : []),
    ...keywords,
  ];
}

function scaleProblems({ subresources }: DefinitionVersion, path: string): FieldProblem[] {
  const scale: ScalePaths | undefined = subresources?.scale;
  if (!scale) return [];
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  return [
    ...pathProblems(specReplicasPath, `${path}.scale.specReplicasPath`, [".spec."]),
    ...pathProblems(statusReplicasPath, `${path}.scale.statusReplicasPath`, [".status."]),
    ...(labelSelectorPath
      ? pathProblems(labelSelectorPath, `${path}.scale.labelSelectorPath`, [".spec.", ".status."])
      : []),
  ];
}

function pathProblems(value: string | undefined, field: string, roots: readonly string[]): FieldProblem[] {
  if (!value) return [requiredValue(field)];
  if (!value.startsWith("."))
    return [invalidValue(field, value, "must be a simple json path starting with .")];
  if (roots.some((root) => value.startsWith(root))) return [];
  const names = roots.map((root) => root.slice(0, -1));
  const under = names.length === 1 ? names.join("") : `either ${names.join(" or ")}`;
  return [invalidValue(field, value, `should be a json path under ${under}`)];
}

const COLUMN_TYPES = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

function columnProblems({ additionalPrinterColumns = [] }: DefinitionVersion, path: string): FieldProblem[] {
  return additionalPrinterColumns.flatMap((column, index) => {
    const at = `${path}[${index}]`;
    const { name, type, jsonPath, format } = column as unknown as Record<string, string | undefined>;
    return [
      ...(name ? [] : [requiredValue(`${at}.name`)]),
      ...(type
        ? wordProblems(type, COLUMN_TYPES, `${at}.type`)
        : [requiredValue(`${at}.type`, `must be one of ${COLUMN_TYPES.join(",")}`)]),
      ...(format ? wordProblems(format, COLUMN_FORMATS, `${at}.format`) : []),
      ...pathProblems(jsonPath, `${at}.JSONPath`, ["."]),
    ];
  });
}

function wordProblems(word: string, known: readonly string[], field: string): FieldProblem[] {
  return known.includes(word) ? [] : [invalidValue(field, word, `must be one of ${known.join(",")}`)];
}

// Every index of a cluster would have to maintain more of them; the limit is that of kube-apiserver.
const SELECTABLE_FIELDS_LIMIT = 8;

function selectableProblems(
  { selectableFields = [], schema }: DefinitionVersion,
  path: string,
): FieldProblem[] {
  const root = compileSchema(schema?.openAPIV3Schema ?? {});
  return [
    ...selectableFields.flatMap(({ jsonPath }, index) =>
      selectableProblem(root, jsonPath, `${path}[${index}].jsonPath`),
    ),
    ...(selectableFields.length > SELECTABLE_FIELDS_LIMIT
      ? [tooMany(path, selectableFields.length, SELECTABLE_FIELDS_LIMIT)]
      : []),
  ];
}

const SELECTABLE_TYPES: readonly unknown[] = ["string", "boolean", "integer"];

function selectableProblem(root: SchemaNode, jsonPath: string | undefined, field: string): FieldProblem[] {
  if (!jsonPath) return [requiredValue(field)];
  let node: SchemaNode | undefined = root;
  for (const name of jsonPath.replace(/^\./, "").split(".")) node = node?.properties.get(name);
  if (!node) return [invalidValue(field, jsonPath, "is an invalid path: does not refer to a valid field")];
  return [
    ...(jsonPath.startsWith(".metadata")
      ? [invalidValue(field, jsonPath, "must not point to fields in metadata")]
      : []),
    ...(node.types.length === 1 && SELECTABLE_TYPES.includes(node.types[0])
      ? []
      : [
          invalidValue(
            field,
            jsonPath,
            "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.",
          ),
        ]),
  ];
}
