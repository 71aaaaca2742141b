/** The CEL rules of schemas, in `SchemaNode.rules`, are evaluated last (`cel/rules.ts`), on valid objects only. */
import type { SchemaNode } from "./node.ts";
import { type FieldProblem, invalidValue, NO_PATH } from "./problem.ts";

// Rules access fields by their types, so they cannot be evaluated on objects with problems of these types.
const BLOCKING: ReadonlySet<FieldProblem["type"]> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

/** Reports that rules were not evaluated because of earlier problems; nothing if there are no rules. */
export function uncheckedRules(node: SchemaNode, problems: readonly FieldProblem[]): FieldProblem[] {
  if (!node.has.rules || !problems.some(({ type }) => BLOCKING.has(type))) return [];
  const detail =
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
  return [invalidValue(NO_PATH, null, detail)];
}
