import { deepEqual } from "@capstan/api";
import { Optional } from "@marcbachmann/cel-js";
import { keyText } from "../schema/list-types.ts";
import type { SchemaNode } from "../schema/node.ts";
import {
  duplicateValue,
  type FieldProblem,
  forbiddenValue,
  invalidValue,
  NO_PATH,
  requiredValue,
} from "../schema/problem.ts";
import { compileExpression, type Evaluation, type Expression } from "./expression.ts";
import { celRoot, celValue } from "./values.ts";

/** A rule of a schema (`x-kubernetes-validations`). */
interface Rule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** The outcome of all rules of an object. */
export interface RuleFindings {
  readonly problems: readonly FieldProblem[];
  /** What fails on values that did not change: they were accepted before the rule existed. */
  readonly warnings: readonly string[];
}

// Kubernetes' own limits of one rule and of one object.
const RULE_COST = 1_000_000;
const OBJECT_COST = 10_000_000;

/** Evaluates the CEL rules of a schema on an object that fits the schema; `old` is the object before an update. */
export function checkRules(schema: SchemaNode, object: unknown, old?: unknown): RuleFindings {
  const walk: Walk = { problems: [], warnings: [], costLeft: OBJECT_COST, isOver: false };
  if (schema.has.rules)
    check(walk, { node: schema, value: object, old, path: "", isRoot: true, isUnchanged: undefined });
  return walk;
}

interface Walk {
  readonly problems: FieldProblem[];
  readonly warnings: string[];
  costLeft: number;
  /** The budget is used up: nothing else is evaluated. */
  isOver: boolean;
}

interface Place {
  readonly node: SchemaNode;
  readonly value: unknown;
  /** The value before the update; undefined if there was none, or if list items cannot be matched. */
  readonly old: unknown;
  readonly path: string;
  readonly isRoot: boolean;
  /** Whether the nearest value that has a former one is equal to it; undefined if this value has one itself. */
  readonly isUnchanged: boolean | undefined;
}

function check(walk: Walk, place: Place): void {
  const { node, value } = place;
  if (!node.has.rules || value === null || value === undefined || walk.isOver) return;
  for (const rule of compiledRules(node)) {
    if (walk.isOver) return;
    apply(walk, place, rule);
  }
  if (Array.isArray(value)) checkItems(walk, place, value);
  else if (typeof value === "object") checkFields(walk, place, value as Fields);
}

type Fields = Readonly<Record<string, unknown>>;

function checkFields(walk: Walk, place: Place, value: Fields): void {
  const { node, path } = place;
  const old = isFields(place.old) ? place.old : {};
  for (const [name, field] of Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))) {
    const child = node.properties.get(name);
    const next = child ?? (typeof node.additional === "object" ? node.additional : undefined);
    if (!next) continue;
    const inner = child ? (path === "" ? name : `${path}.${name}`) : `${path}[${name}]`;
    check(walk, { ...place, node: next, value: field, old: old[name], path: inner, isRoot: false });
  }
}

function checkItems(walk: Walk, place: Place, list: readonly unknown[]): void {
  const { node, path } = place;
  if (!node.items?.has.rules) return;
  const { items } = node;
  const isMap = node.listType === "map";
  const before = new Map<string, unknown>(
    isMap && Array.isArray(place.old)
      ? place.old.map((item) => [keyText(item as Fields, node.listMapKeys), item])
      : [],
  );
  const isUnchanged = isMap ? place.isUnchanged : (place.isUnchanged ?? isSame(place));
  for (const [index, item] of list.entries()) {
    const old = isMap ? before.get(keyText(item as Fields, node.listMapKeys)) : undefined;
    check(walk, { node: items, value: item, old, path: `${path}[${index}]`, isRoot: false, isUnchanged });
  }
}

function isSame({ value, old }: Place): boolean {
  return old !== undefined && deepEqual(value, old);
}

interface CompiledRule extends Rule {
  readonly expression: Expression;
  readonly text?: Expression;
}

const compiled = new WeakMap<SchemaNode, readonly CompiledRule[]>();

/** Definitions with rules that do not compile are refused, or their users are warned that a rule is not evaluated. */
function compiledRules(node: SchemaNode): readonly CompiledRule[] {
  const known = compiled.get(node);
  if (known) return known;
  const rules = (node.rules as readonly Rule[]).flatMap((rule) => {
    try {
      const { messageExpression, optionalOldSelf = false } = rule;
      const expression = compileExpression(rule.rule, { optionalOldSelf });
      const text = messageExpression ? compileExpression(messageExpression, { optionalOldSelf }) : undefined;
      return [{ ...rule, expression, ...(text && { text }) }];
    } catch {
      return [];
    }
  });
  compiled.set(node, rules);
  return rules;
}

