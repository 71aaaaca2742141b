import { deepCopy } from "@capstan/api";
import { embeddedProblems } from "../schema/embedded.ts";
import type { SchemaNode } from "../schema/node.ts";
import { type FieldProblem, invalidValue } from "../schema/problem.ts";
import { pruneValue } from "../schema/prune.ts";
import { validate } from "../schema/validate.ts";

/** Reports the defaults of a schema that do not fit the schema themselves: they would make objects invalid. */
export function defaultProblems(node: SchemaNode, path: string): FieldProblem[] {
  return [
    ...(node.default === undefined ? [] : ownProblems(node, `${path}.default`)),
    ...(node.items ? defaultProblems(node.items, `${path}.items`) : []),
    ...[...node.properties].flatMap(([name, child]) => defaultProblems(child, `${path}.properties[${name}]`)),
  ];
}

function ownProblems(node: SchemaNode, field: string): FieldProblem[] {
  const value = deepCopy(node.default);
  const unknown = pruneValue(node, value)
    ? [invalidValue(field, node.default, "must not have unknown fields")]
    : [];
  const embedded = embeddedProblems(node, node.default).map((problem) => ({
    ...problem,
    field: `${field}${problem.field}`,
  }));
  return [...unknown, ...(embedded.length > 0 ? embedded : validate(node, node.default, { prefix: field }))];
}
