import { ArmError } from "../../arm/errors.ts";
import type { Resource } from "../../core/resources.ts";
import type { AzureState } from "../../core/azure-state.ts";
import { type JsonObject, objectsAt, textAt, valueAt } from "../../json.ts";
import { contains, overlaps, parseRange, type Range } from "../network/addresses.ts";
import { networkChildType } from "../network/child-type.ts";
import type { NetworkNoun } from "../network/network-noun.ts";
import { networkType } from "../network/network-type.ts";
import { propertiesOf } from "../network/network-write.ts";
import type { ResourceType } from "../resource-type.ts";
import { prefixOf } from "./subnet-lookup.ts";

const noun: NetworkNoun = {
  type: "virtualNetworks",
  children: ["subnets"],
  complete: ({ id, body }) => {
    const prefixes = valueAt(body, "properties", "addressSpace", "addressPrefixes");
    const spaces = (Array.isArray(prefixes) ? prefixes : []).map((prefix) => range(String(prefix), id));
    if (spaces.length === 0) {
      throw new ArmError(400, {
        code: "InvalidRequestFormat",
        message: `Cannot parse the request: the virtual network ${id} has no properties.addressSpace.addressPrefixes.`,
        details: [],
      });
    }
    const subnets = objectsAt(body, "properties", "subnets");
    checkSubnets(id, spaces, subnets);
    return { properties: { ...propertiesOf(body), subnets }, uses: subnets.flatMap(usedBySubnet) };
  },
  inUse: (world, resource) =>
    objectsAt(resource.body, "properties", "subnets")
      .map((subnet) => subnetInUse(world, `${resource.id}/subnets/${textAt(subnet, "name")}`, resource))
      .find((problem) => problem !== undefined),
  childInUse: (world, childId) => subnetInUse(world, childId),
};

function range(prefix: string, id: string): Range {
  const parsed = parseRange(prefix);
  if (parsed) return parsed;
  throw new ArmError(400, {
    code: "InvalidAddressPrefixFormat",
    message: `Address prefix ${prefix} of resource ${id} is not formatted correctly. It should follow CIDR notation, for example 10.0.0.0/24.`,
    details: [],
  });
}

function checkSubnets(id: string, spaces: readonly Range[], subnets: readonly JsonObject[]): void {
  const seen: { name: string; range: Range }[] = [];
  for (const subnet of subnets) {
    const name = textAt(subnet, "name") ?? "";
    const own = range(prefixOf(subnet) ?? "", `${id}/subnets/${name}`);
    if (!spaces.some((space) => contains(space, own))) {
      throw new ArmError(400, {
        code: "NetcfgInvalidSubnet",
        message: `Subnet '${name}' is not valid because its IP address range is outside the IP address range of virtual network '${id.split("/").at(-1)}'.`,
        details: [],
      });
    }
    const other = seen.find((one) => overlaps(one.range, own));
    if (other) {
      throw new ArmError(400, {
        code: "NetcfgSubnetRangesOverlap",
        message: `Subnet '${name}' is not valid because its IP address range overlaps with that of an existing subnet '${other.name}' in virtual network '${id.split("/").at(-1)}'.`,
        details: [],
      });
    }
    seen.push({ name, range: own });
  }
}

function usedBySubnet(subnet: JsonObject): string[] {
  return ["networkSecurityGroup", "routeTable", "natGateway"]
    .map((field) => textAt(subnet, "properties", field, "id"))
    .filter((id) => id !== undefined);
}

function subnetInUse(world: AzureState, subnetId: string, network?: Resource): ArmError | undefined {
  const [user] = world.resources.usersOf(subnetId);
  if (user === undefined) return undefined;
  const name = subnetId.split("/").at(-1);
  const where = network ? ` of virtual network ${network.name}` : "";
  return new ArmError(400, {
    code: "InUseSubnetCannotBeDeleted",
    message: `Subnet ${name}${where} is in use by ${world.resources.get(user)?.id ?? user} and cannot be deleted. In order to delete the subnet, delete all the resources within the subnet. See aka.ms/deletesubnet.`,
    details: [],
  });
}

/** Virtual networks and their subnets. */
export const virtualNetworkTypes: readonly ResourceType[] = [
  networkType(noun),
  networkChildType(noun, "subnets", "virtualNetworks/subnets"),
];
