import { expect, test } from "vitest";
import { limitsOf } from "./policies.ts";

/** `policy scope capacity/minutes until full` for each bucket. */
function bucketsOf(operation: string, isInGroup = true): string[] {
  return limitsOf(operation, isInGroup).map(({ policy, scope, size: { capacity, refillPerSecond } }) => {
    const minutes = Math.round((capacity / refillPerSecond / 60) * 10) / 10;
    return `${policy} ${scope} ${capacity}/${minutes}`;
  });
}

const VM_WRITE = (name: string): string[] => [
  `${name}Resource resource 12/3`,
  `${name}SubscriptionMaximum region 1500/3`,
];
const LOW_COST = ["LowCostGetResource resource 36/3", "LowCostGetSubscriptionMaximum region 24000/3"];
const windows = (name: string, in3Minutes: number, in30Minutes: number): string[] => [
  `${name}3Min region ${in3Minutes}/3`,
  `${name}30Min region ${in30Minutes}/30`,
];

test.each<[string, readonly string[]]>([
  ["PUT virtualMachines", VM_WRITE("PutVM")],
  ["PATCH virtualMachines", VM_WRITE("UpdateVM")],
  ["POST virtualMachines/start", VM_WRITE("UpdateVM")],
  ["POST virtualMachines/reimage", VM_WRITE("UpdateVM")],
  ["POST virtualMachines/poweroff", VM_WRITE("DeleteVM")],
  ["POST virtualMachines/deallocate", VM_WRITE("DeleteVM")],
  ["DELETE virtualMachines", VM_WRITE("DeleteVM")],
  ["GET virtualMachines", LOW_COST],
  ["GET virtualMachines/instanceview", LOW_COST],
  ["LIST virtualMachines", ["HighCostGetSubscriptionMaximum region 900/3"]],
  ["PUT disks", windows("CreateUpdateDisks", 3000, 25_000)],
  ["DELETE disks", windows("DeleteDisks", 3000, 24_000)],
  ["GET disks", windows("LowCostGet", 15_000, 120_000)],
  ["LIST disks", windows("HighCostGet", 240, 1920)],
  ["PUT snapshots", windows("HighCostSnapshotCreateHydrate", 1000, 8000)],
  ["PUT galleries", windows("CreateUpdateGallery", 50, 300)],
  ["PUT galleries/images", windows("CreateUpdateGalleryImage", 150, 750)],
  ["PUT galleries/images/versions", windows("CreateUpdateGalleryImageVersion", 375, 1200)],
  ["GET galleries", windows("GetGallery", 350, 2500)],
  ["LIST galleries/images", windows("GetGalleryImage", 600, 3000)],
  ["GET galleries/images/versions", windows("GetGalleryImageVersion", 2000, 10_000)],
  ["PUT managedClusters", ["PutManagedCluster resource 20/20"]],
  ["PUT managedClusters/agentPools", ["PutAgentPool path 20/20"]],
  ["GET managedClusters", ["GetManagedCluster resource 60/1"]],
  ["GET managedClusters/agentPools", ["GetManagedCluster resource 60/1"]],
  ["LIST managedClusters", ["ListManagedClustersInGroup path 60/1"]],
  ["PUT virtualNetworks", []],
])("%s takes from %j", (operation, expected) => {
  expect(bucketsOf(operation)).toEqual(expected);
});

test("a list of the AKS clusters of a subscription has a budget of its own", () => {
  expect(bucketsOf("LIST managedClusters", false)).toEqual(["ListManagedClusters path 500/8.3"]);
  expect(bucketsOf("LIST virtualMachines", false)).toEqual(bucketsOf("LIST virtualMachines"));
});
