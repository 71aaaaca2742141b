/** Whether an Azure resource is as a PUT body says. Pure. */
import { isJsonObject } from "@capstan/api";

/**
 * The path of the first field that differs; undefined when the resource has every value of the body. Fields that only
 * Azure has, and those that the body leaves open (null, empty lists and maps), do not differ.
 */
export function firstDrift(wanted: unknown, actual: unknown, path = ""): string | undefined {
  if (isOpen(wanted)) return undefined;
  if (Array.isArray(wanted)) return listDrift(wanted, actual, path);
  if (isJsonObject(wanted)) return objectDrift(wanted, actual, path);
  return sameScalar(wanted, actual) ? undefined : path;
}

function objectDrift(
  wanted: Readonly<Record<string, unknown>>,
  actual: unknown,
  path: string,
): string | undefined {
  if (!isJsonObject(actual)) return path || "the resource";
  for (const [name, value] of Object.entries(wanted)) {
    const found = firstDrift(value, actual[name], path === "" ? name : `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isOpen(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** Lists of named items are compared by name: Azure may order them. */
function listDrift(wanted: readonly unknown[], actual: unknown, path: string): string | undefined {
  if (!Array.isArray(actual) || actual.length !== wanted.length) return path;
  for (const [index, item] of wanted.entries()) {
    const name = isJsonObject(item) ? item["name"] : undefined;
    const other: unknown =
      name === undefined ? actual[index] : actual.find((one) => isJsonObject(one) && one["name"] === name);
    const found = firstDrift(item, other, `${path}[${index}]`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** ARM ids and regions have no case, and regions may have spaces. */
function sameScalar(wanted: unknown, actual: unknown): boolean {
  if (wanted === actual) return true;
  if (typeof wanted !== "string" || typeof actual !== "string") return false;
  const isId = wanted.startsWith("/subscriptions/");
  return isId && wanted.toLowerCase() === actual.toLowerCase();
}
