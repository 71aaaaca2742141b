import { createHash } from "node:crypto";
import type { AzureState } from "../../core/azure-state.ts";
import type { Resource } from "../../core/resources.ts";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../json.ts";

/** The namespace of AKS. */
export const CONTAINER_SERVICE = "Microsoft.ContainerService";

/** The type of AKS clusters. */
export const MANAGED_CLUSTERS = "managedClusters";

/** The type as resources have it. */
export const CLUSTER_TYPE = `${CONTAINER_SERVICE}/${MANAGED_CLUSTERS}`;

/** The field of a stored cluster that holds its maintenance configurations; clients do not see it. */
export const MAINTENANCE = "maintenance";

/** A node pool as the cluster stores it; the fields are those of an agentPoolProfile. */
export type Pool = JsonObject;

/** The properties of a stored cluster. */
export function propertiesOf(resource: Resource | undefined): JsonObject {
  return objectAt(resource?.body, "properties");
}

/** The node pools of a stored cluster. */
export function poolsOf(resource: Resource | undefined): readonly Pool[] {
  return objectsAt(propertiesOf(resource), "agentPoolProfiles");
}

/** The pool of that name. */
export function poolNamed(resource: Resource | undefined, name: string): Pool | undefined {
  return poolsOf(resource).find((pool) => textAt(pool, "name")?.toLowerCase() === name.toLowerCase());
}

/** The exact version that runs: of the control plane or of a pool. */
export function runningVersion(properties: JsonObject, field: "Kubernetes" | "Orchestrator"): string {
  return textAt(properties, `current${field}Version`) ?? "";
}

/** Replaces one pool of a cluster, or adds it; without a new one, removes it. */
export function putPool(
  world: AzureState,
  id: string,
  { name, pool }: { readonly name: string; readonly pool?: Pool | undefined },
): void {
  const resource = world.resources.get(id);
  if (!resource) return;
  const others = poolsOf(resource).filter((one) => textAt(one, "name") !== name);
  const agentPoolProfiles = (pool ? [...others, pool] : others).toSorted((a, b) =>
    (textAt(a, "name") ?? "") < (textAt(b, "name") ?? "") ? -1 : 1,
  );
  world.resources.put({
    ...resource,
    body: { ...resource.body, properties: { ...propertiesOf(resource), agentPoolProfiles } },
  });
}

/** Changes some properties of a cluster, if it still exists. */
export function putProperties(world: AzureState, id: string, change: JsonObject): void {
  const resource = world.resources.get(id);
  if (!resource) return;
  const properties = { ...propertiesOf(resource), ...change };
  world.resources.put({ ...resource, body: { ...resource.body, properties } });
}

/** The id of the group in which AKS creates the nodes. */
export function nodeGroupId(resource: Resource): string {
  const [, , subscription] = resource.id.split("/");
  return `/subscriptions/${subscription}/resourceGroups/${textAt(propertiesOf(resource), "nodeResourceGroup")}`;
}

/** The id of the scale set of a pool. */
export function scaleSetId(resource: Resource, pool: Pool): string {
  const name = `aks-${textAt(pool, "name")}-${numberOf(resource)}-vmss`;
  return `${nodeGroupId(resource)}/providers/Microsoft.Compute/virtualMachineScaleSets/${name}`;
}

/** The eight digits by which AKS tells the resources of clusters apart. */
export function numberOf({ id }: Pick<Resource, "id">): string {
  return String(Number.parseInt(digest(id).slice(0, 8), 16) % 100_000_000).padStart(8, "0");
}

/** The name of the API server: DNS prefix, a hash, region. */
export function fqdnOf(id: string, dnsPrefix: string, location: string): string {
  return `${dnsPrefix}-${digest(id).slice(0, 8)}.hcp.${location}.azmk8s.io`;
}

function digest(id: string): string {
  return createHash("sha256").update(id.toLowerCase()).digest("hex");
}
