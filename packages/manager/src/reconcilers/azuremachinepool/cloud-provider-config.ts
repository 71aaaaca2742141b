import { type AzureCluster, type AzureMachinePool, type Frozen, parseQuantity } from "@capstan/api";
import type { Sensitive } from "@capstan/runtime";
import type { JsonObject } from "../../azure/port.ts";
import {
  clusterGroupOf,
  locationOf,
  networkGroupOf,
  type ClusterSpecView,
} from "../../azure-cluster/spec-view.ts";

/** The identity with which the machines log in to Azure. */
export interface CloudLogin {
  readonly tenantID: string;
  readonly clientID: string;
  /** Undefined for identities that have none. */
  readonly clientSecret?: Sensitive;
}

/** The input of the cloud-provider config of a pool. */
export interface CloudConfigSource {
  readonly pool: Frozen<AzureMachinePool>;
  readonly plan: ClusterSpecView;
  readonly login: CloudLogin;
}

/**
 * The configuration of Azure's cloud provider for the machines of a pool, which manifests written for CAPZ put on their
 * disks as /etc/kubernetes/azure.json: the resources the machines belong to, and how they log in.
 */
export function cloudProviderConfig({ pool, plan, login }: CloudConfigSource): JsonObject {
  const { spec, subscriptionID } = plan;
  return {
    cloud: spec.azureEnvironment ?? "AzurePublicCloud",
    tenantId: login.tenantID,
    subscriptionId: subscriptionID,
    ...credentials(pool, login),
    resourceGroup: clusterGroupOf(plan),
    location: locationOf(plan),
    vmType: "vmss",
    ...network(plan),
    maximumLoadBalancerRuleCount: 250,
    useInstanceMetadata: true,
    enableVmssFlexNodes: true,
    ...overrides(spec.cloudProviderConfigOverrides),
  };
}

/** Where the cloud provider creates load balancers and routes. */
function network(plan: ClusterSpecView): JsonObject {
  const { vnet, subnets = [], nodeOutboundLB } = plan.spec.networkSpec ?? {};
  const { name, securityGroup, routeTable } =
    subnets.find(({ role }) => role === "node" || role === "cluster") ?? {};
  const group = networkGroupOf(plan);
  return {
    vnetName: named(vnet),
    vnetResourceGroup: group,
    subnetName: named({ name }),
    securityGroupName: named(securityGroup),
    securityGroupResourceGroup: group,
    routeTableName: named(routeTable),
    loadBalancerSku: "Standard",
    loadBalancerName: named(nodeOutboundLB),
  };
}

function named(part: { readonly name?: string | undefined } | undefined): string {
  return part?.name ?? "";
}

/** Machines with an identity of their own log in with that, and need no password. */
function credentials({ spec }: Frozen<AzureMachinePool>, login: CloudLogin): JsonObject {
  const [assigned] = spec.userAssignedIdentities ?? [];
  if (spec.identity === "SystemAssigned") return { useManagedIdentityExtension: true };
  if (spec.identity === "UserAssigned") {
    const userAssignedIdentityID = (assigned?.providerID ?? "").replace(/^azure:\/\//, "");
    return { useManagedIdentityExtension: true, userAssignedIdentityID };
  }
  const secret = login.clientSecret && { aadClientSecret: login.clientSecret.reveal() };
  return { aadClientId: login.clientID, ...secret, useManagedIdentityExtension: false };
}

type Overrides = NonNullable<AzureCluster["spec"]["cloudProviderConfigOverrides"]>;

/** Rate limits for all calls are top-level fields; those of one kind of call are fields under its name. */
function overrides(given: Frozen<Overrides> | undefined): JsonObject {
  const limits = (given?.rateLimits ?? []).map(({ name, config = {} }): JsonObject => {
    const plain = plainNumbers(config);
    return name === "defaultRateLimit" ? plain : { [name]: plain };
  });
  return Object.assign({}, ...limits, plainNumbers(given?.backOffs ?? {})) as JsonObject;
}

/** Quantities may be written as text, such as "500m"; the cloud provider reads numbers. */
function plainNumbers(fields: object): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === "string" ? Number(parseQuantity(value).nano) / 1e9 : value,
    ]),
  );
}
