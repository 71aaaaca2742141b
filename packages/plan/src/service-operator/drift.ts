/** Whether an Azure resource is as a PUT body says. Pure. */
import { isJsonObject } from "@capstan/api";

/** A field that differs. */
export interface Drift {
  readonly path: string;
  readonly desired: unknown;
  readonly actual: unknown;
}

/** The path of the first field that differs; undefined when the resource has every value of the body. */
export function firstDrift(desired: unknown, actual: unknown): string | undefined {
  for (const { path } of driftsOf(desired, actual)) return path || "the resource";
  return undefined;
}

/**
 * The fields of a PUT body that the resource has with another value. Fields that only Azure has, and those that the body
 * leaves open (null, empty lists and maps), do not differ.
 */
export function* driftsOf(desired: unknown, actual: unknown, path = ""): Generator<Drift, void> {
  if (isOpen(desired)) return;
  if (Array.isArray(desired)) yield* listDrifts(desired, actual, path);
  else if (isJsonObject(desired)) yield* objectDrifts(desired, actual, path);
  else if (!sameScalar(desired, actual)) yield { path, desired, actual };
}

function* objectDrifts(
  desired: Readonly<Record<string, unknown>>,
  actual: unknown,
  path: string,
): Generator<Drift, void> {
  if (!isJsonObject(actual)) {
    yield { path, desired, actual };
    return;
  }
  for (const [name, value] of Object.entries(desired))
    yield* driftsOf(value, actual[name], path === "" ? name : `${path}.${name}`);
}

function isOpen(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** Lists of named items are compared by name: Azure may order them. */
function* listDrifts(desired: readonly unknown[], actual: unknown, path: string): Generator<Drift, void> {
  if (!Array.isArray(actual) || actual.length !== desired.length) {
    yield { path, desired, actual };
    return;
  }
  for (const [index, item] of desired.entries()) {
    const name = isJsonObject(item) ? item["name"] : undefined;
    const other: unknown =
      name === undefined ? actual[index] : actual.find((one) => isJsonObject(one) && one["name"] === name);
    yield* driftsOf(item, other, `${path}[${index}]`);
  }
}

/** ARM ids and regions have no case, and regions may have spaces. */
function sameScalar(desired: unknown, actual: unknown): boolean {
  if (desired === actual) return true;
  if (typeof desired !== "string" || typeof actual !== "string") return false;
  const isId = desired.startsWith("/subscriptions/");
  return isId && desired.toLowerCase() === actual.toLowerCase();
}
