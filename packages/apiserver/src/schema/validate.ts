import { deepEqual } from "@capstan/api";
import { checkCombined } from "./combined.ts";
import { fieldOf, noFindings, pathText, PROBLEMS_LIMIT, report, type Findings } from "./findings.ts";
import { goQuote } from "./go-text.ts";
import { checkNumber, checkText } from "./limits.ts";
import { keyText } from "./list-types.ts";
import type { JsonType, SchemaNode } from "./node.ts";
import {
  type FieldProblem,
  invalidValue,
  requiredValue,
  tooMany,
  unsupportedValue,
  wrongType,
} from "./problem.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Validates a value against its schema, with kube-apiserver's messages.
 *
 * With `old`, the current value, it ignores problems of unchanged parts: a schema that became stricter must not block
 * updates of existing objects.
 */
export function validate(
  node: SchemaNode,
  value: unknown,
  { old, prefix = "" }: { readonly old?: unknown; readonly prefix?: string } = {},
): FieldProblem[] {
  const findings = noFindings(node, prefix);
  check(findings, node, { value, old });
  return findings.problems;
}

/** A value, and the former one; undefined if there was none. */
interface Change {
  readonly value: unknown;
  readonly old: unknown;
}

/** Checks one value and everything in it. */
function check(findings: Findings, node: SchemaNode, change: Change): void {
  const { value, old } = change;
  if (value === old && typeof value === "object" && value !== null) return;
  const { problems } = findings;
  const before = problems.length;
  if (before >= PROBLEMS_LIMIT) return;
  if (value === null) checkNull(findings, node);
  else checkPresent(findings, node, change);
  if (problems.length > before && old !== undefined && deepEqual(value, old)) problems.length = before;
}

function checkNull(findings: Findings, node: SchemaNode): void {
  if (node.types.length === 0 || node.nullable) findings.matches++;
  else reportType(findings, node.types.join(","), "null");
  if (node.limits.enum) report(findings, unsupportedValue(fieldOf(findings), null, node.limits.enum.values));
}

function checkPresent(findings: Findings, node: SchemaNode, change: Change): void {
  const { value } = change;
  const { limits } = node;
  findings.matches += 4;
  checkType(findings, node, value);
  if (limits.combined)
    checkCombined(findings, limits.combined, (apart, branch) => check(apart, branch, change));
  if (typeof value === "string") checkText(findings, limits, value);
  else if (typeof value === "number" || typeof value === "bigint") checkNumber(findings, limits, value);
  else if (Array.isArray(value)) checkList(findings, node, { value, old: change.old });
  if (limits.enum && !limits.enum.has(value))
    report(findings, unsupportedValue(fieldOf(findings), value, limits.enum.values));
  if (isObject(value)) checkObject(findings, node, { value, old: change.old });
}

// One more than the largest 64-bit integer, which JavaScript cannot distinguish from it.
const INT64_LIMIT = 2 ** 63;

/** The type of a value. JavaScript does not preserve how a number was written. */
function typeOf(value: unknown): JsonType {
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint") return "integer";
  if (typeof value === "number")
    return Number.isInteger(value) && Math.abs(value) <= INT64_LIMIT ? "integer" : "number";
  return typeof value as "string" | "boolean" | "object";
}

const NATIVE_FORMATS: Partial<Readonly<Record<JsonType, string>>> = { integer: "int64", number: "float64" };

function checkType(findings: Findings, { types, limits: { format } }: SchemaNode, value: unknown): void {
  if (types.length === 0 && !format) return;
  const type = typeOf(value);
  findings.matches++;
  if (fitsType(types, type) || (format && formatDecides(types, type))) findings.matches++;
  else if (format && !isTextOrList(type)) reportType(findings, format.name, NATIVE_FORMATS[type] ?? "");
  else reportType(findings, types.join(","), type);
}

function fitsType(types: readonly JsonType[], type: JsonType): boolean {
  return types.includes(type) || (type === "integer" && types.includes("number"));
}

/** A format constrains texts only. That lists pass, too, is an error of kube-apiserver that objects may rely on. */
function formatDecides(types: readonly JsonType[], type: JsonType): boolean {
  return isTextOrList(type) && !types.includes("number") && !types.includes("integer");
}

