import { type JsonObject, objectsAt, textAt, valueAt } from "../../json.ts";
import type { AzureState } from "../../core/azure-state.ts";
import { parseRange, type Range } from "../network/addresses.ts";

/** An existing subnet: its body and its address range. */
export interface Subnet {
  readonly body: JsonObject;
  readonly range: Range;
}

/** Finds a subnet by its id. */
export function subnetOf(world: AzureState, id: string): Subnet | undefined {
  const [networkId = "", name] = id.split(/\/subnets\//i);
  const network = world.resources.get(networkId);
  const body = objectsAt(network?.body, "properties", "subnets").find(
    (one) => textAt(one, "name")?.toLowerCase() === name?.toLowerCase(),
  );
  const range = parseRange(prefixOf(body) ?? "");
  return body && range ? { body, range } : undefined;
}

/** The address range of a subnet, from either of its two fields. */
export function prefixOf(subnet: JsonObject | undefined): string | undefined {
  const prefixes = valueAt(subnet, "properties", "addressPrefixes");
  return (
    textAt(subnet, "properties", "addressPrefix") ??
    (Array.isArray(prefixes) ? String(prefixes[0]) : undefined)
  );
}
