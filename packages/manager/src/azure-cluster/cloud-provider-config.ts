import {
  type AzureCluster,
  type AzureMachine,
  type Frozen,
  type JsonObject,
  parseQuantity,
} from "@capstan/api";
import type { Sensitive } from "@capstan/runtime";
import { clusterGroupOf, type ClusterSpecView, locationOf, networkGroupOf } from "./spec-view.ts";

/** The identity with which the machines log in to Azure. */
export interface CloudLogin {
  readonly tenantID: string;
  readonly clientID: string;
  /** Undefined for identities that have none. */
  readonly clientSecret?: Sensitive;
}

/** The identity that machines of a pool or a template have in Azure. */
export type MachineIdentity = Frozen<Pick<AzureMachine["spec"], "identity" | "userAssignedIdentities">>;

/** The input of a cloud-provider config. */
export interface CloudConfigSource {
  readonly machines: MachineIdentity;
  readonly plan: ClusterSpecView;
  readonly login: CloudLogin;
}

/**
 * The configuration of Azure's cloud provider for machines, which manifests written for CAPZ put on their
 * disks as /etc/kubernetes/azure.json: the resources the machines belong to, and how they log in.
 */
export function cloudProviderConfig({ machines, plan, login }: CloudConfigSource): JsonObject {
  const { spec, subscriptionID } = plan;
  return {
    cloud: spec.azureEnvironment ?? "AzurePublicCloud",
    tenantId: login.tenantID,
    subscriptionId: subscriptionID,
    ...credentials(machines, login),
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
function credentials(
  { identity, userAssignedIdentities = [] }: MachineIdentity,
  login: CloudLogin,
): JsonObject {
  const [assigned] = userAssignedIdentities;
  if (identity === "SystemAssigned") return { useManagedIdentityExtension: true };
  if (identity === "UserAssigned") {
    // The cloud provider takes an ARM id as well as a client id, and the ARM id needs no request.
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
