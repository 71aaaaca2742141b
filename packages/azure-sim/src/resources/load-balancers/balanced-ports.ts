import { keyOf } from "../../arm/target.ts";
import type { AzureState } from "../../core/azure-state.ts";
import { objectsAt, textAt, valueAt } from "../../json.ts";
import { interfaceIdsOf } from "../virtual-machines/desired.ts";

/** The frontend ports whose load balancers send requests to a virtual machine outside scale sets, by its ARM id. */
export function balancedPorts(world: AzureState, machineId: string): readonly number[] {
  const body = world.resources.get(machineId)?.body;
  if (!body) return [];
  return interfaceIdsOf(body)
    .flatMap((nic) => objectsAt(world.resources.get(nic)?.body, "properties", "ipConfigurations"))
    .flatMap((one) => objectsAt(one, "properties", "loadBalancerBackendAddressPools"))
    .flatMap((pool) => portsOfPool(world, textAt(pool, "id") ?? ""));
}

function portsOfPool(world: AzureState, poolId: string): readonly number[] {
  const balancerId = poolId.replace(/\/backendAddressPools\/[^/]*$/i, "");
  return objectsAt(world.resources.get(balancerId)?.body, "properties", "loadBalancingRules")
    .filter((rule) => keyOf(textAt(rule, "properties", "backendAddressPool", "id") ?? "") === keyOf(poolId))
    .map((rule) => Number(valueAt(rule, "properties", "frontendPort")));
}
