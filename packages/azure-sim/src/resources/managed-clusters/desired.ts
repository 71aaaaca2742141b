import { zonesRefused } from "../skus/placement.ts";
import { ArmError, invalidParameter } from "../../arm/errors.ts";
import type { AzureState } from "../../core/azure-state.ts";
import type { Resource } from "../../core/resources.ts";
import { type JsonObject, objectAt, objectsAt, textAt, valueAt } from "../../json.ts";
import { sizeNamed } from "../scale-sets/desired.ts";
import { subnetOf } from "../virtual-networks/subnet-lookup.ts";
import { type Pool, propertiesOf, runningVersion } from "./cluster-state.ts";
import { NODE_IMAGE_VERSION } from "./node-image.ts";
import { checkSkew, checkUpgrade, offeredVersion } from "./versions.ts";

// AKS's limits.
const MOST_NODES = 1000;
const POOL_NAME = /^[a-z][a-z0-9]{0,11}$/;

/** Values that AKS accepts, by property; any other is an InvalidParameter. */
const CLUSTER_VALUES: readonly (readonly [path: string, values: readonly string[]])[] = [
  ["networkProfile.networkPlugin", ["azure", "kubenet", "none"]],
  ["networkProfile.networkPolicy", ["azure", "calico", "cilium", "none"]],
  ["networkProfile.networkDataplane", ["azure", "cilium"]],
  ["networkProfile.loadBalancerSku", ["standard", "basic"]],
  ["autoUpgradeProfile.upgradeChannel", ["node-image", "none", "patch", "rapid", "stable"]],
  ["autoUpgradeProfile.nodeOSUpgradeChannel", ["None", "NodeImage", "SecurityPatch", "Unmanaged"]],
  ["supportPlan", ["KubernetesOfficial", "AKSLongTermSupport"]],
  ["publicNetworkAccess", ["Enabled", "Disabled"]],
];

const POOL_VALUES: readonly (readonly [path: string, values: readonly string[]])[] = [
  ["mode", ["System", "User", "Gateway"]],
  ["osType", ["Linux", "Windows"]],
  ["osDiskType", ["Managed", "Ephemeral"]],
  ["osSKU", ["Ubuntu", "AzureLinux", "CBLMariner", "Windows2019", "Windows2022"]],
  ["scaleSetPriority", ["Regular", "Spot"]],
  ["scaleDownMode", ["Delete", "Deallocate"]],
];

/** Properties of a cluster that AKS cannot change. */
const FIXED = [
  "dnsPrefix",
  "nodeResourceGroup",
  "networkProfile.networkPlugin",
  "networkProfile.serviceCidr",
];

/** Properties of a pool that AKS cannot change. */
const POOL_FIXED = [
  "vmSize",
  "osType",
  "osDiskSizeGB",
  "osDiskType",
  "vnetSubnetID",
  "maxPods",
  "availabilityZones",
];

/** The properties of a cluster after a PUT, without its pools. Throws AKS's refusals. */
export function desiredCluster(
  world: AzureState,
  existing: Resource | undefined,
  body: JsonObject,
): JsonObject {
  const given = withoutNulls(objectAt(body, "properties"));
  const before = propertiesOf(existing);
  checkValues(given, CLUSTER_VALUES, "properties");
  checkFixed(given, before, FIXED);
  const running = runningVersion(before, "Kubernetes");
  const asked = textAt(given, "kubernetesVersion") ?? textAt(before, "kubernetesVersion");
  const current = offeredVersion(world.settings.kubernetesVersions, asked);
  if (existing) checkUpgrade(running, current, "the control plane");
  for (const pool of objectsAt(before, "agentPoolProfiles")) {
    checkSkew(textAt(pool, "name") ?? "", runningVersion(pool, "Orchestrator"), current);
  }
  return { ...given, kubernetesVersion: asked ?? current, currentKubernetesVersion: current };
}

/** A pool after a PUT, with AKS's defaults. Throws AKS's refusals. */
export function desiredPool(
  world: AzureState,
  cluster: { readonly location: string; readonly version: string },
  {
    name,
    given: raw,
    before,
  }: { readonly name: string; readonly given: JsonObject; readonly before?: Pool | undefined },
): Pool {
  const given = withoutNulls(raw);
  if (!POOL_NAME.test(name)) {
    throw invalidParameter(
      "agentPoolProfile.name",
      `The value of parameter agentPoolProfile.name is invalid. Error details: Invalid agent pool name '${name}'. Please see https://aka.ms/aks-naming-rules for more details.`,
    );
  }
  checkValues(given, POOL_VALUES, "agentPoolProfile");
  if (before) checkFixed(given, before, POOL_FIXED);
  const vmSize = textAt(given, "vmSize") ?? textAt(before, "vmSize") ?? "Standard_D2s_v5";
  sizeNamed(world, vmSize, { field: "agentPoolProfile.vmSize", location: cluster.location });
  checkZones(world, vmSize, { name, zones: given["availabilityZones"] });
  checkSubnet(world, textAt(given, "vnetSubnetID"));
  const running = before && runningVersion(before, "Orchestrator");
  const asked = textAt(given, "orchestratorVersion") ?? running ?? cluster.version;
  const version = offeredVersion(world.settings.kubernetesVersions, asked);
  if (running !== undefined) checkUpgrade(running, version, `node pool '${name}'`);
  checkSkew(name, version, cluster.version);
  return {
    osDiskSizeGB: 128,
    osDiskType: "Managed",
    maxPods: 110,
    type: "VirtualMachineScaleSets",
    scaleDownMode: "Delete",
    mode: "User",
    osType: "Linux",
    osSKU: "Ubuntu",
    enableAutoScaling: false,
    enableNodePublicIP: false,
    enableFIPS: false,
    ...fixedOf(before),
    ...given,
    name,
    vmSize,
    count: countOf(given, before),
    orchestratorVersion: asked,
    currentOrchestratorVersion: version,
    nodeImageVersion: NODE_IMAGE_VERSION,
    powerState: { code: "Running" },
  };
}

