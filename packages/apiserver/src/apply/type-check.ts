import { goQuote, goValue } from "../schema/go-text.ts";
import {
  elementOf,
  formOf,
  isMap,
  keysOf,
  type ListType,
  type MapType,
  type MergeType,
  type ScalarType,
} from "./merge-type.ts";
import { fieldElement, shownElement } from "./path-element.ts";

/**
 * Checks an applied object against its type, in the words of kube-apiserver: undeclared fields, values of other types,
 * duplicate items. Undefined if it fits.
 */
export function typeProblem(type: MergeType, object: unknown): string | undefined {
  const check: Check = { path: [], problems: [] };
  visit(check, type, object);
  const problems = [...new Set(check.problems)].sort();
  if (problems.length <= 1) return problems[0];
  return `errors:\n${problems.map((problem) => `  ${problem}`).join("\n")}`;
}

interface Check {
  readonly path: string[];
  readonly problems: string[];
}

// More would not help, and a hostile object could have a million.
const MOST_PROBLEMS = 100;

function report({ path, problems }: Check, problem: string): void {
  if (problems.length < MOST_PROBLEMS) problems.push(`${path.map(shownElement).join("")}: ${problem}`);
}

function visit(check: Check, type: MergeType, value: unknown): void {
  if (value === null || value === undefined) return;
  const { scalar, list, map } = formOf(type, value);
  if (map) visitMap(check, map, value);
  else if (scalar) visitScalar(check, scalar, value);
  else if (list) visitList(check, list, value);
}

function visitScalar(check: Check, type: ScalarType, value: unknown): void {
  const isNumber = typeof value === "number" || typeof value === "bigint";
  if (type === "numeric" && !isNumber) report(check, `expected numeric (int or float), got ${goType(value)}`);
  if (type === "string" && typeof value !== "string")
    report(check, `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`);
  if (type === "boolean" && typeof value !== "boolean")
    report(check, `expected boolean, got &{${goValue(value)}}`);
}

function visitMap(check: Check, type: MapType, value: unknown): void {
  if (!isMap(value)) return report(check, `expected map, got &{${goValue(value)}}`);
  let hasUnknown = false;
  for (const name of Object.keys(value).sort()) {
    const child = type.fields.get(name) ?? type.other;
    check.path.push(fieldElement(name));
    if (child) visit(check, child, value[name]);
    // As in kube-apiserver, one unknown field of each map is named.
    else if (!hasUnknown) report(check, "field not declared in schema");
    check.path.pop();
    hasUnknown ||= !child;
  }
}

function visitList(check: Check, type: ListType, value: unknown): void {
  if (!Array.isArray(value)) return report(check, `expected list, got &{${goValue(value)}}`);
  const seen = new Set<string>();
  for (const [index, item] of value.entries()) {
    const problem = type.relation === "atomic" ? undefined : itemProblem(type, item);
    if (problem !== undefined) return report(check, `element ${index}: ${problem}`);
    const element = type.relation === "atomic" ? `i:${index}` : (elementOf(type, item) ?? "");
    if (seen.has(element)) report(check, `duplicate entries for key ${shownElement(element)}`);
    seen.add(element);
    check.path.push(element);
    visit(check, type.item, item);
    check.path.pop();
  }
}

/** Why an item has no place in its list. */
function itemProblem(type: ListType, item: unknown): string | undefined {
  if (type.relation === "set") return memberProblem(item);
  if (item === null) return "associative list with keys may not have a null element";
  const keys = keysOf(type, item);
  if (!keys) return "associative list with keys may not have non-map elements";
  if (keys.length > 0) return undefined;
  return `associative list with keys has an element that omits all key fields [${type.keys.map(goQuote).join(" ")}] (and doesn't have default values for any key fields)`;
}

function memberProblem(item: unknown): string | undefined {
  if (item === null) return "associative list without keys has an element that's an explicit null";
  if (Array.isArray(item)) return "not supported: associative list with lists as elements";
  return typeof item === "object"
    ? "associative list without keys has an element that's a map type"
    : undefined;
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** A value as `%#v` prints it. */
function goSyntax(value: unknown): string {
  if (value === null) return "interface {}(nil)";
  if (typeof value === "string") return goQuote(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (typeof value !== "object") return goValue(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[string]interface {}{${fields.map(([name, field]) => `${goQuote(name)}:${goSyntax(field)}`).join(", ")}}`;
}