function isTextOrList(type: JsonType): boolean {
  return type === "string" || type === "array";
}

function reportType(findings: Findings, wanted: string, was: string): void {
  const detail = `${pathText(findings)} in body must be of type ${wanted}: ${goQuote(was)}`;
  report(findings, wrongType(fieldOf(findings), was, detail));
}

// The number of checks that every text passes: those of any value, of its type and of its length.
const TEXT_MATCHES = 7;

/** Whether a value is a text and any text fits; it counts as fully checked. */
function isFittingText(findings: Findings, node: SchemaNode, value: unknown): boolean {
  if (!node.isAnyText || typeof value !== "string") return false;
  findings.matches += TEXT_MATCHES;
  return true;
}

function checkList(
  findings: Findings,
  node: SchemaNode,
  { value, old }: { readonly value: readonly unknown[]; readonly old: unknown },
): void {
  const { items, limits } = node;
  findings.matches += 2;
  if (items) {
    for (let index = 0; index < value.length; index++) {
      if (isFittingText(findings, items, value[index])) continue;
      findings.path.push(index);
      checkItem(findings, node, { value: value[index], old });
      findings.path.pop();
    }
  }
  const { length } = value;
  if (limits.minItems !== undefined && length < limits.minItems)
    reportInvalid(findings, length, `should have at least ${limits.minItems} items`);
  if (limits.maxItems !== undefined && length > limits.maxItems)
    report(findings, tooMany(fieldOf(findings), length, limits.maxItems));
}

/** Items have an old value only in lists with keys, and it is looked up only after a problem. */
function checkItem(findings: Findings, { items, listType, listMapKeys }: SchemaNode, change: Change): void {
  if (!items) return;
  const { value, old } = change;
  const { problems } = findings;
  const before = problems.length;
  check(findings, items, { value, old: undefined });
  if (problems.length === before || listType !== "map" || !Array.isArray(old) || !isObject(value)) return;
  const key = keyText(value, listMapKeys);
  const oldItem = itemsByKey(old, listMapKeys).get(key);
  if (oldItem === undefined) return;
  problems.length = before;
  check(findings, items, { value, old: oldItem });
}

const indexes = new WeakMap<readonly unknown[], ReadonlyMap<string, unknown>>();

/** The items of an old list by their keys. A list belongs to one schema, so it has one index. */
function itemsByKey(list: readonly unknown[], keys: readonly string[]): ReadonlyMap<string, unknown> {
  const known = indexes.get(list);
  if (known) return known;
  // From the end, so that of equal keys the first one counts.
  const entries = list.filter(isObject).map((item) => [keyText(item, keys), item] as const);
  const index = new Map<string, unknown>(entries.toReversed());
  indexes.set(list, index);
  return index;
}

function checkObject(
  findings: Findings,
  node: SchemaNode,
  { value, old }: { readonly value: Fields; readonly old: unknown },
): void {
  const { properties, additional, required } = node;
  findings.matches++;
  checkCount(findings, node, value);
  const before = isObject(old) ? old : undefined;
  for (const name of Object.keys(value)) {
    const child = properties.get(name) ?? additional;
    if (child === undefined || child === "any") continue;
    const field = value[name];
    if (isFittingText(findings, child, field)) continue;
    findings.path.push(name);
    check(findings, child, { value: field, old: before && fieldIn(before, name) });
    findings.path.pop();
  }
  for (const name of required) {
    if (!Object.hasOwn(value, name)) report(findings, requiredValue(fieldOf(findings, name)));
  }
}

function fieldIn(object: Fields, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function checkCount(findings: Findings, { limits }: SchemaNode, value: Fields): void {
  const { minProperties, maxProperties } = limits;
  if (minProperties === undefined && maxProperties === undefined) return;
  const count = Object.keys(value).length;
  if (minProperties !== undefined && count < minProperties)
    reportInvalid(findings, count, `should have at least ${minProperties} properties`);
  if (maxProperties !== undefined && count > maxProperties)
    report(findings, tooMany(fieldOf(findings), count, maxProperties));
}

function reportInvalid(findings: Findings, value: unknown, what: string): void {
  report(findings, invalidValue(fieldOf(findings), value, `${pathText(findings)} in body ${what}`));
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
