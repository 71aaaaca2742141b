import {
  deepEqual,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  labelKeyProblems,
  labelValueProblems,
} from "@capstan/api";
import {
  type FieldProblem,
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from "../../schema/problem.ts";
import { type Fields, numberIn, objectIn, objectsIn, textIn } from "../fields.ts";

/** A value that must have one of several forms; `problemsOf` returns the message for each form that it lacks. */
export function formProblems(
  field: string,
  value: string,
  problemsOf: (value: string) => readonly string[],
): FieldProblem[] {
  return problemsOf(value).map((problem) => invalidValue(field, value, problem));
}

/** A name that is required and must be a DNS label. */
export function labelNameProblems(field: string, name: string): FieldProblem[] {
  return name === "" ? [requiredValue(field)] : formProblems(field, name, dns1123LabelProblems);
}

/** An optional name that must be valid for an object. */
export function objectNameProblems(field: string, name: string): FieldProblem[] {
  return name === "" ? [] : formProblems(field, name, dns1123SubdomainProblems);
}

/** A required text. */
export function presence(field: string, value: unknown): FieldProblem[] {
  return value === undefined || value === "" ? [requiredValue(field)] : [];
}

/** A text that must be one of a few. */
export function choiceProblems(field: string, value: unknown, choices: readonly string[]): FieldProblem[] {
  return choices.includes(String(value)) ? [] : [unsupportedValue(field, value, choices)];
}

/** Numbers that must not be negative; missing ones are fine. */
export function negativeProblems(at: string, fields: Fields, names: readonly string[]): FieldProblem[] {
  return names
    .filter((name) => numberIn(fields, name) < 0)
    .map((name) => invalidValue(joined(at, name), fields[name], "must be greater than or equal to 0"));
}

/** An immutable field. */
export function changeProblems(field: string, value: unknown, old: unknown): FieldProblem[] {
  return deepEqual(value, old) ? [] : [invalidValue(field, value, "field is immutable")];
}

/** A Go struct that is invalid; its fields are shown in Go's order. */
export function invalidStruct(field: string, struct: Fields, detail: string): FieldProblem {
  return { type: "FieldValueInvalid", field, message: `Invalid value: ${JSON.stringify(struct)}: ${detail}` };
}

/** Data that is immutable for good. */
export function fixedProblems(
  draft: Fields,
  old: Fields | undefined,
  names: readonly string[],
): FieldProblem[] {
  if (old?.["immutable"] !== true) return [];
  const detail = "field is immutable when `immutable` is set";
  return [
    ...(draft["immutable"] === true ? [] : [forbiddenValue("immutable", detail)]),
    ...names
      .filter((name) => !deepEqual(draft[name] ?? {}, old[name] ?? {}))
      .map((name) => forbiddenValue(name, detail)),
  ];
}

/** Validates labels of any object. */
export function labelProblems(field: string, labels: Fields): FieldProblem[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...formProblems(field, key, labelKeyProblems),
    ...formProblems(field, String(value), labelValueProblems),
  ]);
}

/** Validates a label selector, if there is one. */
export function selectorProblems(field: string, selector: Fields): FieldProblem[] {
  return [
    ...labelProblems(`${field}.matchLabels`, objectIn(selector, "matchLabels")),
    ...objectsIn(selector, "matchExpressions").flatMap((requirement, index) =>
      requirementProblems(`${field}.matchExpressions[${index}]`, requirement),
    ),
  ];
}

function requirementProblems(field: string, requirement: Fields): FieldProblem[] {
  const values = (requirement["values"] ?? []) as readonly string[];
  const operator = textIn(requirement, "operator");
  return [
    ...operatorProblems(field, operator, values),
    ...formProblems(`${field}.key`, textIn(requirement, "key"), labelKeyProblems),
    ...values.flatMap((value, index) => formProblems(`${field}.values[${index}]`, value, labelValueProblems)),
  ];
}

function operatorProblems(field: string, operator: string, values: readonly string[]): FieldProblem[] {
  if (operator === "In" || operator === "NotIn")
    return values.length > 0
      ? []
      : [requiredValue(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
  if (operator === "Exists" || operator === "DoesNotExist")
    return values.length === 0
      ? []
      : [
          forbiddenValue(
            `${field}.values`,
            "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
          ),
        ];
  return [invalidValue(`${field}.operator`, operator, "not a valid selector operator")];
}

/** Validates a number of a port. */
export function portProblems(field: string, port: number): FieldProblem[] {
  return port >= 1 && port <= 65_535
    ? []
    : [invalidValue(field, port, "must be between 1 and 65535, inclusive")];
}

const PORT_NAME_RULES: readonly (readonly [RegExp, string])[] = [
  [/^[-a-z0-9]+$/, "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"],
  [/[a-z]/, "must contain at least one letter (a-z)"],
  [/^(?!.*--)/, "must not contain consecutive hyphens"],
  [/^(?!-)(?!.*-$)/, "must not begin or end with a hyphen"],
];
const LONGEST_PORT_NAME = 15;

/** Validates the name of a port. */
export function portNameProblems(name: string): string[] {
  return [
    ...(name.length > LONGEST_PORT_NAME ? [`must be no more than ${LONGEST_PORT_NAME} characters`] : []),
    ...PORT_NAME_RULES.filter(([pattern]) => !pattern.test(name)).map(([, problem]) => problem),
  ];
}

/** Validates a port that may be a number or a name. */
export function portOrNameProblems(field: string, port: unknown): FieldProblem[] {
  return typeof port === "string"
    ? formProblems(field, port, portNameProblems)
    : portProblems(field, Number(port ?? 0));
}

const PERCENT_RULE =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** Validates an amount, as a number or as a share in percent. */
export function amountProblems(field: string, amount: unknown): FieldProblem[] {
  if (typeof amount === "string") return isPercent(amount) ? [] : [invalidValue(field, amount, PERCENT_RULE)];
  return typeof amount === "number" && amount < 0
    ? [invalidValue(field, amount, "must be greater than or equal to 0")]
    : [];
}

/** Validates a share that may not be more than all. */
export function shareProblems(field: string, amount: unknown): FieldProblem[] {
  const isTooMuch = typeof amount === "string" && isPercent(amount) && Number.parseInt(amount, 10) > 100;
  return isTooMuch ? [invalidValue(field, amount, "must not be greater than 100%")] : [];
}

/** Whether a number or percentage is zero. */
export function isNoAmount(amount: unknown): boolean {
  return (
    amount === undefined || amount === 0 || (typeof amount === "string" && Number.parseInt(amount, 10) === 0)
  );
}

function isPercent(text: string): boolean {
  return /^[0-9]+%$/.test(text);
}

/** `path.name`, or the name alone at the top. */
function joined(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
