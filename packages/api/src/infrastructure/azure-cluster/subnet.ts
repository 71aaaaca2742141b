import {
  type Static,
  boolean,
  integer,
  listMap,
  listOf,
  mapOf,
  object,
  oneOf,
  optional,
  string,
} from "../../schema/schema.ts";
import { PublicIP } from "./load-balancer.ts";

const SecurityRule = object("A rule for traffic.", {
  name: string("Its name."),
  description: string("What it is for."),
  protocol: oneOf("The protocol.", ["Tcp", "Udp", "Icmp", "*"]),
  direction: oneOf("The direction.", ["Inbound", "Outbound"]),
  priority: optional(integer("Its priority, 100 to 4096; the lowest decides.")),
  sourcePorts: optional(string("Ports it comes from.")),
  destinationPorts: optional(string("Ports it goes to.")),
  source: optional(string("The source.")),
  sources: optional(listOf("Several sources.", string("A source."))),
  destination: optional(string("The destination.")),
  action: optional(oneOf("Whether the traffic is allowed.", ["Allow", "Deny"], { default: "Allow" })),
});

const securityGroupClassFields = {
  securityRules: optional(listMap("The rules.", SecurityRule, { keys: ["name"] })),
  tags: optional(mapOf("Its Azure tags.", string("A value."))),
};

const SecurityGroup = object("The rules for traffic of the subnet.", {
  id: optional(string("Its ARM id. Set by the controller.")),
  name: string("Its name."),
  ...securityGroupClassFields,
});

const ServiceEndpoints = listMap(
  "Azure services that are reached directly.",
  object("A service.", {
    service: string("The service, such as Microsoft.Storage."),
    locations: listOf("The regions in which it is reached.", string("A region or *.")),
  }),
  { keys: ["service"] },
);

const PrivateEndpoints = listMap(
  "Services that get an address in the subnet.",
  object("A service with an address in the subnet.", {
    name: string("Its name."),
    location: optional(string("Its region.")),
    customNetworkInterfaceName: optional(string("The name of its network interface.")),
    privateIPAddresses: optional(listOf("Its addresses.", string("An address."))),
    applicationSecurityGroups: optional(listOf("Its application security groups.", string("An ARM id."))),
    manualApproval: optional(boolean("Whether the owner of the service must approve.")),
    privateLinkServiceConnections: optional(
      listOf(
        "What it connects to.",
        object("A connection.", {
          name: optional(string("Its name.")),
          privateLinkServiceID: optional(string("The ARM id of the service.")),
          groupIDs: optional(listOf("The parts of the service.", string("A part."))),
          requestMessage: optional(string("A message to the owner of the service.", { maxLength: 140 })),
        }),
      ),
    ),
  }),
  { keys: ["name"] },
);

const SUBNET_ROLES = ["node", "control-plane", "bastion", "cluster"] as const;

const commonSubnetFields = {
  name: string("Its name."),
  role: oneOf("Its role; cluster means nodes and control plane.", SUBNET_ROLES),
  cidrBlocks: optional(listOf("Its address ranges.", string("A range."))),
  serviceEndpoints: optional(ServiceEndpoints),
  privateEndpoints: optional(PrivateEndpoints),
};

/** The fields of a subnet that a template has: those that are the same in each cluster. */
export const subnetClassFields = {
  ...commonSubnetFields,
  securityGroup: optional(object("The rules for traffic of the subnet.", securityGroupClassFields)),
  natGateway: optional(object("How the subnet reaches the Internet.", { name: string("Its name.") })),
};

/** A subnet of the cluster's network. */
export const Subnet = object("A subnet.", {
  ...commonSubnetFields,
  id: optional(string("Its ARM id. Set by the controller.")),
  securityGroup: optional(SecurityGroup),
  routeTable: optional(
    object("The routes of the subnet.", {
      id: optional(string("Its ARM id. Set by the controller.")),
      name: string("Its name."),
    }),
  ),
  natGateway: optional(
    object("How the subnet reaches the Internet.", {
      id: optional(string("Its ARM id. Set by the controller.")),
      name: string("Its name."),
      ip: optional(PublicIP),
      zones: optional(listOf("Its zones.", string("A zone."))),
    }),
  ),
});

/** A subnet of the cluster's network. */
export type Subnet = Static<typeof Subnet>;

const PeeringProperties = object("What one side of a peering allows.", {
  allowForwardedTraffic: optional(boolean("Forwarded traffic.")),
  allowGatewayTransit: optional(boolean("Use of this side's gateway.")),
  allowVirtualNetworkAccess: optional(boolean("Traffic between the networks.")),
  useRemoteGateways: optional(boolean("Use of the other side's gateway.")),
});

/** The fields of a virtual network that a template has: those that are the same in each cluster. */
export const vnetClassFields = {
  cidrBlocks: optional(listOf("Its address ranges.", string("A range."))),
  peerings: optional(
    listOf(
      "Peered networks.",
      object("A peered network.", {
        remoteVnetName: string("The name of the other network."),
        resourceGroup: optional(string("The resource group of the other network.")),
        forwardPeeringProperties: optional(PeeringProperties),
        reversePeeringProperties: optional(PeeringProperties),
      }),
    ),
  ),
  tags: optional(mapOf("Its Azure tags. Set by the controller.", string("A value."))),
};

/** The virtual network of the cluster. */
export const Vnet = object("The virtual network.", {
  name: string("Its name."),
  id: optional(string("Its ARM id. Set by the controller.")),
  resourceGroup: optional(string("Its resource group; default: that of the cluster.")),
  ...vnetClassFields,
});
