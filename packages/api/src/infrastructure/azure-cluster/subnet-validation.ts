import type { Frozen } from "../../kubernetes/meta.ts";
import { armIdProblem } from "../../values/arm-id.ts";
import { type FieldError, duplicate, forbidden, invalid, required } from "../../values/field-error.ts";
import { errorIf } from "../error-if.ts";
import { type Cidr, cidrContains, cidrProblem, parseCidr, parseIp } from "../../values/cidr.ts";
import { validateNetworkName, validateResourceGroup } from "../names.ts";
import type { NetworkSpec } from "./schema.ts";
import type { Subnet } from "./subnet.ts";

type SecurityRule = NonNullable<NonNullable<Subnet["securityGroup"]>["securityRules"]>[number];
type ServiceEndpoint = NonNullable<Subnet["serviceEndpoints"]>[number];
type PrivateEndpoint = NonNullable<Subnet["privateEndpoints"]>[number];

const SERVICE = /^Microsoft\.[A-Za-z][A-Za-z0-9]{0,83}$/;
const SERVICE_LOCATION = /^([a-z]{1,42}[0-9]{0,5}|\*)$/;

/** Says what is wrong with the virtual network. */
export function validateVnet(network: Frozen<NetworkSpec>, path: string): readonly FieldError[] {
  const { vnet } = network;
  if (!vnet) {
    return [];
  }
  const joined = new Set<string>();
  return [
    ...validateNetworkName(vnet.name, `${path}.name`),
    ...validateResourceGroup(vnet.resourceGroup, `${path}.resourceGroup`),
    ...validateCidrs(vnet.cidrBlocks, `${path}.cidrBlocks`),
    ...(vnet.peerings ?? []).flatMap(({ resourceGroup = "", remoteVnetName }, index) => {
      const other = `${resourceGroup}/${remoteVnetName}`;
      const repeated = joined.has(other);
      joined.add(other);
      return repeated ? [duplicate(`${path}.peerings[${index}]`, other)] : [];
    }),
  ];
}

/** Says what is wrong with the subnets, each and together. */
export function validateSubnets(
  network: Frozen<NetworkSpec>,
  path: string,
  withControlPlane: boolean,
): readonly FieldError[] {
  const subnets = network.subnets ?? [];
  const ranges = (network.vnet?.cidrBlocks ?? []).flatMap((block) => parseCidr(block) ?? []);
  const names = new Set<string>();
  return [
    ...subnets.flatMap((subnet, index) => {
      const at = `${path}[${index}]`;
      const repeated = names.has(subnet.name);
      names.add(subnet.name);
      return [
        ...errorIf(repeated, duplicate(`${at}.name`, subnet.name)),
        ...validateSubnet(subnet, at),
        ...validateInside(subnet.cidrBlocks ?? [], ranges, `${at}.cidrBlocks`),
      ];
    }),
    ...validateRoles(subnets, path, withControlPlane),
  ];
}

function validateRoles(
  subnets: readonly Frozen<Subnet>[],
  path: string,
  withControlPlane: boolean,
): readonly FieldError[] {
  const roles = new Set(subnets.map((subnet) => subnet.role));
  if (roles.has("cluster")) {
    return [];
  }
  const needed = withControlPlane ? (["control-plane", "node"] as const) : (["node"] as const);
  return needed
    .filter((role) => !roles.has(role))
    .map((role) => required(path, `a subnet with role ${role}, or one with role cluster`));
}

function validateSubnet(subnet: Frozen<Subnet>, at: string): readonly FieldError[] {
  const rules = subnet.securityGroup?.securityRules ?? [];
  return [
    ...validateNetworkName(subnet.name, `${at}.name`),
    ...validateCidrs(subnet.cidrBlocks, `${at}.cidrBlocks`),
    ...rules.flatMap((rule, index) => validateRule(rule, `${at}.securityGroup.securityRules[${index}]`)),
    ...(subnet.serviceEndpoints ?? []).flatMap((endpoint, index) =>
      validateServiceEndpoint(endpoint, `${at}.serviceEndpoints[${index}]`),
    ),
    ...(subnet.privateEndpoints ?? []).flatMap((endpoint, index) =>
      validatePrivateEndpoint(endpoint, subnet.cidrBlocks ?? [], `${at}.privateEndpoints[${index}]`),
    ),
  ];
}

