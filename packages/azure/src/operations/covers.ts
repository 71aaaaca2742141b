import { isJsonObject, sameArmId } from "@capstan/api";

/** Whether a resource has all desired fields; Azure adds fields of its own and changes the case of ids. */
export function covers(observed: unknown, wanted: unknown): boolean {
  if (wanted === undefined) return true;
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(observed) &&
      observed.length === wanted.length &&
      wanted.every((item, index) => covers(observed[index], item))
    );
  }
  if (isJsonObject(wanted)) {
    return (
      isJsonObject(observed) && Object.entries(wanted).every(([name, field]) => covers(observed[name], field))
    );
  }
  if (typeof wanted === "string" && typeof observed === "string") {
    return wanted.startsWith("/subscriptions/") ? sameArmId(wanted, observed) : wanted === observed;
  }
  return wanted === observed;
}
