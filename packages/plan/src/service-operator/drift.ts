/** Whether an Azure resource is as a PUT body says. Pure. */
import { isJsonObject } from "@capstan/api";

/** A field that differs. */
export interface Drift {
  readonly path: string;
  readonly wanted: unknown;
  readonly actual: unknown;
}

/** The path of the first field that differs; undefined when the resource has every value of the body. */
export function firstDrift(wanted: unknown, actual: unknown): string | undefined {
  for (const { path } of driftsOf(wanted, actual)) return path || "the resource";
  return undefined;
}

/**
 * The fields of a PUT body that the resource has with another value. Fields that only Azure has, and those that the body
 * leaves open (null, empty lists and maps), do not differ.
 */
export function* driftsOf(wanted: unknown, actual: unknown, path = ""): Generator<Drift, void> {
  if (isOpen(wanted)) return;
  if (Array.isArray(wanted)) yield* listDrifts(wanted, actual, path);
  else if (isJsonObject(wanted)) yield* objectDrifts(wanted, actual, path);
  else if (!sameScalar(wanted, actual)) yield { path, wanted, actual };
}

function* objectDrifts(
  wanted: Readonly<Record<string, unknown>>,
  actual: unknown,
  path: string,
): Generator<Drift, void> {
  if (!isJsonObject(actual)) {
    yield { path, wanted, actual };
    return;
  }
  for (const [name, value] of Object.entries(wanted))
    yield* driftsOf(value, actual[name], path === "" ? name : `${path}.${name}`);
}

function isOpen(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** Lists of named items are compared by name: Azure may order them. */
function* listDrifts(wanted: readonly unknown[], actual: unknown, path: string): Generator<Drift, void> {
  if (!Array.isArray(actual) || actual.length !== wanted.length) {
    yield { path, wanted, actual };
    return;
  }
  for (const [index, item] of wanted.entries()) {
    const name = isJsonObject(item) ? item["name"] : undefined;
    const other: unknown =
      name === undefined ? actual[index] : actual.find((one) => isJsonObject(one) && one["name"] === name);
    yield* driftsOf(item, other, `${path}[${index}]`);
  }
}

/** ARM ids and regions have no case, and regions may have spaces. */
function sameScalar(wanted: unknown, actual: unknown): boolean {
  if (wanted === actual) return true;
  if (typeof wanted !== "string" || typeof actual !== "string") return false;
  const isId = wanted.startsWith("/subscriptions/");
  return isId && wanted.toLowerCase() === actual.toLowerCase();
}
