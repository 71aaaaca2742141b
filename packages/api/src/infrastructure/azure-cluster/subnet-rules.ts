import type { Frozen } from "../../kubernetes/meta.ts";
import { armIdProblem } from "../../values/arm-id.ts";
import {
  type FieldError,
  duplicate,
  errorIf,
  forbidden,
  invalid,
  required,
} from "../../values/field-error.ts";
import { type Cidr, cidrContains, parseCidr, parseIp } from "../../values/cidr.ts";
import { cidrErrors } from "../../values/value-errors.ts";
import { networkNameErrors, resourceGroupErrors } from "../names.ts";
import type { NetworkSpec } from "./schema.ts";
import type { Subnet } from "./subnet.ts";

type SecurityRule = NonNullable<NonNullable<Subnet["securityGroup"]>["securityRules"]>[number];
type ServiceEndpoint = NonNullable<Subnet["serviceEndpoints"]>[number];
type PrivateEndpoint = NonNullable<Subnet["privateEndpoints"]>[number];

const SERVICE = /^Microsoft\.[A-Za-z][A-Za-z0-9]{0,83}$/;
const SERVICE_LOCATION = /^([a-z]{1,42}[0-9]{0,5}|\*)$/;

/** Validates the virtual network. */
export function vnetErrors(path: string, network: Frozen<NetworkSpec>): readonly FieldError[] {
  const { vnet } = network;
  if (!vnet) {
    return [];
  }
  const joined = new Set<string>();
  return [
    ...networkNameErrors(`${path}.name`, vnet.name),
    ...resourceGroupErrors(`${path}.resourceGroup`, vnet.resourceGroup),
    ...cidrErrors(`${path}.cidrBlocks`, vnet.cidrBlocks),
    ...(vnet.peerings ?? []).flatMap(({ resourceGroup = "", remoteVnetName }, index) => {
      const other = `${resourceGroup}/${remoteVnetName}`;
      const repeated = joined.has(other);
      joined.add(other);
      return repeated ? [duplicate(`${path}.peerings[${index}]`, other)] : [];
    }),
  ];
}

/** Validates the subnets, each and together. */
export function subnetsErrors(
  path: string,
  network: Frozen<NetworkSpec>,
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
        ...subnetErrors(at, subnet),
        ...outsideErrors(`${at}.cidrBlocks`, subnet.cidrBlocks ?? [], ranges),
      ];
    }),
    ...overlapErrors(path, subnets),
    ...roleErrors(path, subnets, withControlPlane),
  ];
}

/** Subnets of one network must not overlap. */
function overlapErrors(path: string, subnets: readonly Frozen<Subnet>[]): readonly FieldError[] {
  const seen: { readonly name: string; readonly range: Cidr }[] = [];
  return subnets.flatMap(({ name, cidrBlocks = [] }, index) =>
    cidrBlocks.flatMap((block, position) => {
      const range = parseCidr(block);
      const other = range && seen.find((one) => one.name !== name && overlap(one.range, range));
      if (range) seen.push({ name, range });
      const at = `${path}[${index}].cidrBlocks[${position}]`;
      return other ? [invalid(at, block, `must not overlap with subnet ${JSON.stringify(other.name)}`)] : [];
    }),
  );
}

function overlap(one: Cidr, other: Cidr): boolean {
  return cidrContains(one, other) || cidrContains(other, one);
}

function roleErrors(
  path: string,
  subnets: readonly Frozen<Subnet>[],
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

function subnetErrors(at: string, subnet: Frozen<Subnet>): readonly FieldError[] {
  const rules = subnet.securityGroup?.securityRules ?? [];
  return [
    ...networkNameErrors(`${at}.name`, subnet.name),
    ...cidrErrors(`${at}.cidrBlocks`, subnet.cidrBlocks),
    ...(["securityGroup", "routeTable", "natGateway"] as const).flatMap((part) => {
      const name = subnet[part]?.name;
      return name ? networkNameErrors(`${at}.${part}.name`, name) : [];
    }),
    ...rules.flatMap((rule, index) => ruleErrors(`${at}.securityGroup.securityRules[${index}]`, rule)),
    ...priorityErrors(`${at}.securityGroup.securityRules`, rules),
    ...(subnet.serviceEndpoints ?? []).flatMap((endpoint, index) =>
      serviceEndpointErrors(`${at}.serviceEndpoints[${index}]`, endpoint),
    ),
    ...(subnet.privateEndpoints ?? []).flatMap((endpoint, index) =>
      privateEndpointErrors(`${at}.privateEndpoints[${index}]`, endpoint, subnet.cidrBlocks ?? []),
    ),
  ];
}

function outsideErrors(
  path: string,
  blocks: readonly string[],
  ranges: readonly Cidr[],
): readonly FieldError[] {
  return blocks.flatMap((block, index) => {
    const range = parseCidr(block);
    return !range || ranges.some((outer) => cidrContains(outer, range))
      ? []
      : [invalid(`${path}[${index}]`, block, "must lie in an address range of the virtual network")];
  });
}

function ruleErrors(at: string, rule: Frozen<SecurityRule>): readonly FieldError[] {
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

/** Azure evaluates the rules of a direction in the order of their priorities, so these must be unique. */
function priorityErrors(path: string, rules: readonly Frozen<SecurityRule>[]): readonly FieldError[] {
  const taken = new Set<string>();
  return rules.flatMap(({ direction, priority }, index) => {
    const place = `${direction} ${priority}`;
    const isTaken = taken.has(place);
    taken.add(place);
    return isTaken ? [duplicate(`${path}[${index}].priority`, priority)] : [];
  });
}

function serviceEndpointErrors(at: string, endpoint: Frozen<ServiceEndpoint>): readonly FieldError[] {
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

function privateEndpointErrors(
  at: string,
  endpoint: Frozen<PrivateEndpoint>,
  blocks: readonly string[],
): readonly FieldError[] {
  const connections = endpoint.privateLinkServiceConnections ?? [];
  return [
    ...networkNameErrors(`${at}.name`, endpoint.name),
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
        ...(name ? networkNameErrors(`${place}.name`, name) : []),
      ];
    }),
    ...(endpoint.privateIPAddresses ?? []).flatMap((address, index) =>
      addressErrors(`${at}.privateIPAddresses[${index}]`, address, blocks),
    ),
  ];
}

/** Validates an address of a subnet. */
export function addressErrors(
  path: string,
  address: string,
  blocks: readonly string[],
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
