import type { ObjectOf } from "../kind.ts";
import { defineAsoKind } from "./aso-resource.ts";

const NETWORK = { service: "network", version: "v1api20201101", alsoServed: ["v1api20240301"] } as const;

/** An Azure virtual network. */
export const VirtualNetwork = defineAsoKind({
  ...NETWORK,
  kind: "VirtualNetwork",
  plural: "virtualnetworks",
  description: "An Azure virtual network.",
});

/** An Azure virtual network. */
export type VirtualNetwork = ObjectOf<typeof VirtualNetwork>;

/** A subnet of an Azure virtual network. */
export const VirtualNetworksSubnet = defineAsoKind({
  ...NETWORK,
  kind: "VirtualNetworksSubnet",
  plural: "virtualnetworkssubnets",
  description: "A subnet of an Azure virtual network.",
});

/** A subnet of an Azure virtual network. */
export type VirtualNetworksSubnet = ObjectOf<typeof VirtualNetworksSubnet>;
