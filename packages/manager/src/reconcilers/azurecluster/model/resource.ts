import type { JsonObject } from "@capstan/api";

/** The conditions of the parts of a cluster, with the names of Cluster API's Azure provider. */
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

export type ResourceCondition = (typeof CONDITIONS)[number];

/** A desired resource of a cluster. */
export interface DesiredResource {
  readonly id: string;
  /** The conditions that report on it. */
  readonly conditions: readonly ResourceCondition[];
  /** The field of the spec that asks for it. */
  readonly field: string;
  /** Tags and properties, which are compared with the observed ones and repaired. */
  readonly body: JsonObject;
  /** Fields that are sent only at creation, because Azure cannot change them. */
  readonly atCreation: JsonObject;
  /** Ids of the resources that must be ready first. */
  readonly dependsOn: readonly string[];
  /** What to do if it exists without the cluster's tag: use it as it is, or refuse it. */
  readonly ifForeign: "use" | "refuse";
  /** It is created only for a virtual network of the cluster; a user's network has its own. */
  readonly isPartOfNetwork?: boolean;
  /** A child resource has no tags. */
  readonly hasNoTags?: boolean;
  /** Names of items that were in the spec once, by their list in `properties`. */
  readonly retired?: Readonly<Record<string, readonly string[]>>;
}
