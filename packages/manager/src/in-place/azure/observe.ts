/** What the updater reads from Azure. */
import { isJsonObject } from "@capstan/api";
import { type Arm, isGone, parseVirtualMachine, type VirtualMachine } from "@capstan/azure";
import type { QuotaUse } from "./decide-size.ts";

/** A virtual machine with its power state; undefined if it does not exist. */
export async function readMachine(arm: Arm, id: string): Promise<VirtualMachine | undefined> {
  try {
    const { body, etag } = await arm.get(id, { query: { $expand: "instanceView" } });
    return parseVirtualMachine(body, etag);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** The sizes that a machine can take where it is: all of the region once it is deallocated. */
export async function readSizesHere(
  arm: Arm,
  { id, location }: VirtualMachine,
): Promise<ReadonlySet<string>> {
  const { items } = await arm.list(`${id}/vmSizes`, { location });
  return new Set(items.flatMap(({ name }) => (typeof name === "string" ? [name.toLowerCase()] : [])));
}

/** How much of each quota of a region is in use. */
export async function readQuotas(
  arm: Arm,
  subscriptionID: string,
  location: string,
): Promise<readonly QuotaUse[]> {
  const path = `/subscriptions/${subscriptionID}/providers/Microsoft.Compute/locations/${location}/usages`;
  const { items } = await arm.list(path, { location });
  return items.flatMap(({ name, currentValue, limit }) => {
    const known = isJsonObject(name) ? name["value"] : undefined;
    return typeof known === "string"
      ? [{ name: known, used: Number(currentValue), limit: Number(limit) }]
      : [];
  });
}
