import type { AzureState } from "../../core/azure-state.ts";
import type { Resource } from "../../core/resources.ts";
import { type JsonObject, objectAt, textAt } from "../../json.ts";
import { MAINTENANCE, type Pool, poolsOf, propertiesOf, scaleSetId } from "./cluster-state.ts";
import { stateOf } from "./work.ts";

/** A cluster as AKS shows it: the caller's fields over AKS's defaults. */
export function clusterBody(world: AzureState, cluster: Resource): JsonObject {
  const { id, name, location, body } = cluster;
  const properties = propertiesOf(cluster);
  return {
    id,
    name,
    type: "Microsoft.ContainerService/ManagedClusters",
    location,
    kind: "Base",
    sku: { name: "Base", tier: "Free", ...objectAt(body, "sku") },
    ...withoutProperties(body),
    properties: {
      enableRBAC: true,
      supportPlan: "KubernetesOfficial",
      maxAgentPools: 100,
      servicePrincipalProfile: { clientId: "msi" },
      oidcIssuerProfile: { enabled: false },
      ...properties,
      ...issuerOf(properties, location),
      networkProfile: {
        networkPlugin: "azure",
        loadBalancerSku: "standard",
        outboundType: "loadBalancer",
        serviceCidr: "10.0.0.0/16",
        dnsServiceIP: "10.0.0.10",
        ...objectAt(properties, "networkProfile"),
      },
      agentPoolProfiles: poolsOf(cluster).map((pool) => poolProfile(world, cluster, pool)),
      provisioningState: stateOf(cluster),
    },
  };
}

function withoutProperties({
  properties: _,
  sku: _sku,
  [MAINTENANCE]: _maintenance,
  ...rest
}: JsonObject): JsonObject {
  return rest;
}

function issuerOf(properties: JsonObject, location: string): JsonObject {
  const profile = objectAt(properties, "oidcIssuerProfile");
  if (profile["enabled"] !== true) return {};
  const issuerURL = `https://${location}.oic.prod-aks.azure.com/${textAt(properties, "resourceUID")}/`;
  return { oidcIssuerProfile: { ...profile, issuerURL } };
}

/** A pool as part of its cluster. An autoscaler changes the size of the scale set, and the count follows it. */
function poolProfile(world: AzureState, cluster: Resource, pool: Pool): JsonObject {
  const { operation: _, ...shown } = pool;
  const capacity = world.scaleSets.get(scaleSetId(cluster, pool))?.capacity;
  return shown["enableAutoScaling"] === true && capacity !== undefined
    ? { ...shown, count: capacity }
    : shown;
}

/** A pool as a resource of its own. */
export function poolBody(world: AzureState, cluster: Resource, pool: Pool): JsonObject {
  const { name, ...properties } = poolProfile(world, cluster, pool);
  return {
    id: `${cluster.id}/agentPools/${String(name)}`,
    name,
    type: "Microsoft.ContainerService/managedClusters/agentPools",
    properties,
  };
}
