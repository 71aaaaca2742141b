import { isJsonObject, type JsonObject, sameArmId } from "@capstan/api";
import { covers } from "@capstan/azure";

// Further fields in one of these items would change its effect, so the desired item replaces the observed one.
const WHOLE_ITEMS = new Set(["securityRules", "loadBalancingRules", "outboundRules", "probes"]);

/**
 * The observed value with the desired one merged in; the same value when it already contains everything desired.
 *
 * Additions of other clients stay: the cloud provider of a workload cluster writes rules, routes, frontends and pools
 * into the cluster's resources, and a PUT without them would remove them.
 */
export function mergeDesired(observed: unknown, desired: unknown, field = ""): unknown {
  if (desired === undefined) return observed;
  if (Array.isArray(desired)) return listLaidOver(observed, desired, field);
  if (isJsonObject(desired)) return isJsonObject(observed) ? objectLaidOver(observed, desired) : desired;
  return isSame(observed, desired) ? observed : desired;
}

/** The observed list without the items of these names; the same list when it has none of them. */
export function withoutNamed(observed: unknown, names: ReadonlySet<string>): unknown {
  if (!Array.isArray(observed) || names.size === 0) return observed;
  const kept = observed.filter((item) => !names.has(keyOf(item) ?? ""));
  return kept.length === observed.length ? observed : kept;
}

function objectLaidOver(observed: JsonObject, desired: JsonObject): JsonObject {
  const changes = Object.entries(desired).flatMap(([field, value]): [string, unknown][] => {
    const result = mergeDesired(observed[field], value, field);
    return result === observed[field] ? [] : [[field, result]];
  });
  return changes.length === 0 ? observed : { ...observed, ...Object.fromEntries(changes) };
}

function listLaidOver(observed: unknown, desired: readonly unknown[], field: string): unknown {
  if (!Array.isArray(observed)) return desired.length === 0 ? observed : desired;
  if (desired.every((item) => typeof item === "string")) return joined(observed, desired);
  if (desired.every((item) => keyOf(item) !== undefined)) return namedLaidOver(observed, desired, field);
  return covers(observed, desired) ? observed : desired;
}

function joined(observed: readonly unknown[], desired: readonly string[]): readonly unknown[] {
  const missing = desired.filter((item) => !observed.some((other) => isSame(other, item)));
  return missing.length === 0 ? observed : [...observed, ...missing];
}

function namedLaidOver(
  observed: readonly unknown[],
  desired: readonly unknown[],
  field: string,
): readonly unknown[] {
  const byName = new Map(desired.map((item) => [keyOf(item), item]));
  const kept = observed.map((item) => {
    const own = byName.get(keyOf(item));
    if (own === undefined) return item;
    if (!WHOLE_ITEMS.has(field)) return mergeDesired(item, own);
    return covers(item, own) ? item : own;
  });
  const known = new Set(observed.map(keyOf));
  const added = desired.filter((item) => !known.has(keyOf(item)));
  const isChanged = added.length > 0 || kept.some((item, index) => item !== observed[index]);
  return isChanged ? [...kept, ...added] : observed;
}

/** The key of a list item, ignoring case as Azure does. */
function keyOf(item: unknown): string | undefined {
  const key = isJsonObject(item) ? (item["name"] ?? item["service"]) : undefined;
  return typeof key === "string" ? key.toLowerCase() : undefined;
}

function isSame(observed: unknown, desired: unknown): boolean {
  if (typeof desired === "string" && typeof observed === "string" && desired.startsWith("/subscriptions/")) {
    return sameArmId(desired, observed);
  }
  return observed === desired;
}
