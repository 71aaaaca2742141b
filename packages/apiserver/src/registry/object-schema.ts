import { coerceEmbedded, embeddedProblems } from "../schema/embedded.ts";
import { checkRules } from "../cel/rules.ts";
import { applyDefaults } from "../schema/defaults.ts";
import { listTypeProblems } from "../schema/list-types.ts";
import type { SchemaNode } from "../schema/node.ts";
import type { FieldProblem } from "../schema/problem.ts";
import { prune } from "../schema/prune.ts";
import { uncheckedRules } from "../schema/rules.ts";
import { validate } from "../schema/validate.ts";
import type { Draft, StoredObject } from "../storage/storage.ts";
import type { Target } from "./context.ts";
import type { Resource } from "./registry.ts";
import { scaleSpecProblems, scaleStatusProblems } from "./scale/scale-problems.ts";
import { settle, thawUnsettled } from "./settled.ts";

/** The result of decoding an object by its schema. */
interface Read {
  /** Fields that the schema does not have; they have been dropped. */
  readonly unknownFields: readonly string[];
  /** Why it is not an object of its kind at all. */
  readonly problem: FieldProblem | undefined;
}

/**
 * Decodes an object by the schema of its kind: drops unknown fields, and sets defaults. With `keepsNulls`, nulls that
 * the schema does not allow stay, and are refused later.
 */
export function readBySchema(
  { schema, custom }: Resource,
  draft: Draft,
  { keepsNulls = false }: { readonly keepsNulls?: boolean } = {},
): Read {
  if (!schema) return { unknownFields: [], problem: undefined };
  const parts = custom ? thawUnsettled(schema.properties, draft) : [];
  const dropped = prune(schema, draft, { keepsNulls });
  // Kubernetes decodes its own kinds into types and refuses what does not fit; in custom kinds that is a validation
  // error.
  if (!custom) {
    const problem = validate(schema, draft).find(({ type }) => type === "FieldValueTypeInvalid");
    return { unknownFields: dropped, problem };
  }
  const embedded = coerceEmbedded(schema, draft);
  const { problem } = embedded;
  const unknownFields = [...dropped, ...embedded.unknownFields];
  if (problem) return { unknownFields, problem };
  defaultBySchema(schema, draft);
  settle(draft, parts);
  return { unknownFields, problem };
}

/** Sets the defaults of a schema, also after an admission has removed them. */
export function defaultBySchema(schema: SchemaNode | undefined, draft: Draft): void {
  if (schema?.has.defaults) applyDefaults(schema, draft);
}

/** What a schema and its rules say about an object. */
interface SchemaFindings {
  readonly problems: readonly FieldProblem[];
  readonly warnings: readonly string[];
}

/** Validates an object of a custom kind against its schema, then by the CEL rules of the schema. */
export function schemaFindings(target: Target, draft: Draft, old?: StoredObject): SchemaFindings {
  const { schema, custom } = target.resource;
  if (!schema || !custom) return { problems: [], warnings: [] };
  const problems =
    target.subresource === "status"
      ? statusProblems(target, draft, old)
      : [
          ...validate(schema, draft, { old }),
          ...scaleSpecProblems(custom.scale, draft),
          ...scaleStatusProblems(custom.scale, draft),
          ...(schema.has.embedded ? embeddedProblems(schema, draft) : []),
        ];
  problems.push(...newListTypeProblems(schema, draft, old));
  const unchecked = uncheckedRules(schema, problems);
  if (unchecked.length > 0) return { problems: [...problems, ...unchecked], warnings: [] };
  // Rules see the whole object, also in a write of its status.
  const rules = checkRules(schema, draft, old);
  return { problems: [...problems, ...rules.problems], warnings: rules.warnings };
}

/** Validates only the status in a write of the status. */
function statusProblems({ resource }: Target, draft: Draft, old: StoredObject | undefined): FieldProblem[] {
  const { schema, custom } = resource;
  const node = schema?.properties.get("status");
  const { status } = draft;
  return [
    ...(node && status !== undefined
      ? validate(node, status, { old: old?.["status"], prefix: "status" })
      : []),
    ...scaleStatusProblems(custom?.scale, draft),
  ];
}

/** Existing duplicates do not block other changes. */
function newListTypeProblems(
  schema: SchemaNode,
  draft: Draft,
  old: StoredObject | undefined,
): FieldProblem[] {
  if (!schema.has.listTypes) return [];
  if (!old) return listTypeProblems(schema, draft);
  // Duplicates of an unchanged field are existing ones, too.
  const changed = Object.keys(draft).filter((field) => draft[field] !== old[field]);
  const problems = listTypeProblems(
    schema,
    Object.fromEntries(changed.map((field) => [field, draft[field]])),
  );
  return problems.length > 0 && listTypeProblems(schema, old).length > 0 ? [] : problems;
}
