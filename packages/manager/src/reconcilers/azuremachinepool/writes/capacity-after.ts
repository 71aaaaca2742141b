import { isJsonObject, type JsonObject } from "@capstan/api";
import type { DesiredOperation } from "@capstan/azure";

/** The capacity of the scale set after our write, if that is known. */
export function capacityAfter(desired: DesiredOperation, before: number | undefined): number | undefined {
  if (desired.verb === "DELETE") return before;
  if (desired.verb !== "POST") return capacityIn(desired.body);
  // Azure lowers the capacity when it accepts the deletion of instances.
  const { action, instanceIDs = [] } = desired;
  return action === "delete" && before !== undefined ? before - instanceIDs.length : before;
}

function capacityIn({ sku }: JsonObject): number | undefined {
  const capacity = isJsonObject(sku) ? sku["capacity"] : undefined;
  return typeof capacity === "number" ? capacity : undefined;
}
