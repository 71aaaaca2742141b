/**
 * The CEL rules of schemas, which stand in `SchemaNode.rules`. They are looked at last, when everything else has
 * been found right. Nobody checks them yet: definitions with rules are accepted, and this is the place where a
 * checker of `(node, value, old)` comes in.
 */
import type { SchemaNode } from "./node.ts";
import { type FieldProblem, invalidValue, NO_PATH } from "./problem.ts";

// Rules read fields by their types, so objects with problems of these kinds cannot be handed to them.
const BLOCKING: ReadonlySet<FieldProblem["type"]> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

/** Says that rules were not looked at because of the problems found before them; nothing where there are no rules. */
export function uncheckedRules(node: SchemaNode, problems: readonly FieldProblem[]): FieldProblem[] {
  if (!node.has.rules || !problems.some(({ type }) => BLOCKING.has(type))) return [];
  const detail =
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
  return [invalidValue(NO_PATH, null, detail)];
}
