import { ArmError, type ErrorBody } from "../../arm/errors.ts";
import { type AzureState, latencyMs, nextRng, type Effect } from "../../core/azure-state.ts";
import type { Resource } from "../../core/resources.ts";
import { type JsonObject, objectAt, textAt, valueAt } from "../../json.ts";
import { exactName } from "../images/image.ts";
import { putGroup } from "../resource-groups/resource-groups.ts";
import { setAction } from "../scale-sets/actions.ts";
import { applyModel } from "../scale-sets/apply-model.ts";
import { deleteScaleSet } from "../scale-sets/removal.ts";
import { putScaleSet } from "../scale-sets/write.ts";
import { virtualNetworkTypes } from "../virtual-networks/virtual-networks.ts";
import {
  nodeGroupId,
  numberOf,
  type Pool,
  propertiesOf,
  runningVersion,
  scaleSetId,
} from "./cluster-state.ts";
import { innerCall } from "./inner-call.ts";
import { AKS_NODE_IMAGE } from "./node-image.ts";

/** The command in the cloud-config of an AKS node: guests join by it, without kubeadm and without a token. */
const JOIN_COMMAND = "/opt/azure/containers/provision.sh";

/** The effect that re-images some nodes of a pool on its newest model. */
export const NODES_REIMAGED = "agentPool.nodesReimaged";

// AKS's default for upgradeSettings.maxSurge.
const UPGRADED_AT_ONCE = 0.1;

/** Creates the group of the nodes and, for a cluster without a network of its own, a network in it. */
export function createNodeGroup(world: AzureState, cluster: Resource): void {
  const path = nodeGroupId(cluster);
  const { location, id } = cluster;
  putGroup(innerCall(world, { method: "PUT", path, body: { location, managedBy: id } }), world);
  const network = networkId(cluster);
  if (world.resources.get(network)) return;
  const properties = {
    addressSpace: { addressPrefixes: ["10.224.0.0/12"] },
    subnets: [{ name: "aks-subnet", properties: { addressPrefix: "10.224.0.0/16" } }],
  };
  const call = innerCall(world, { method: "PUT", path: network, body: { location, properties } });
  virtualNetworkTypes[0]?.put?.(call, world);
}

function networkId(cluster: Resource): string {
  return `${nodeGroupId(cluster)}/providers/Microsoft.Network/virtualNetworks/aks-vnet-${numberOf(cluster)}`;
}

/** Brings the scale set of a pool to the pool's size and version. Returns when that ends, or why it failed. */
export function updateNodes(
  world: AzureState,
  cluster: Resource,
  { pool, before }: { readonly pool: Pool; readonly before?: Pool | undefined },
): { readonly endMs: number; readonly error?: ErrorBody } {
  const path = scaleSetId(cluster, pool);
  if (!world.resources.get(path) || !isSameModel(pool, before)) {
    const error = putNodes(world, path, scaleSetBody(cluster, pool));
    if (error) return { endMs: world.nowMs, error };
  }
  const operation = world.operations.get(world.resources.get(path)?.operation ?? "");
  const sizedMs = operation?.dueMs ?? world.nowMs;
  const isUpgrade = before !== undefined && versionOf(pool) !== versionOf(before);
  return { endMs: isUpgrade ? Math.max(sizedMs, reimageLater(world, path)) : sizedMs };
}

function putNodes(world: AzureState, path: string, body: JsonObject): ErrorBody | undefined {
  try {
    putScaleSet(innerCall(world, { method: "PUT", path, body }), world);
    return undefined;
  } catch (error) {
    if (error instanceof ArmError) return error.error;
    throw error;
  }
}

/** The fields of a pool that its scale set depends on. */
const MODEL_FIELDS = ["count", "currentOrchestratorVersion", "nodeLabels", "nodeTaints", "tags"];

function isSameModel(pool: Pool, before: Pool | undefined): boolean {
  if (!before) return false;
  return MODEL_FIELDS.every((field) => JSON.stringify(pool[field]) === JSON.stringify(before[field]));
}

/** Schedules the re-imaging of all nodes, a tenth of them at a time. Returns when the last ones begin. */
function reimageLater(world: AzureState, setId: string): number {
  const ids = [...world.scaleSets.members(setId).values()]
    .filter(({ state }) => state !== "Deleting")
    .map(({ id }) => String(id));
  const batch = Math.max(1, Math.ceil(ids.length * UPGRADED_AT_ONCE));
  let atMs = world.nowMs;
  for (let from = 0; from < ids.length; from += batch) {
    world.agenda.enter(atMs, NODES_REIMAGED, { id: setId, instances: ids.slice(from, from + batch) });
    atMs += latencyMs(world, "agentPool.upgradeBatch", nextRng(world, setId, "upgrade"));
  }
  return atMs;
}

