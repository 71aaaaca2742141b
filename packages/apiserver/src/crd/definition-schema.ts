import type { PrintedSchema } from "@capstan/api";
import { compileSchema, type SchemaNode } from "../schema/node.ts";

const text = { type: "string" };
const flag = { type: "boolean" };
const number = { type: "number" };
const whole = { type: "integer" };
const texts = { type: "array", items: text };
const anything = { "x-kubernetes-preserve-unknown-fields": true };
const object = (properties: Record<string, unknown>): PrintedSchema => ({ type: "object", properties });
const list = (items: unknown): PrintedSchema => ({ type: "array", items });

/** The keywords of a schema that are not schemas themselves. */
const KEYWORDS = {
  id: text,
  $schema: text,
  $ref: text,
  description: text,
  type: text,
  format: text,
  title: text,
  default: anything,
  maximum: number,
  exclusiveMaximum: flag,
  minimum: number,
  exclusiveMinimum: flag,
  maxLength: whole,
  minLength: whole,
  pattern: text,
  maxItems: whole,
  minItems: whole,
  uniqueItems: flag,
  multipleOf: number,
  enum: list(anything),
  maxProperties: whole,
  minProperties: whole,
  required: texts,
  dependencies: anything,
  externalDocs: object({ description: text, url: text }),
  example: anything,
  nullable: flag,
  "x-kubernetes-preserve-unknown-fields": flag,
  "x-kubernetes-embedded-resource": flag,
  "x-kubernetes-int-or-string": flag,
  "x-kubernetes-list-map-keys": texts,
  "x-kubernetes-list-type": text,
  "x-kubernetes-map-type": text,
  "x-kubernetes-validations": list(
    object({
      rule: text,
      message: text,
      messageExpression: text,
      reason: text,
      fieldPath: text,
      optionalOldSelf: flag,
    }),
  ),
};

/** The schema of schemas: it contains itself, so it is built with a cycle. */
function schemaOfSchemas(): SchemaNode {
  const properties = new Map(compileSchema(object(KEYWORDS)).properties);
  const schema: SchemaNode = { ...compileSchema(object({})), properties };
  const schemas: SchemaNode = { ...compileSchema({ type: "array" }), items: schema };
  const schemasByName: SchemaNode = { ...compileSchema({ type: "object" }), additional: schema };
  // Where a list of schemas, or a boolean, is allowed as well.
  const loose: SchemaNode = { ...schema, types: [], items: schema };
  for (const keyword of ["allOf", "anyOf", "oneOf"]) properties.set(keyword, schemas);
  for (const keyword of ["properties", "patternProperties", "definitions"])
    properties.set(keyword, schemasByName);
  for (const keyword of ["items", "additionalProperties", "additionalItems"]) properties.set(keyword, loose);
  properties.set("not", schema);
  return schema;
}

const names = object({
  plural: text,
  singular: text,
  shortNames: texts,
  kind: text,
  listKind: text,
  categories: texts,
});

const VERSION = {
  name: text,
  served: flag,
  storage: flag,
  deprecated: flag,
  deprecationWarning: text,
  schema: object({ openAPIV3Schema: anything }),
  subresources: object({
    status: object({}),
    scale: object({ specReplicasPath: text, statusReplicasPath: text, labelSelectorPath: text }),
  }),
  additionalPrinterColumns: list(
    object({ name: text, type: text, format: text, description: text, priority: whole, jsonPath: text }),
  ),
  selectableFields: list(object({ jsonPath: text })),
};

const SPEC = {
  group: text,
  names,
  scope: text,
  versions: list(object(VERSION)),
  conversion: object({
    strategy: text,
    webhook: object({ clientConfig: anything, conversionReviewVersions: texts }),
  }),
  preserveUnknownFields: flag,
};

const STATUS = {
  conditions: list(
    object({
      type: text,
      status: text,
      lastTransitionTime: text,
      reason: text,
      message: text,
      observedGeneration: whole,
    }),
  ),
  acceptedNames: names,
  storedVersions: texts,
  observedGeneration: whole,
};

/** The schema of a CRD: other fields are dropped, and values of other types refused. */
export const definitionSchema: SchemaNode = withSchemas(
  compileSchema(object({ spec: object(SPEC), status: object(STATUS) })),
);

function withSchemas(definition: SchemaNode): SchemaNode {
  return replaced(definition, ["spec", "versions", "*", "schema", "openAPIV3Schema"], schemaOfSchemas());
}

/** The node with another one at the path; `*` leads to the items of a list. */
function replaced(node: SchemaNode, [step, ...rest]: readonly string[], leaf: SchemaNode): SchemaNode {
  if (step === undefined) return leaf;
  if (step === "*") return node.items ? { ...node, items: replaced(node.items, rest, leaf) } : node;
  const child = node.properties.get(step);
  if (!child) return node;
  return { ...node, properties: new Map(node.properties).set(step, replaced(child, rest, leaf)) };
}
