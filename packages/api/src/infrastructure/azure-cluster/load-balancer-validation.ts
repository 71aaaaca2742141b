import type { Frozen } from "../../kubernetes/meta.ts";
import { type FieldError, forbidden, invalid, notSupported, required } from "../../values/field-error.ts";
import { errorIf } from "../error-if.ts";
import { type ImmutableField, validateImmutable } from "../immutable.ts";
import { validateNetworkName } from "../names.ts";
import type { LoadBalancer } from "./load-balancer.ts";
import type { NetworkSpec } from "./schema.ts";
import { validateAddress } from "./subnet-validation.ts";

type Balancer = Frozen<LoadBalancer>;
type Network = Frozen<NetworkSpec>;

const MOST_OUTBOUND_ADDRESSES = 16;

/** Says what is wrong with the load balancers. */
export function validateLoadBalancers(
  network: Network,
  old: Network | undefined,
  withControlPlane: boolean,
): readonly FieldError[] {
  const path = "spec.networkSpec";
  return [
    ...(withControlPlane
      ? [
          ...validateApiServerLB(network, old?.apiServerLB, `${path}.apiServerLB`),
          ...validateControlPlaneOutbound(network, `${path}.controlPlaneOutboundLB`),
        ]
      : []),
    ...validateNodeOutbound(network, old?.nodeOutboundLB, `${path}.nodeOutboundLB`),
  ];
}

function validateApiServerLB(
  network: Network,
  old: Balancer | undefined,
  path: string,
): readonly FieldError[] {
  const balancer = network.apiServerLB;
  if (!balancer) {
    return [];
  }
  const { type = "Public", sku = "Standard", name } = balancer;
  const supported = type === "Public" || type === "Internal";
  return [
    ...errorIf(sku !== "Standard", notSupported(`${path}.sku`, sku, ["Standard"])),
    ...errorIf(!supported, notSupported(`${path}.type`, type, ["Public", "Internal"])),
    ...(name === undefined ? [] : validateNetworkName(name, `${path}.name`)),
    ...validateIdleTimeout(balancer, path),
    ...(type === "Internal" ? validateInternal(network, balancer, path) : []),
    ...(type === "Public" ? validatePublic(balancer, path) : []),
    ...validateImmutable(balancer, old, immutableFields(path)),
  ];
}

function validatePublic(balancer: Balancer, path: string): readonly FieldError[] {
  const { frontendIPs = [], frontendIPsCount = 1 } = balancer;
  const publicIPs = frontendIPs.filter((frontend) => frontend.publicIP);
  return [
    ...errorIf(
      !(publicIPs.length === 1 && frontendIPsCount === 1),
      invalid(`${path}.frontendIPs`, frontendIPs, "must have exactly one public address"),
    ),
    ...frontendIPs.flatMap((frontend, index) =>
      frontend.privateIP
        ? [
            forbidden(
              `${path}.frontendIPs[${index}].privateIP`,
              "a Public load balancer has no private address",
            ),
          ]
        : [],
    ),
  ];
}

function validateInternal(network: Network, balancer: Balancer, path: string): readonly FieldError[] {
  const { frontendIPs = [] } = balancer;
  const addresses = frontendIPs.filter((frontend) => frontend.privateIP);
  const subnet = network.subnets?.find(({ role }) => role === "control-plane" || role === "cluster");
  return [
    ...errorIf(
      addresses.length !== 1,
      invalid(`${path}.frontendIPs`, frontendIPs, "must have exactly one private address"),
    ),
    ...frontendIPs.flatMap((frontend, index) => {
      const at = `${path}.frontendIPs[${index}]`;
      return [
        ...errorIf(
          frontend.publicIP,
          forbidden(`${at}.publicIP`, "an Internal load balancer has no public address"),
        ),
        ...(frontend.privateIP
          ? validateAddress(frontend.privateIP, subnet?.cidrBlocks ?? [], `${at}.privateIP`)
          : []),
      ];
    }),
  ];
}

function validateControlPlaneOutbound(network: Network, path: string): readonly FieldError[] {
  const { controlPlaneOutboundLB: balancer, apiServerLB } = network;
  if (!balancer) {
    return [];
  }
  if (apiServerLB?.type !== "Internal") {
    return [forbidden(path, "only a cluster whose apiServerLB is Internal has one")];
  }
  return [...validateIdleTimeout(balancer, path), ...validateOutboundCount(balancer, path)];
}

function validateNodeOutbound(
  network: Network,
  old: Balancer | undefined,
  path: string,
): readonly FieldError[] {
  const { nodeOutboundLB: balancer, apiServerLB } = network;
  if (!balancer) {
    return needsNodeOutbound(network) && apiServerLB?.type === "Public"
      ? [required(path, "nodes with IPv6 addresses in a public cluster need one to reach the Internet")]
      : [];
  }
  // The number of addresses may change, and with it the addresses.
  const sameCount = old?.frontendIPsCount === balancer.frontendIPsCount;
  const frontends: ImmutableField<Balancer> = {
    path: `${path}.frontendIPs`,
    read: (lb) => lb.frontendIPs,
    instead: "change frontendIPsCount to have more or fewer addresses",
  };
  return [
    ...validateIdleTimeout(balancer, path),
    ...validateOutboundCount(balancer, path),
    ...validateImmutable(balancer, old, [...immutableFields(path), ...(sameCount ? [frontends] : [])]),
  ];
}

function needsNodeOutbound(network: Network): boolean {
  return (network.subnets ?? []).some(
    ({ role, cidrBlocks = [] }) =>
      (role === "node" || role === "cluster") && cidrBlocks.some((block) => block.includes(":")),
  );
}

function validateIdleTimeout(balancer: Balancer, path: string): readonly FieldError[] {
  const { idleTimeoutInMinutes: minutes } = balancer;
  return minutes !== undefined && (minutes < 4 || minutes > 30)
    ? [invalid(`${path}.idleTimeoutInMinutes`, minutes, "must be between 4 and 30")]
    : [];
}

function validateOutboundCount(balancer: Balancer, path: string): readonly FieldError[] {
  const { frontendIPsCount: count } = balancer;
  return count !== undefined && (count < 0 || count > MOST_OUTBOUND_ADDRESSES)
    ? [invalid(`${path}.frontendIPsCount`, count, `must be between 0 and ${MOST_OUTBOUND_ADDRESSES}`)]
    : [];
}

function immutableFields(path: string): readonly ImmutableField<Balancer>[] {
  const instead = "Azure cannot change it on a load balancer in use; create a new cluster";
  const field = (name: string, read: (balancer: Balancer) => unknown): ImmutableField<Balancer> => ({
    path: `${path}.${name}`,
    read,
    instead,
    maySetLater: true,
  });
  return [
    field("name", (balancer) => balancer.name),
    field("sku", (balancer) => balancer.sku),
    field("type", (balancer) => balancer.type),
    field("idleTimeoutInMinutes", (balancer) => balancer.idleTimeoutInMinutes),
    field("availabilityZones", (balancer) => balancer.availabilityZones?.toSorted()),
    field(
      "frontendIPs[].privateIP",
      (balancer) => balancer.frontendIPs?.find((ip) => ip.privateIP)?.privateIP,
    ),
  ];
}
