import { expect, test } from "vitest";
import { chargesOf } from "./policies.ts";
import { targetOf, type Verb } from "./target.ts";

const GROUP = "/subscriptions/s/resourceGroups/RG";
const COMPUTE = `${GROUP}/providers/Microsoft.Compute`;
const VM = `${COMPUTE}/virtualMachines/vm`;
const VERSION = `${COMPUTE}/galleries/g/images/i/versions/1.0.0`;
const CLUSTER = `${GROUP}/providers/Microsoft.ContainerService/managedClusters/c`;

/** `bucket capacity/minutes until full` for each charge but the front door's. */
function bucketsOf(verb: Verb, path: string): string[] {
  const cost = {
    target: targetOf(verb, path),
    principal: "p",
    location: "westus",
    requests: 1,
    instances: 0,
  };
  const [, ...charges] = chargesOf(cost);
  return charges.map(({ bucket, size: { capacity, perSecond } }) => {
    const minutes = Math.round((capacity / perSecond / 60) * 10) / 10;
    return `${bucket} ${capacity}/${minutes}`;
  });
}

const vmWrite = (name: string): string[] => [
  `${name}Resource/${VM.toLowerCase()} 12/3`,
  `${name}SubscriptionMaximum/s/westus 1500/3`,
];
const LOW_COST = [
  `LowCostGetResource/${VM.toLowerCase()} 36/3`,
  "LowCostGetSubscriptionMaximum/s/westus 24000/3",
];
const windows = (name: string, in3Minutes: number, in30Minutes: number): string[] => [
  `${name}3Min/s/westus ${in3Minutes}/3`,
  `${name}30Min/s/westus ${in30Minutes}/30`,
];
const aks = (name: string, path: string, size: string): string[] => [`${name}/${path.toLowerCase()} ${size}`];

test.each<[Verb, string, readonly string[]]>([
  ["PUT", VM, vmWrite("PutVM")],
  ["PATCH", VM, vmWrite("UpdateVM")],
  ["POST", `${VM}/start`, vmWrite("UpdateVM")],
  ["POST", `${VM}/reimage`, vmWrite("UpdateVM")],
  ["POST", `${VM}/powerOff`, vmWrite("DeleteVM")],
  ["POST", `${VM}/deallocate`, vmWrite("DeleteVM")],
  ["DELETE", VM, vmWrite("DeleteVM")],
  ["GET", VM, LOW_COST],
  ["GET", `${VM}/instanceView`, LOW_COST],
  ["LIST", `${COMPUTE}/virtualMachines`, ["HighCostGetSubscriptionMaximum/s/westus 900/3"]],
  [
    "LIST",
    "/subscriptions/s/providers/Microsoft.Compute/virtualMachines",
    ["HighCostGetSubscriptionMaximum/s/westus 900/3"],
  ],
  ["PUT", `${COMPUTE}/disks/d`, windows("CreateUpdateDisks", 3000, 25_000)],
  ["DELETE", `${COMPUTE}/disks/d`, windows("DeleteDisks", 3000, 24_000)],
  ["GET", `${COMPUTE}/disks/d`, windows("LowCostGet", 15_000, 120_000)],
  ["LIST", `${COMPUTE}/disks`, windows("HighCostGet", 240, 1920)],
  ["PUT", `${COMPUTE}/snapshots/d`, windows("HighCostSnapshotCreateHydrate", 1000, 8000)],
  ["PUT", `${COMPUTE}/galleries/g`, windows("CreateUpdateGallery", 50, 300)],
  ["PUT", `${COMPUTE}/galleries/g/images/i`, windows("CreateUpdateGalleryImage", 150, 750)],
  ["PUT", VERSION, windows("CreateUpdateGalleryImageVersion", 375, 1200)],
  ["GET", `${COMPUTE}/galleries/g`, windows("GetGallery", 350, 2500)],
  ["LIST", `${COMPUTE}/galleries/g/images`, windows("GetGalleryImage", 600, 3000)],
  ["GET", VERSION, windows("GetGalleryImageVersion", 2000, 10_000)],
  ["PUT", CLUSTER, aks("PutManagedCluster", CLUSTER, "20/20")],
  ["PUT", `${CLUSTER}/agentPools/p`, aks("PutAgentPool", `${CLUSTER}/agentPools/p`, "20/20")],
  ["GET", CLUSTER, aks("GetManagedCluster", CLUSTER, "60/1")],
  ["GET", `${CLUSTER}/agentPools/p`, aks("GetManagedCluster", CLUSTER, "60/1")],
  ["LIST", CLUSTER.slice(0, -2), aks("ListManagedClustersInGroup", CLUSTER.slice(0, -2), "60/1")],
  [
    "LIST",
    "/subscriptions/s/providers/Microsoft.ContainerService/managedClusters",
    aks(
      "ListManagedClusters",
      "/subscriptions/s/providers/Microsoft.ContainerService/managedClusters",
      "500/8.3",
    ),
  ],
  ["POLL", "/subscriptions/s/providers/Microsoft.ContainerService/locations/westus/operations/o", []],
])("%s %s takes from %j", (verb, path, expected) => {
  expect(bucketsOf(verb, path)).toEqual(expected);
});
