import type { Frozen } from "../../kubernetes/meta.ts";
import {
  type FieldError,
  errorIf,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../values/field-error.ts";
import { type ImmutableField, immutableFieldErrors } from "../immutable.ts";
import { networkNameErrors } from "../names.ts";
import type { LoadBalancer } from "./load-balancer.ts";
import type { NetworkSpec } from "./schema.ts";
import { addressErrors } from "./subnet-rules.ts";

type Balancer = Frozen<LoadBalancer>;
type Network = Frozen<NetworkSpec>;

const MOST_OUTBOUND_ADDRESSES = 16;

/** Validates the load balancers. */
export function loadBalancerErrors(
  network: Network,
  old: Network | undefined,
  withControlPlane: boolean,
): readonly FieldError[] {
  const path = "spec.networkSpec";
  return [
    ...(withControlPlane
      ? [
          ...apiServerLBErrors(`${path}.apiServerLB`, network, old?.apiServerLB),
          ...controlPlaneOutboundErrors(`${path}.controlPlaneOutboundLB`, network),
        ]
      : []),
    ...nodeOutboundErrors(`${path}.nodeOutboundLB`, network, old?.nodeOutboundLB),
  ];
}

function apiServerLBErrors(path: string, network: Network, old: Balancer | undefined): readonly FieldError[] {
  const balancer = network.apiServerLB;
  if (!balancer) {
    return [];
  }
  const { type = "Public", sku = "Standard", name } = balancer;
  const supported = type === "Public" || type === "Internal";
  return [
    ...errorIf(sku !== "Standard", notSupported(`${path}.sku`, sku, ["Standard"])),
    ...errorIf(!supported, notSupported(`${path}.type`, type, ["Public", "Internal"])),
    ...(name === undefined ? [] : networkNameErrors(`${path}.name`, name)),
    ...idleTimeoutErrors(path, balancer),
    ...(type === "Internal" ? internalErrors(path, network, balancer) : []),
    ...(type === "Public" ? publicErrors(path, balancer) : []),
    ...immutableFieldErrors(balancer, old, immutableFields(path)),
  ];
}

function publicErrors(path: string, balancer: Balancer): readonly FieldError[] {
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

function internalErrors(path: string, network: Network, balancer: Balancer): readonly FieldError[] {
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
          ? addressErrors(`${at}.privateIP`, frontend.privateIP, subnet?.cidrBlocks ?? [])
          : []),
      ];
    }),
  ];
}

function controlPlaneOutboundErrors(path: string, network: Network): readonly FieldError[] {
  const { controlPlaneOutboundLB: balancer, apiServerLB } = network;
  if (!balancer) {
    return [];
  }
  if (apiServerLB?.type !== "Internal") {
    return [forbidden(path, "only a cluster whose apiServerLB is Internal has one")];
  }
  return [...idleTimeoutErrors(path, balancer), ...outboundCountErrors(path, balancer)];
}

function nodeOutboundErrors(
  path: string,
  network: Network,
  old: Balancer | undefined,
): readonly FieldError[] {
  const { nodeOutboundLB: balancer, apiServerLB } = network;
  if (!balancer) {
    return needsNodeOutbound(network) && apiServerLB?.type === "Public"
      ? [required(path, "nodes with IPv6 addresses in a public cluster need one to reach the Internet")]
      : [];
  }
  // The number of addresses may change, and the addresses with it.
  const sameCount = old?.frontendIPsCount === balancer.frontendIPsCount;
  const frontends: ImmutableField<Balancer> = {
    path: `${path}.frontendIPs`,
    read: (lb) => lb.frontendIPs,
    instead: "change frontendIPsCount to have more or fewer addresses",
  };
  return [
    ...idleTimeoutErrors(path, balancer),
    ...outboundCountErrors(path, balancer),
    ...immutableFieldErrors(balancer, old, [...immutableFields(path), ...(sameCount ? [frontends] : [])]),
  ];
}

function needsNodeOutbound(network: Network): boolean {
  return (network.subnets ?? []).some(
    ({ role, cidrBlocks = [] }) =>
      (role === "node" || role === "cluster") && cidrBlocks.some((block) => block.includes(":")),
  );
}

function idleTimeoutErrors(path: string, balancer: Balancer): readonly FieldError[] {
  const { idleTimeoutInMinutes: minutes } = balancer;
  return minutes !== undefined && (minutes < 4 || minutes > 30)
    ? [invalid(`${path}.idleTimeoutInMinutes`, minutes, "must be between 4 and 30")]
    : [];
}

function outboundCountErrors(path: string, balancer: Balancer): readonly FieldError[] {
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