function apply(walk: Walk, place: Place, rule: CompiledRule): void {
  const { usesOldSelf } = rule.expression;
  const isOptional = rule.optionalOldSelf === true;
  const hasOld = place.old !== undefined && place.old !== null;
  if (usesOldSelf && !isOptional && !hasOld) return;
  const variables = variablesOf(place, { usesOldSelf, isOptional });
  const evaluation = rule.expression.evaluate(variables, Math.min(RULE_COST, walk.costLeft));
  walk.costLeft -= evaluation.cost;
  switch (evaluation.state) {
    case "exceeded":
      return exceed(walk, place, rule);
    case "failed":
      walk.problems.push(failure(place, rule, evaluation));
      return;
    case "value":
      if (evaluation.value !== true) violate(walk, place, { rule, text: messageOf(rule, variables) });
  }
}

/** A rule that fails on a value which did not change is only a warning, unless it compares with the former value. */
function violate(walk: Walk, place: Place, { rule, text }: { rule: CompiledRule; text: string }): void {
  const problem = violation(place, rule, text);
  const isOldFault = !rule.expression.usesOldSelf && (place.isUnchanged ?? isSame(place));
  if (isOldFault) walk.warnings.push(`${problem.field}: ${problem.message}`);
  else walk.problems.push(problem);
}

function variablesOf(
  { node, value, old, isRoot }: Place,
  { usesOldSelf, isOptional }: { readonly usesOldSelf: boolean; readonly isOptional: boolean },
): { self: unknown; oldSelf?: unknown } {
  const convert = isRoot || node.embedded ? celRoot : celValue;
  const self = convert(node, value);
  if (!usesOldSelf) return { self };
  const before = old === undefined || old === null ? undefined : convert(node, old);
  return { self, oldSelf: isOptional ? optional(before) : before };
}

function optional(value: unknown): unknown {
  return value === undefined ? Optional.none() : Optional.of(value);
}

function fieldOf({ path }: Place): string {
  return path === "" ? NO_PATH : path;
}

/** The rule in messages about its evaluation. */
function nameOf({ message, rule }: Rule): string {
  return message !== undefined && message.trim() !== "" ? message.trim() : rule.trim();
}

function exceed(walk: Walk, place: Place, rule: Rule): void {
  walk.isOver = true;
  const detail =
    walk.costLeft <= 0
      ? "validation failed due to running out of cost budget, no further validation rules will be run"
      : `'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${nameOf(rule)}`;
  walk.problems.push(invalidValue(fieldOf(place), schemaType(place.node), detail));
}

function failure(
  place: Place,
  rule: Rule,
  { text, isOverload }: Extract<Evaluation, { state: "failed" }>,
): FieldProblem {
  const detail = isOverload
    ? `'${text}': call arguments did not match a supported operator, function or macro signature for rule: ${nameOf(rule)}`
    : `${text} evaluating rule: ${nameOf(rule)}`;
  return invalidValue(fieldOf(place), schemaType(place.node), detail);
}

function schemaType({ types }: SchemaNode): string {
  const [first, ...others] = types;
  return first === undefined || others.length > 0 ? "" : first;
}

// A longer text of a messageExpression is not used.
const LONGEST_TEXT = 5 * 1024;

function messageOf(rule: CompiledRule, variables: { self: unknown; oldSelf?: unknown }): string {
  const made = rule.text?.evaluate(variables, RULE_COST);
  const text = made?.state === "value" && typeof made.value === "string" ? made.value.trim() : "";
  if (text !== "" && text.length <= LONGEST_TEXT && !/[\n\r]/.test(text)) return text;
  const { message = "" } = rule;
  return message.trim() === "" ? `failed rule: ${rule.rule.trim()}` : message.trim();
}

function violation(place: Place, { reason, fieldPath }: Rule, text: string): FieldProblem {
  const { value } = place;
  const field =
    fieldPath === undefined
      ? fieldOf(place)
      : `${place.path}${pathOf(place.node, fieldPath)}`.replace(/^\./, "");
  switch (reason ?? "") {
    case "FieldValueForbidden":
      return forbiddenValue(field, text);
    case "FieldValueRequired":
      return requiredValue(field, text);
    case "FieldValueDuplicate":
      return duplicateValue(field, value);
    default:
      return typeof value === "object"
        ? { type: "FieldValueInvalid", field, message: `Invalid value: ${text}` }
        : invalidValue(field, value, text);
  }
}

/** `.m['k.1']` of a rule as causes print it: a property with odd characters is printed like any other, a key in brackets. */
function pathOf(node: SchemaNode, fieldPath: string): string {
  const names = [...fieldPath.matchAll(/\.([A-Za-z_][A-Za-z0-9_-]*)|\['([^']*)'\]/g)].map(
    ([, name, key]) => name ?? key ?? "",
  );
  let current: SchemaNode | undefined = node;
  return names
    .map((name) => {
      const child: SchemaNode | undefined = current?.properties.get(name);
      const values: SchemaNode | undefined =
        typeof current?.additional === "object" ? current.additional : undefined;
      current = child ?? values;
      return child ? `.${name}` : `[${name}]`;
    })
    .join("");
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
