import type { JsonObject } from "../../azure/port.ts";

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
