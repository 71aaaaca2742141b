import type { PrintedSchema } from "@capstan/api";
import { compileExpression, type Expression, ExpressionError } from "../cel/expression.ts";
import { isFieldPath } from "../cel/field-path.ts";
import { goJson } from "../schema/go-text.ts";
import { type FieldProblem, invalidValue, requiredValue, unsupportedValue } from "../schema/problem.ts";

const REASONS = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

interface Rule {
  readonly rule?: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** The position of rules in their schema. */
interface Position {
  readonly path: string;
  /** The list without keys that the rules are inside of: its items have no former values. */
  readonly uncorrelated: string | undefined;
}

/** Reports rules that Kubernetes refuses when a definition is written. */
export function ruleProblems(schema: PrintedSchema, { path, uncorrelated }: Position): FieldProblem[] {
  const rules = listOf(schema["x-kubernetes-validations"]);
  const problems = rules.map((rule, index) => formProblems(schema, rule, at(path, index)));
  // As in Kubernetes: a rule that is missing hides what is wrong with others.
  const isIncomplete = rules.some(({ rule = "" }) => rule.trim() === "");
  if (isIncomplete) return problems.flat();
  const uncompiled = rules.map((rule, index) =>
    compileProblems(rule, { path: at(path, index), uncorrelated }),
  );
  return [...problems.flat(), ...uncompiled.flat()];
}

function at(path: string, index: number): string {
  return `${path}.x-kubernetes-validations[${index}]`;
}

function formProblems(schema: PrintedSchema, entry: Rule, path: string): FieldProblem[] {
  const { rule = "", message = "", reason, fieldPath } = entry;
  const isBlank = message !== "" && message.trim() === "";
  return [
    ...when(rule.trim() === "", () => requiredValue(`${path}.rule`, "rule is not specified")),
    ...when(isBlank, () => invalidValue(`${path}.message`, message, "must be non-empty if specified")),
    ...when(hasBreak(message), () =>
      invalidValue(`${path}.message`, message, "must not contain line breaks"),
    ),
    ...when(hasBreak(rule) && message === "", () =>
      requiredValue(`${path}.message`, "message must be specified if rule contains line breaks"),
    ),
    ...when(reason !== undefined && !REASONS.includes(reason), () =>
      unsupportedValue(`${path}.reason`, reason, REASONS),
    ),
    ...when(fieldPath !== undefined && !isFieldPath(schema, fieldPath), () =>
      invalidValue(`${path}.fieldPath`, fieldPath, "must be a valid path"),
    ),
  ];
}

function compileProblems(entry: Rule, position: Position): FieldProblem[] {
  const { rule = "", messageExpression = "", optionalOldSelf } = entry;
  const main = compiled(rule, optionalOldSelf);
  if (main instanceof ExpressionError)
    return when(!main.isUnsupported, () =>
      refusal(entry, `${position.path}.rule`, `compilation failed: ERROR: <input>: ${main.message}`),
    );
  const text = messageExpression.trim() === "" ? undefined : compiled(messageExpression, optionalOldSelf);
  return [...expressionProblems(entry, main, position), ...(text ? textProblems(entry, text, position) : [])];
}

function expressionProblems(entry: Rule, main: Expression, { path, uncorrelated }: Position): FieldProblem[] {
  const { rule, optionalOldSelf } = entry;
  const unused = "may not be set if oldSelf is not used in rule";
  const lost = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`;
  return [
    ...when(!isOf(main, "bool"), () =>
      refusal(entry, `${path}.rule`, "cel expression must evaluate to a bool"),
    ),
    ...when(optionalOldSelf !== undefined && !main.usesOldSelf, () =>
      invalidValue(`${path}.optionalOldSelf`, optionalOldSelf, unused),
    ),
    ...when(main.usesOldSelf && uncorrelated !== undefined, () => invalidValue(`${path}.rule`, rule, lost)),
  ];
}

function textProblems(entry: Rule, text: Expression | ExpressionError, { path }: Position): FieldProblem[] {
  const field = `${path}.messageExpression`;
  if (text instanceof ExpressionError)
    return [refusal(entry, field, `messageExpression compilation failed: ERROR: <input>: ${text.message}`)];
  return when(!isOf(text, "string"), () =>
    refusal(entry, field, "messageExpression must evaluate to a string"),
  );
}

/** A problem whose value is the whole rule. */
function refusal(entry: Rule, field: string, detail: string): FieldProblem {
  return { type: "FieldValueInvalid", field, message: `Invalid value: ${printed(entry)}: ${detail}` };
}

function compiled(text: string, optionalOldSelf: boolean | undefined): Expression | ExpressionError {
  try {
    return compileExpression(text, { optionalOldSelf: optionalOldSelf === true });
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
}

/** The type of an expression over values whose type only running it shows is `dyn`. */
function isOf({ type }: Expression, wanted: string): boolean {
  return type === wanted || type === "dyn";
}

/** A rule as Go prints it. */
function printed({ rule = "", message = "", messageExpression = "", ...rest }: Rule): string {
  const { reason = null, fieldPath = "", optionalOldSelf = null } = rest;
  // Go prints the fields in the order of their declaration.
  const fields = [
    ["Rule", rule],
    ["Message", message],
    ["MessageExpression", messageExpression],
    ["Reason", reason],
    ["FieldPath", fieldPath],
    ["OptionalOldSelf", optionalOldSelf],
  ] as const;
  return `{${fields.map(([name, value]) => `"${name}":${goJson(value)}`).join(",")}}`;
}

function hasBreak(text: string): boolean {
  return /[\n\r]/.test(text.trim());
}

function when(isSo: boolean, problem: () => FieldProblem): FieldProblem[] {
  return isSo ? [problem()] : [];
}

function listOf(rules: unknown): readonly Rule[] {
  return Array.isArray(rules) ? (rules as readonly Rule[]) : [];
}

/** Warnings about rules that use functions which this server does not have: they are stored and not evaluated. */
export function unsupportedRules(schema: PrintedSchema): readonly string[] {
  const own = listOf(schema["x-kubernetes-validations"]).flatMap(({ rule = "", optionalOldSelf }) => {
    const expression = compiled(rule, optionalOldSelf);
    return expression instanceof ExpressionError && expression.isUnsupported
      ? [`the rule ${JSON.stringify(rule)} is not evaluated: this server lacks a function that it uses`]
      : [];
  });
  const inner = Object.values(schema).flatMap((value) =>
    typeof value === "object" && value !== null ? unsupportedRules(value as PrintedSchema) : [],
  );
  return [...own, ...inner];
}
