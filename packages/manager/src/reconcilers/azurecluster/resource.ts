import type { AzureCluster, Frozen } from "@capstan/api";
import type { JsonObject } from "../../azure/port.ts";
import type { Tags } from "./tags.ts";

/** The wanted state of a cluster's infrastructure. */
export type ClusterSpec = Frozen<AzureCluster["spec"]>;

/** Everything that decides which resources a cluster has. */
export interface Plan {
  /** The name of the Cluster, by which its resources are known. */
  readonly clusterName: string;
  readonly subscriptionID: string;
  readonly spec: ClusterSpec;
  readonly apiServerPort: number;
  /** The zones of the region. */
  readonly zones: readonly string[];
}

/** The conditions by which users follow the parts of a cluster, named as Cluster API's Azure provider names them. */
export const CONDITIONS = [
  "ResourceGroupReady",
  "VNetReady",
  "VnetPeeringReady",
  "SecurityGroupsReady",
  "RouteTablesReady",
  "PublicIPsReady",
  "NATGatewaysReady",
  "SubnetsReady",
  "LoadBalancersReady",
] as const;

/** One of those conditions. */
export type ResourceCondition = (typeof CONDITIONS)[number];

/** A resource that a cluster is to have. */
export interface WantedResource {
  readonly id: string;
  /** The conditions that tell of it. */
  readonly conditions: readonly ResourceCondition[];
  /** Where the spec asks for it. */
  readonly field: string;
  /** Tags and properties: what is compared with what is there, and repaired. */
  readonly body: JsonObject;
  /** What is said once, at creation, because Azure cannot change it. */
  readonly atCreation: JsonObject;
  /** Ids of what must be ready before. */
  readonly dependsOn: readonly string[];
  /** What it means that it is there without our tag: it is used as it is, or it is in the way. */
  readonly ifForeign: "use" | "refuse";
  /** It is only made for a virtual network of ours: one that the user brings has its own. */
  readonly isPartOfNetwork?: boolean;
  /** Parts of other resources have no tags. */
  readonly hasNoTags?: boolean;
  /** Names of items that were ours once, by the list in `properties` that they are in. */
  readonly retired?: Readonly<Record<string, readonly string[]>>;
}

/** The id of the resource group of that name. */
export function groupID({ subscriptionID }: Pick<Plan, "subscriptionID">, name: string): string {
  return `/subscriptions/${subscriptionID}/resourceGroups/${name}`;
}

/** The id of a network resource in the cluster's group, or in another one. */
export function networkID(plan: Plan, path: string, group = clusterGroupOf(plan)): string {
  return `${groupID(plan, group)}/providers/Microsoft.Network/${path}`;
}

/** The name of the cluster's resource group. */
export function clusterGroupOf({ spec, clusterName }: Pick<Plan, "spec" | "clusterName">): string {
  return spec.resourceGroup ?? clusterName;
}

/** The name of the virtual network's resource group. */
export function networkGroupOf(plan: Plan): string {
  return plan.spec.networkSpec?.vnet?.resourceGroup ?? clusterGroupOf(plan);
}

/** The region as Azure writes it. */
export function locationOf({ spec }: Pick<Plan, "spec">): string {
  return spec.location.replaceAll(" ", "").toLowerCase();
}

/** What the tags of the cluster's resources are made from. */
export function tagSourceOf({ clusterName, spec }: Plan): {
  readonly clusterName: string;
  readonly additionalTags: Tags;
} {
  return { clusterName, additionalTags: spec.additionalTags ?? {} };
}
