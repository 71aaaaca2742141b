import { dns1035LabelProblems, dns1123LabelProblems, invalid, type ObjectMeta } from "@capstan/api";
import type { SchemaNode } from "./node.ts";
import { decodeObjectMeta, nameErrors, objectMetaErrors, pathSegmentProblems } from "./object-meta.ts";
import { type FieldProblem, invalidValue, requiredValue } from "./problem.ts";
import { visit } from "./visit.ts";
import { REPORTED_FIELDS_LIMIT } from "./reported-fields.ts";

type Fields = Record<string, unknown>;

/** The result of decoding embedded objects. */
interface Coerced {
  /** Paths of metadata fields that were dropped. */
  readonly unknownFields: readonly string[];
  /** The first reason why one of them is not an object at all. */
  readonly problem: FieldProblem | undefined;
}

/** Decodes the metadata of embedded objects like those of the object itself: unknown and empty fields are dropped. */
export function coerceEmbedded(node: SchemaNode, object: unknown): Coerced {
  const unknownFields: string[] = [];
  let problem: FieldProblem | undefined;
  visit(node, object, {
    has: "embedded",
    found: (at, value, path) => {
      // Frozen parts are stored ones, and have been decoded before.
      if (!at.embedded || problem || Array.isArray(value) || Object.isFrozen(value)) return;
      const fields = value as Fields;
      problem = typeProblem(fields, path);
      if (problem || !Object.hasOwn(fields, "metadata")) return;
      const decoded = decodeObjectMeta(fields["metadata"] ?? {});
      if (decoded.problem !== undefined) {
        problem = invalidValue(`${path}.metadata`, fields["metadata"], decoded.problem);
        return;
      }
      fields["metadata"] = decoded.meta;
      if (unknownFields.length < REPORTED_FIELDS_LIMIT)
        unknownFields.push(...decoded.unknown.map((name) => `${path}.metadata.${name}`));
    },
  });
  return { unknownFields: unknownFields.sort(), problem };
}

function typeProblem(fields: Fields, path: string): FieldProblem | undefined {
  const odd = ["apiVersion", "kind"].find(
    (name) => Object.hasOwn(fields, name) && typeof fields[name] !== "string",
  );
  return odd === undefined ? undefined : invalidValue(`${path}.${odd}`, fields[odd], "must be a string");
}

/** Validates embedded objects: they need a version, a kind, and valid metadata. */
export function embeddedProblems(node: SchemaNode, object: unknown): FieldProblem[] {
  const problems: FieldProblem[] = [];
  visit(node, object, {
    has: "embedded",
    found: (at, value, path) => {
      if (at.embedded && !Array.isArray(value)) problems.push(...objectProblems(value as Fields, path));
    },
  });
  return problems;
}

function objectProblems(object: Fields, path: string): FieldProblem[] {
  const { apiVersion, kind, metadata } = object as Record<string, string | undefined> & {
    metadata?: ObjectMeta;
  };
  return [
    ...(apiVersion === undefined ? [requiredValue(`${path}.apiVersion`)] : []),
    ...(kind === undefined ? [requiredValue(`${path}.kind`)] : []),
    ...(apiVersion === undefined ? [] : versionProblems(apiVersion, `${path}.apiVersion`)),
    ...(kind === undefined ? [] : kindProblems(kind, `${path}.kind`)),
    ...(metadata === undefined ? [] : metadataProblems(metadata, `${path}.metadata`)),
  ];
}

function versionProblems(apiVersion: string, field: string): FieldProblem[] {
  if (apiVersion === "") return [invalid(field, apiVersion, "must not be empty")];
  if (apiVersion.split("/").length <= 2) return [];
  return [invalid(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
}

function kindProblems(kind: string, field: string): FieldProblem[] {
  if (kind === "") return [invalid(field, kind, "must not be empty")];
  const problems = dns1035LabelProblems(kind.toLowerCase());
  if (problems.length === 0) return [];
  return [invalid(field, kind, `may have mixed case, but should otherwise match: ${problems.join(",")}`)];
}

/** Any name that is valid in a path is accepted, because the kinds of the objects are unknown here. */
function metadataProblems(metadata: ObjectMeta, field: string): FieldProblem[] {
  const { name = "", generateName = "", namespace = "" } = metadata as Partial<ObjectMeta>;
  return [
    ...nameErrors(generateName, { field: `${field}.generateName`, nameProblems: pathSegmentProblems }),
    ...nameErrors(name, { field: `${field}.name`, nameProblems: pathSegmentProblems }),
    ...(namespace === ""
      ? []
      : nameErrors(namespace, { field: `${field}.namespace`, nameProblems: dns1123LabelProblems })),
    ...objectMetaErrors(metadata, field),
  ];
}