function validateCidrs(blocks: readonly string[] | undefined, path: string): readonly FieldError[] {
  return (blocks ?? []).flatMap((block, index) => {
    const problem = cidrProblem(block);
    return problem === undefined ? [] : [invalid(`${path}[${index}]`, block, problem)];
  });
}

function validateInside(
  blocks: readonly string[],
  ranges: readonly Cidr[],
  path: string,
): readonly FieldError[] {
  return blocks.flatMap((block, index) => {
    const range = parseCidr(block);
    return !range || ranges.some((outer) => cidrContains(outer, range))
      ? []
      : [invalid(`${path}[${index}]`, block, "must lie in an address range of the virtual network")];
  });
}

function validateRule(rule: Frozen<SecurityRule>, at: string): readonly FieldError[] {
  const { priority = 0, source, sources } = rule;
  return [
    ...errorIf(
      priority < 100 || priority > 4096,
      invalid(`${at}.priority`, rule.priority, "must be between 100 and 4096"),
    ),
    ...errorIf(
      source !== undefined && sources !== undefined,
      forbidden(`${at}.sources`, "source is set as well; use one of them"),
    ),
  ];
}

function validateServiceEndpoint(endpoint: Frozen<ServiceEndpoint>, at: string): readonly FieldError[] {
  const { service, locations } = endpoint;
  return [
    ...errorIf(
      !SERVICE.test(service),
      invalid(`${at}.service`, service, "must be a service such as Microsoft.Storage"),
    ),
    ...errorIf(locations.length === 0, required(`${at}.locations`, "at least one region, or *")),
    ...locations.flatMap((location, index) => {
      if (!SERVICE_LOCATION.test(location)) {
        return [invalid(`${at}.locations[${index}]`, location, "must be a region such as westus2, or *")];
      }
      const repeated = locations.indexOf(location) < index;
      return repeated ? [duplicate(`${at}.locations[${index}]`, location)] : [];
    }),
  ];
}

function validatePrivateEndpoint(
  endpoint: Frozen<PrivateEndpoint>,
  blocks: readonly string[],
  at: string,
): readonly FieldError[] {
  const connections = endpoint.privateLinkServiceConnections ?? [];
  return [
    ...validateNetworkName(endpoint.name, `${at}.name`),
    ...errorIf(
      connections.length === 0,
      required(`${at}.privateLinkServiceConnections`, "at least one service to connect to"),
    ),
    ...connections.flatMap(({ name, privateLinkServiceID: id = "" }, index) => {
      const place = `${at}.privateLinkServiceConnections[${index}]`;
      const problem = armIdProblem(id.startsWith("/") ? id : `/${id}`);
      return [
        ...errorIf(
          problem !== undefined,
          invalid(`${place}.privateLinkServiceID`, id, `must be an ARM id: ${problem}`),
        ),
        ...(name ? validateNetworkName(name, `${place}.name`) : []),
      ];
    }),
    ...(endpoint.privateIPAddresses ?? []).flatMap((address, index) =>
      validateAddress(address, blocks, `${at}.privateIPAddresses[${index}]`),
    ),
  ];
}

/** Says why an address cannot be used in a subnet. */
export function validateAddress(
  address: string,
  blocks: readonly string[],
  path: string,
): readonly FieldError[] {
  const ip = parseIp(address);
  if (!ip) {
    return [invalid(path, address, "must be an IPv4 or IPv6 address")];
  }
  const inside = blocks.some((block) => {
    const range = parseCidr(block);
    return range !== undefined && cidrContains(range, ip);
  });
  return inside ? [] : [invalid(path, address, `must lie in the subnet, ${blocks.join(", ")}`)];
}
