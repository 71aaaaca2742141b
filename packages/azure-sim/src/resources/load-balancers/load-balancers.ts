import { ArmError } from "../../arm/errors.ts";
import type { AzureState } from "../../core/azure-state.ts";
import { type JsonObject, objectsAt, textAt } from "../../json.ts";
import { networkChildType } from "../network/child-type.ts";
import type { NetworkNoun } from "../network/network-noun.ts";
import { networkType } from "../network/network-type.ts";
import { propertiesOf } from "../network/network-write.ts";
import type { ResourceType } from "../resource-type.ts";

const CHILDREN = [
  "frontendIPConfigurations",
  "backendAddressPools",
  "loadBalancingRules",
  "probes",
  "inboundNatRules",
  "outboundRules",
  "inboundNatPools",
];

const noun: NetworkNoun = {
  type: "loadBalancers",
  children: CHILDREN,
  complete: ({ body }) => {
    const properties: Record<string, unknown> = { ...propertiesOf(body) };
    for (const field of CHILDREN) properties[field] = objectsAt(body, "properties", field);
    const uses = objectsAt(body, "properties", "frontendIPConfigurations").flatMap(usedByFrontend);
    return { properties, uses };
  },
  inUse: (world, resource) =>
    objectsAt(resource.body, "properties", "backendAddressPools")
      .map((pool) => poolInUse(world, `${resource.id}/backendAddressPools/${textAt(pool, "name")}`))
      .find((problem) => problem !== undefined),
  childInUse: poolInUse,
};

function usedByFrontend(frontend: JsonObject): string[] {
  return ["publicIPAddress", "subnet"]
    .map((field) => textAt(frontend, "properties", field, "id"))
    .filter((id) => id !== undefined);
}

function poolInUse(world: AzureState, poolId: string): ArmError | undefined {
  const [user] = world.resources.usersOf(poolId);
  if (user === undefined) return undefined;
  const isSet = user.includes("/virtualmachinescalesets/");
  return new ArmError(400, {
    code: isSet ? "LoadBalancerInUseByVirtualMachineScaleSet" : "BackendAddressPoolInUse",
    message: `Cannot delete ${poolId} since it is in use by ${world.resources.get(user)?.id ?? user}.`,
    details: [],
  });
}

/** Load balancers with their pools and rules. */
export const loadBalancerTypes: readonly ResourceType[] = [
  networkType(noun),
  ...CHILDREN.map((field) => networkChildType(noun, field)),
];
