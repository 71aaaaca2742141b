import { isJsonObject, sameArmId } from "@capstan/api";

/** Whether a resource has all desired fields; Azure adds fields of its own and changes the case of ids. */
export function covers(observed: unknown, desired: unknown): boolean {
  if (desired === undefined) return true;
  if (Array.isArray(desired)) {
    return (
      Array.isArray(observed) &&
      observed.length === desired.length &&
      desired.every((item, index) => covers(observed[index], item))
    );
  }
  if (isJsonObject(desired)) {
    return (
      isJsonObject(observed) &&
      Object.entries(desired).every(([name, field]) => covers(observed[name], field))
    );
  }
  if (typeof desired === "string" && typeof observed === "string") {
    return desired.startsWith("/subscriptions/") ? sameArmId(desired, observed) : desired === observed;
  }
  return desired === observed;
}
