import type { AzureCluster, Frozen } from "@capstan/api";
import type { Owner, Tags } from "@capstan/plan";

/** The desired state of a cluster's infrastructure. */
export type ClusterSpec = Frozen<AzureCluster["spec"]>;

/** The input that determines the resources of a cluster. */
export interface ClusterSpecView {
  /** The name of the Cluster, which is part of its resources' names. */
  readonly clusterName: string;
  readonly namespace: string;
  readonly subscriptionID: string;
  readonly spec: ClusterSpec;
  readonly apiServerPort: number;
  /** The zones of the region. */
  readonly zones: readonly string[];
}

// The API server's port does not matter for machines; only the names of network resources are used.
const ANY_PORT = 6443;

/** The spec of the cluster of machines, with defaults. */
export function clusterPlanOf({
  azureCluster,
  clusterName,
  subscriptionID,
}: Pick<ClusterSpecView, "clusterName" | "subscriptionID"> & {
  readonly azureCluster: Frozen<AzureCluster>;
}): ClusterSpecView {
  const { metadata, spec } = azureCluster;
  const { namespace = "" } = metadata;
  return { clusterName, namespace, subscriptionID, spec, apiServerPort: ANY_PORT, zones: [] };
}

/** The id of the resource group of that name. */
export function groupID({ subscriptionID }: Pick<ClusterSpecView, "subscriptionID">, name: string): string {
  return `/subscriptions/${subscriptionID}/resourceGroups/${name}`;
}

/** The id of a network resource in the cluster's group, or in another one. */
export function networkID(plan: ClusterSpecView, path: string, group = clusterGroupOf(plan)): string {
  return `${groupID(plan, group)}/providers/Microsoft.Network/${path}`;
}

/** The name of the cluster's resource group. */
export function clusterGroupOf({ spec, clusterName }: Pick<ClusterSpecView, "spec" | "clusterName">): string {
  return spec.resourceGroup ?? clusterName;
}

/** The name of the virtual network's resource group. */
export function networkGroupOf(plan: ClusterSpecView): string {
  return plan.spec.networkSpec?.vnet?.resourceGroup ?? clusterGroupOf(plan);
}

/** The region as Azure writes it. */
export function locationOf({ spec }: Pick<ClusterSpecView, "spec">): string {
  return spec.location.replaceAll(" ", "").toLowerCase();
}

/** The owner of the resources. */
export function ownerOf({ clusterName, namespace }: ClusterSpecView): Owner {
  return { clusterName, clusterKey: `${namespace}/${clusterName}` };
}

/** The input of the tags of the cluster's resources. */
export function tagSourceOf(plan: ClusterSpecView): Owner & { readonly additionalTags: Tags } {
  return { ...ownerOf(plan), additionalTags: plan.spec.additionalTags ?? {} };
}

/** The id of the cluster's virtual network; undefined when the spec has none. */
export function virtualNetworkID(plan: ClusterSpecView): string | undefined {
  const name = plan.spec.networkSpec?.vnet?.name;
  return name === undefined ? undefined : networkID(plan, `virtualNetworks/${name}`, networkGroupOf(plan));
}

/** The id of one of the cluster's subnets. */
export function subnetID(plan: ClusterSpecView, name: string): string {
  return `${virtualNetworkID(plan) ?? ""}/subnets/${name}`;
}

/** The subnets for nodes. */
export function nodeSubnetsOf({ spec }: Pick<ClusterSpecView, "spec">): readonly string[] {
  const subnets = spec.networkSpec?.subnets ?? [];
  return subnets.filter(({ role }) => role === "node" || role === "cluster").map(({ name }) => name);
}

/** The id of the backend pool for outbound traffic of nodes; undefined when the cluster has no such load balancer. */
export function nodeOutboundPoolID(plan: ClusterSpecView): string | undefined {
  const balancer = plan.spec.networkSpec?.nodeOutboundLB;
  if (!balancer?.name || (balancer.frontendIPs ?? []).length === 0) return undefined;
  return `${networkID(plan, `loadBalancers/${balancer.name}`)}/backendAddressPools/${backendPoolOf(balancer.name, balancer)}`;
}

/** The name of the pool of a load balancer. */
export function backendPoolOf(
  name: string,
  { backendPool }: { readonly backendPool?: { readonly name?: string } | undefined },
): string {
  return backendPool?.name ?? `${name}-backendPool`;
}