/** Re-images some nodes on the newest model of their set; nodes that are gone or busy are left out. */
export const reimageNodes: Effect = (world, args) => {
  const id = textAt(args, "id") ?? "";
  const set = world.scaleSets.get(id);
  const wanted = valueAt(args, "instances");
  if (!set || !Array.isArray(wanted)) return;
  const members = world.scaleSets.members(id);
  const instances = wanted
    .map((name) => members.get(Number(name)))
    .filter((one) => one !== undefined && one.state !== "Deleting" && one.operation === undefined);
  if (instances.length === 0) return;
  for (const instance of instances) if (instance) applyModel(world, set, instance);
  const body = { instanceIds: instances.map((one) => String(one?.id)) };
  setAction("reimage")(innerCall(world, { method: "POST", path: id, body }), world);
};

/** Deletes the scale set of a pool. Returns when that ends. */
export function deleteNodes(world: AzureState, cluster: Resource, pool: Pool): number {
  const path = scaleSetId(cluster, pool);
  if (!world.resources.get(path)) return world.nowMs;
  deleteScaleSet(innerCall(world, { method: "DELETE", path }), world);
  return world.operations.get(world.resources.get(path)?.operation ?? "")?.dueMs ?? world.nowMs;
}

/** Deallocates or starts all nodes of a cluster. */
export function setPower(
  world: AzureState,
  cluster: Resource,
  { pools, action }: { readonly pools: readonly Pool[]; readonly action: "deallocate" | "start" },
): void {
  for (const pool of pools) {
    const path = scaleSetId(cluster, pool);
    if (world.scaleSets.members(path).size > 0)
      setAction(action)(innerCall(world, { method: "POST", path }), world);
  }
}

function versionOf(pool: Pool): string {
  return runningVersion(pool, "Orchestrator");
}

function scaleSetBody(cluster: Resource, pool: Pool): JsonObject {
  const name = textAt(pool, "name") ?? "";
  const prefix = `aks-${name}-${numberOf(cluster)}-vmss`;
  const subnet = textAt(pool, "vnetSubnetID") ?? `${networkId(cluster)}/subnets/aks-subnet`;
  const ipConfiguration = { name: "ipconfig1", properties: { primary: true, subnet: { id: subnet } } };
  const zones = valueAt(pool, "availabilityZones");
  return {
    location: cluster.location,
    sku: { name: textAt(pool, "vmSize"), tier: "Standard", capacity: valueAt(pool, "count") },
    ...(Array.isArray(zones) && zones.length > 0 && { zones }),
    tags: { ...objectAt(pool, "tags"), "aks-managed-poolName": name },
    properties: {
      orchestrationMode: "Uniform",
      overprovision: false,
      singlePlacementGroup: false,
      upgradePolicy: { mode: "Manual" },
      virtualMachineProfile: {
        ...(textAt(pool, "scaleSetPriority") === "Spot" && { priority: "Spot" }),
        osProfile: {
          computerNamePrefix: prefix,
          adminUsername: "azureuser",
          customData: Buffer.from(cloudConfigOf(cluster, pool)).toString("base64"),
        },
        storageProfile: { imageReference: { communityGalleryImageId: exactName(AKS_NODE_IMAGE) } },
        networkProfile: {
          networkInterfaceConfigurations: [
            { name: prefix, properties: { primary: true, ipConfigurations: [ipConfiguration] } },
          ],
        },
      },
    },
  };
}

function cloudConfigOf(cluster: Resource, pool: Pool): string {
  const taints = valueAt(pool, "nodeTaints");
  const node = {
    endpoint: `${textAt(propertiesOf(cluster), "fqdn") ?? textAt(propertiesOf(cluster), "privateFQDN")}:443`,
    labels: {
      ...objectAt(pool, "nodeLabels"),
      agentpool: textAt(pool, "name"),
      "kubernetes.azure.com/agentpool": textAt(pool, "name"),
      "kubernetes.azure.com/mode": (textAt(pool, "mode") ?? "User").toLowerCase(),
      "kubernetes.azure.com/cluster": textAt(propertiesOf(cluster), "nodeResourceGroup"),
    },
    taints: Array.isArray(taints) ? taints : [],
  };
  const config = {
    write_files: [
      { path: "/etc/kubernetes-version", content: `v${versionOf(pool)}\n` },
      { path: "/opt/azure/node.json", content: JSON.stringify(node) },
    ],
    runcmd: [JOIN_COMMAND],
  };
  return `#cloud-config\n${JSON.stringify(config)}\n`;
}