function fixedOf(before: Pool | undefined): JsonObject {
  return Object.fromEntries(
    POOL_FIXED.flatMap((field) => (before?.[field] === undefined ? [] : [[field, before[field]]])),
  );
}

function countOf(given: JsonObject, before: Pool | undefined): number {
  const least = textAt(given, "mode") === "System" ? 1 : 0;
  const known = before?.["count"];
  if (given["enableAutoScaling"] === true)
    return scaledCount(given, Number(known ?? given["count"] ?? 1), least);
  const count = Number(given["count"] ?? known ?? 1);
  if (isCount(count, least)) return count;
  throw invalidParameter(
    "agentPoolProfile.count",
    `The value of parameter agentPoolProfile.count is invalid. Error details: the count ${JSON.stringify(given["count"])} is not between ${least} and ${MOST_NODES}.`,
  );
}

function isCount(count: number, least: number): boolean {
  return Number.isInteger(count) && count >= least && count <= MOST_NODES;
}

/** With autoscaling, the number of nodes is what the autoscaler has chosen, within its limits. */
function scaledCount(given: JsonObject, count: number, least: number): number {
  const [min, max] = [Number(given["minCount"]), Number(given["maxCount"])];
  if (min >= least && max >= min && max <= MOST_NODES) return Math.min(max, Math.max(min, count));
  throw invalidParameter(
    "agentPoolProfile.minCount",
    `The value of parameter agentPoolProfile.minCount is invalid. With autoscaling, minCount and maxCount are set, minCount is at least ${least}, and maxCount is between minCount and ${MOST_NODES}.`,
  );
}

function checkZones(
  world: AzureState,
  size: string,
  { name, zones }: { readonly name: string; readonly zones: unknown },
): void {
  const { zones: offered = [] } = world.usage.size(size) ?? {};
  if (!Array.isArray(zones) || zones.every((zone) => offered.includes(String(zone)))) return;
  const code = "AvailabilityZoneNotSupported";
  throw new ArmError(400, { code, message: zonesRefused(zones.map(String), name, offered) });
}

function checkSubnet(world: AzureState, id: string | undefined): void {
  if (id === undefined || subnetOf(world, id)) return;
  const [, , subscription, , group, , , , network, , subnet] = id.split("/");
  throw new ArmError(400, {
    code: "SubnetNotFound",
    message: `Could not find subnet ${subnet} in vnet ${network} from resource group ${group} of subscription ${subscription}.`,
  });
}

function checkValues(given: JsonObject, table: typeof CLUSTER_VALUES, target: string): void {
  for (const [path, values] of table) {
    const value = valueAt(given, ...path.split("."));
    if (value === undefined || isOneOf(values, value)) continue;
    throw invalidParameter(
      `${target}.${path}`,
      `The value of parameter ${target}.${path} is invalid. Error details: ${JSON.stringify(value)} is not one of ${values.join(", ")}. Please see https://aka.ms/aks-naming-rules for more details.`,
    );
  }
}

function isOneOf(values: readonly string[], value: unknown): boolean {
  return typeof value === "string" && values.some((one) => one.toLowerCase() === value.toLowerCase());
}

function checkFixed(given: JsonObject, before: JsonObject, paths: readonly string[]): void {
  for (const path of paths) {
    const [now, was] = [given, before].map((one) => valueAt(one, ...path.split(".")));
    if (now === undefined || was === undefined || JSON.stringify(now) === JSON.stringify(was)) continue;
    throw new ArmError(400, {
      code: "PropertyChangeNotAllowed",
      message: `Changing property 'properties.${path}' is not allowed.`,
      target: `properties.${path}`,
    });
  }
}

/** ARM treats a property that is null as one that is not given. */
function withoutNulls(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).flatMap(([field, inner]) => {
      if (inner === null) return [];
      const isPlain = typeof inner === "object" && !Array.isArray(inner);
      return [[field, isPlain ? withoutNulls(inner as JsonObject) : inner]];
    }),
  );
}
