import { DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import { expect, test } from "vitest";
import {
  all,
  type Cloud,
  finish,
  GROUP,
  LOCATION,
  scaleSet,
  startCloud,
  SUBNET_ID,
  withScaleSet,
} from "./cloud.ts";

const IN_GROUP = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/${GROUP}/providers/Microsoft.Compute`;
const SET = `${IN_GROUP}/virtualMachineScaleSets/pool`;
const DEFINITION = `${IN_GROUP}/galleries/prototypes/images/pool`;
const NIC = `${IN_GROUP.replace("Compute", "Network")}/networkInterfaces/nic`;
const SNAPSHOT = `${IN_GROUP}/snapshots/donor`;

/** The disk of an instance, as the instance names it. */
async function osDiskOf({ compute }: Cloud, instanceId: string): Promise<string> {
  const instance = await compute.virtualMachineScaleSetVMs.get(GROUP, "pool", instanceId);
  return instance.storageProfile?.osDisk?.managedDisk?.id ?? "";
}

async function takeSnapshot(cloud: Cloud, instanceId: string, name = "donor"): Promise<void> {
  const sourceResourceId = await osDiskOf(cloud, instanceId);
  await finish(
    cloud,
    cloud.compute.snapshots.createOrUpdate(GROUP, name, {
      location: LOCATION,
      creationData: { createOption: "Copy", sourceResourceId },
      tags: { cycle: "1" },
    }),
  );
}

async function makeGallery(cloud: Cloud, definition: object = {}): Promise<void> {
  const { galleries, galleryImages } = cloud.compute;
  await finish(cloud, galleries.createOrUpdate(GROUP, "prototypes", { location: LOCATION }));
  await finish(
    cloud,
    galleryImages.createOrUpdate(GROUP, "prototypes", "pool", {
      location: LOCATION,
      osType: "Linux",
      osState: "Generalized",
      hyperVGeneration: "V2",
      identifier: { publisher: "capstan", offer: "prototypes", sku: "pool" },
      ...definition,
    }),
  );
}

function version(change: object = {}) {
  return {
    location: LOCATION,
    storageProfile: { osDiskImage: { source: { id: SNAPSHOT } } },
    publishingProfile: {
      targetRegions: [{ name: LOCATION, regionalReplicaCount: 3, storageAccountType: "Standard_ZRS" }],
      excludeFromLatest: false,
    },
    ...change,
  };
}

async function publish(cloud: Cloud, name: string, change: object = {}): Promise<void> {
  const { galleryImageVersions } = cloud.compute;
  await finish(
    cloud,
    galleryImageVersions.createOrUpdate(GROUP, "prototypes", "pool", name, version(change)),
  );
}

/** Lets the scale set boot from the definition, and grow to that size. */
async function bootFromDefinition(cloud: Cloud, capacity: number): Promise<void> {
  const desired = scaleSet(capacity);
  const profile = desired.virtualMachineProfile;
  await finish(
    cloud,
    cloud.compute.virtualMachineScaleSets.createOrUpdate(GROUP, "pool", {
      ...desired,
      virtualMachineProfile: { ...profile, storageProfile: { imageReference: { id: DEFINITION } } },
    }),
  );
}

function fileOf(cloud: Cloud, instanceId: string, path: string): string | undefined {
  return cloud.azure.core.disk(`${SET}/virtualMachines/${instanceId}`)?.read(path);
}

test("an instance of a scale set whose model names a definition boots from the files of a snapshot", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 2);
  const donor = cloud.azure.core.disk(`${SET}/virtualMachines/0`);
  donor?.write("/etc/patch", "1.2.3");
  await takeSnapshot(cloud, "0");
  donor?.write("/etc/patch", "written after the snapshot");
  await makeGallery(cloud);
  await publish(cloud, "20260101.10.1");
  await bootFromDefinition(cloud, 3);
  expect(fileOf(cloud, "2", "/etc/patch")).toBe("1.2.3");
  expect(fileOf(cloud, "1", "/etc/patch")).toBeUndefined();
  const created = await cloud.compute.virtualMachineScaleSetVMs.get(GROUP, "pool", "2");
  expect(created.storageProfile?.imageReference).toMatchObject({
    id: DEFINITION,
    exactVersion: "20260101.10.1",
  });
});

test("a new instance gets the highest version that is not excluded, without a write of the model", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 1);
  await makeGallery(cloud);
  for (const number of ["9", "10"]) {
    cloud.azure.core.disk(`${SET}/virtualMachines/0`)?.write("/etc/patch", number);
    await takeSnapshot(cloud, "0");
    await publish(cloud, `1.${number}.0`);
    await finish(cloud, cloud.compute.snapshots.delete(GROUP, "donor"));
  }
  await bootFromDefinition(cloud, 2);
  expect(fileOf(cloud, "1", "/etc/patch")).toBe("10");
  // A version whose source is gone can still be published in another way.
  await publish(cloud, "1.10.0", {
    publishingProfile: { targetRegions: [{ name: LOCATION }], excludeFromLatest: true },
  });
  await finish(cloud, cloud.compute.virtualMachineScaleSets.update(GROUP, "pool", { sku: { capacity: 3 } }));
  expect(fileOf(cloud, "2", "/etc/patch")).toBe("9");
  const { modelVersion } = cloud.azure.core.world.scaleSets.get(SET) ?? {};
  expect(modelVersion).toBe(2);
});

test("machines keep their files when the version they were made from is deleted", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 1);
  cloud.azure.core.disk(`${SET}/virtualMachines/0`)?.write("/etc/patch", "1");
  await takeSnapshot(cloud, "0");
  await makeGallery(cloud);
  await publish(cloud, "1.0.0");
  await bootFromDefinition(cloud, 2);
  await finish(cloud, cloud.compute.galleryImageVersions.delete(GROUP, "prototypes", "pool", "1.0.0"));
  expect(fileOf(cloud, "1", "/etc/patch")).toBe("1");
  const growing = cloud.compute.virtualMachineScaleSets.update(GROUP, "pool", { sku: { capacity: 3 } });
  await expect(finish(cloud, growing)).rejects.toMatchObject({ code: "GalleryImageNotFound" });
});

test("a version tells how far it is replicated, if that is asked for", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 1);
  await takeSnapshot(cloud, "0");
  await makeGallery(cloud);
  const { galleryImageVersions } = cloud.compute;
  const poller = galleryImageVersions.createOrUpdate(GROUP, "prototypes", "pool", "1.0.0", version());
  await poller.submitted();
  await cloud.scheduler.advance(120_000);
  const path = ["prototypes", "pool", "1.0.0"] as const;
  const running = await galleryImageVersions.get(GROUP, ...path, { expand: "ReplicationStatus" });
  expect(running.provisioningState).toBe("Creating");
  expect(running.replicationStatus).toMatchObject({
    aggregatedState: "InProgress",
    summary: [{ region: LOCATION, state: "Replicating" }],
  });
  expect(running.replicationStatus?.summary?.[0]?.progress).toBeGreaterThan(0);
  await finish(cloud, poller);
  const done = await galleryImageVersions.get(GROUP, ...path, { expand: "ReplicationStatus" });
  expect(done.replicationStatus).toMatchObject({
    aggregatedState: "Completed",
    summary: [{ progress: 100 }],
  });
  expect((await galleryImageVersions.get(GROUP, ...path)).replicationStatus).toBeUndefined();
});

test("the OS disk of an instance is not a resource, but a snapshot may name it", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 1);
  const id = await osDiskOf(cloud, "0");
  await expect(cloud.compute.disks.get(GROUP, id.split("/").at(-1) ?? "")).rejects.toMatchObject({
    code: "ResourceNotFound",
  });
  await takeSnapshot(cloud, "0");
  const snapshot = await cloud.compute.snapshots.get(GROUP, "donor");
  expect(snapshot).toMatchObject({ provisioningState: "Succeeded", tags: { cycle: "1" } });
  expect(await all(cloud.compute.snapshots.listByResourceGroup(GROUP))).toHaveLength(1);
  await finish(cloud, cloud.compute.snapshots.delete(GROUP, "donor"));
  expect(await all(cloud.compute.snapshots.listByResourceGroup(GROUP))).toEqual([]);
});

const REFUSED: readonly [string, object, object, string][] = [
  ["the Hyper-V generation", { hyperVGeneration: "V1" }, {}, "hyperVGeneration"],
  ["the purchase plan", { purchasePlan: { name: "a", publisher: "b", product: "c" } }, {}, "purchasePlan"],
  ["the security type", { features: [{ name: "SecurityType", value: "TrustedLaunch" }] }, {}, "securityType"],
  [
    "the regions, which lack that of the source",
    {},
    { publishingProfile: { targetRegions: [{ name: "eastus" }] } },
    "source region",
  ],
  [
    "a source that does not exist",
    {},
    { storageProfile: { osDiskImage: { source: { id: `${IN_GROUP}/snapshots/other` } } } },
    "was not found",
  ],
];

test.each(REFUSED)("a version is refused because of %s", async (_name, definition, change, message) => {
  const cloud = startCloud();
  await withScaleSet(cloud, 1);
  await takeSnapshot(cloud, "0");
  await makeGallery(cloud, definition);
  await expect(publish(cloud, "1.0.0", change)).rejects.toThrow(message);
});

test("a version whose creation has failed must be deleted before it is created again", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 1);
  await takeSnapshot(cloud, "0");
  await makeGallery(cloud);
  const match = { operation: "PUT galleries/images/versions", nth: 1 };
  cloud.azure.control.addFault({
    id: "zrs",
    match,
    effect: { kind: "operationFails", code: "ZrsNotSupported" },
  });
  await expect(publish(cloud, "1.0.0")).rejects.toThrow("ZrsNotSupported");
  await expect(publish(cloud, "1.0.0")).rejects.toThrow("Delete it before");
  await finish(cloud, cloud.compute.galleryImageVersions.delete(GROUP, "prototypes", "pool", "1.0.0"));
  await publish(cloud, "1.0.0");
  const { galleryImageVersions } = cloud.compute;
  const made = await galleryImageVersions.get(GROUP, "prototypes", "pool", "1.0.0");
  expect(made.provisioningState).toBe("Succeeded");
  expect(await all(galleryImageVersions.listByGalleryImage(GROUP, "prototypes", "pool"))).toHaveLength(1);
});

test("machines with an osProfile cannot boot from a specialized image", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 1);
  await takeSnapshot(cloud, "0");
  await makeGallery(cloud, { osState: "Specialized" });
  // A snapshot is the source of versions of either state.
  await publish(cloud, "1.0.0");
  const refusal = {
    code: "InvalidParameter",
    statusCode: 400,
    message: "Parameter 'osProfile' is not allowed.",
  };
  await expect(bootFromDefinition(cloud, 2)).rejects.toMatchObject(refusal);
  const { networkInterfaces } = cloud.network;
  const ipConfigurations = [{ name: "ip", subnet: { id: SUBNET_ID } }];
  await finish(
    cloud,
    networkInterfaces.createOrUpdate(GROUP, "nic", { location: LOCATION, ipConfigurations }),
  );
  const machine = cloud.compute.virtualMachines.createOrUpdate(GROUP, "vm", {
    location: LOCATION,
    hardwareProfile: { vmSize: "Standard_D2s_v3" },
    osProfile: { computerName: "vm", adminUsername: "capi" },
    storageProfile: { imageReference: { id: DEFINITION } },
    networkProfile: { networkInterfaces: [{ id: NIC }] },
  });
  await expect(finish(cloud, machine)).rejects.toMatchObject(refusal);
});

test("names, sources and definitions that Azure refuses are refused", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 1);
  await takeSnapshot(cloud, "0");
  const { galleries, galleryImages, snapshots } = cloud.compute;
  await expect(
    finish(cloud, galleries.createOrUpdate(GROUP, "with-dash", { location: LOCATION })),
  ).rejects.toThrow("underscores");
  await makeGallery(cloud);
  await expect(publish(cloud, "1.0")).rejects.toThrow("Major.Minor.Patch");
  await expect(publish(cloud, "99999999999.0.0")).rejects.toThrow("Major.Minor.Patch");
  await expect(makeGallery(cloud, { osState: "Specialized" })).rejects.toThrow("osState");
  const twin = galleryImages.createOrUpdate(GROUP, "prototypes", "twin", {
    location: LOCATION,
    osType: "Linux",
    osState: "Generalized",
    identifier: { publisher: "capstan", offer: "prototypes", sku: "pool" },
  });
  await expect(finish(cloud, twin)).rejects.toThrow("unique");
  await expect(finish(cloud, galleries.delete(GROUP, "prototypes"))).rejects.toThrow("nested resources");
  const byUri = snapshots.createOrUpdate(GROUP, "bad", {
    location: LOCATION,
    creationData: { createOption: "Copy", sourceUri: "https://blob" },
  });
  await expect(finish(cloud, byUri)).rejects.toThrow("sourceResourceId");
});

test("an instance runs a managed command, and tells its result", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 1);
  const seen: string[] = [];
  cloud.azure.core.onCommand(({ machineId, script }) => {
    seen.push(`${machineId.split("/").at(-1)}: ${script}`);
    return { exitCode: 3, output: "out", error: "err" };
  });
  const { virtualMachineScaleSetVMRunCommands: commands } = cloud.compute;
  await finish(
    cloud,
    commands.createOrUpdate(GROUP, "pool", "0", "scrub", { location: LOCATION, source: { script: "true" } }),
  );
  expect(seen).toEqual(["0: true"]);
  const { instanceView } = await commands.get(GROUP, "pool", "0", "scrub", { expand: "instanceView" });
  expect(instanceView).toMatchObject({ executionState: "Failed", exitCode: 3, output: "out", error: "err" });
  await finish(cloud, cloud.compute.virtualMachineScaleSetVMs.powerOff(GROUP, "pool", "0"));
  const late = commands.createOrUpdate(GROUP, "pool", "0", "late", {
    location: LOCATION,
    source: { script: "true" },
  });
  await expect(finish(cloud, late)).rejects.toThrow("not running");
});
