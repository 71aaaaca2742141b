import { DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import { expect, test } from "vitest";
import { type Cloud, finish, GROUP, LOCATION, startCloud, SUBNET_ID, withScaleSet } from "./cloud.ts";

const IN_GROUP = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/${GROUP}/providers`;
const DISK = `${IN_GROUP}/Microsoft.Compute/disks/copy`;
const HELPER = `${IN_GROUP}/Microsoft.Compute/virtualMachines/helper`;
const INSTANCE = `${IN_GROUP}/Microsoft.Compute/virtualMachineScaleSets/pool/virtualMachines/0`;
const NIC = `${IN_GROUP}/Microsoft.Network/networkInterfaces/nic`;

async function snapshot(cloud: Cloud, name: string, sourceResourceId: string): Promise<void> {
  const creationData = { createOption: "Copy", sourceResourceId };
  await finish(
    cloud,
    cloud.compute.snapshots.createOrUpdate(GROUP, name, { location: LOCATION, creationData }),
  );
}

async function copy(cloud: Cloud, source = "donor", name = "copy"): Promise<void> {
  const creationData = {
    createOption: "Copy",
    sourceResourceId: `${IN_GROUP}/Microsoft.Compute/snapshots/${source}`,
  };
  await finish(cloud, cloud.compute.disks.createOrUpdate(GROUP, name, { location: LOCATION, creationData }));
}

/** A cloud with a copy of the disk of a machine that has the file /etc/donor. */
async function withCopy(): Promise<Cloud> {
  const cloud = startCloud();
  await withScaleSet(cloud, 1);
  cloud.azure.core.disk(INSTANCE)?.write("/etc/donor", "secret");
  const { storageProfile } = await cloud.compute.virtualMachineScaleSetVMs.get(GROUP, "pool", "0");
  await snapshot(cloud, "donor", storageProfile?.osDisk?.managedDisk?.id ?? "");
  await copy(cloud);
  const ipConfigurations = [{ name: "ip", subnet: { id: SUBNET_ID } }];
  await finish(
    cloud,
    cloud.network.networkInterfaces.createOrUpdate(GROUP, "nic", { location: LOCATION, ipConfigurations }),
  );
  return cloud;
}

async function boot(
  cloud: Cloud,
  { name = "helper", more = {}, deleteOption = "Detach" } = {},
): Promise<void> {
  const osDisk = {
    osType: "Linux" as const,
    createOption: "Attach",
    managedDisk: { id: DISK },
    deleteOption,
  };
  const dataDisks = [
    { lun: 63, name: "marker", createOption: "Empty", diskSizeGB: 1, deleteOption: "Delete" },
  ];
  await finish(
    cloud,
    cloud.compute.virtualMachines.createOrUpdate(GROUP, name, {
      location: LOCATION,
      hardwareProfile: { vmSize: "Standard_D2s_v3" },
      storageProfile: { osDisk, dataDisks },
      networkProfile: { networkInterfaces: [{ id: NIC }] },
      ...more,
    }),
  );
}

test("a machine boots from a copy of a snapshot, and what it writes is on the disk", async () => {
  const cloud = await withCopy();
  await boot(cloud);
  const disk = cloud.azure.core.disk(HELPER);
  expect(disk?.read("/etc/donor")).toBe("secret");
  expect(cloud.azure.core.machine(HELPER)?.luns).toEqual([63]);
  disk?.remove("/etc/donor");
  cloud.azure.core.powerOffFromInside(HELPER.toLowerCase());
  const { statuses = [] } = await cloud.compute.virtualMachines.instanceView(GROUP, "helper");
  expect(statuses.map(({ code }) => code)).toEqual(["ProvisioningState/succeeded", "PowerState/stopped"]);
  await snapshot(cloud, "attached", DISK);
  await finish(cloud, cloud.compute.virtualMachines.delete(GROUP, "helper"));
  expect(await cloud.compute.disks.get(GROUP, "copy")).toMatchObject({ diskState: "Unattached" });
  // The donor, the snapshot of it and the copy are three disks.
  expect(cloud.azure.core.disk(INSTANCE)?.read("/etc/donor")).toBe("secret");
  await snapshot(cloud, "detached", DISK);
  for (const source of ["attached", "detached"]) {
    const key = `${IN_GROUP}/Microsoft.Compute/snapshots/${source}`.toLowerCase();
    expect(cloud.azure.core.world.disks.table.get(key)?.files["/etc/donor"]).toBeNull();
  }
});

test("the disk goes with its machine if its deleteOption says so", async () => {
  const cloud = await withCopy();
  await boot(cloud, { deleteOption: "Delete" });
  await finish(cloud, cloud.compute.virtualMachines.delete(GROUP, "helper"));
  await expect(cloud.compute.disks.get(GROUP, "copy")).rejects.toMatchObject({ statusCode: 404 });
  expect(cloud.azure.core.world.disks.imageOf(DISK.toLowerCase())).toBeUndefined();
});

test("disks and attachments that Azure refuses are refused", async () => {
  const cloud = await withCopy();
  await expect(copy(cloud, "missing", "another")).rejects.toMatchObject({ code: "ResourceNotFound" });
  const empty = cloud.compute.disks.createOrUpdate(GROUP, "empty", {
    location: LOCATION,
    creationData: { createOption: "Empty" },
  });
  await expect(finish(cloud, empty)).rejects.toThrow("is not simulated; use 'Copy' and the id of a snapshot");
  const osProfile = { computerName: "a", adminUsername: "capi" };
  await expect(boot(cloud, { more: { osProfile } })).rejects.toThrow("Parameter 'osProfile' is not allowed.");
  await boot(cloud);
  await expect(boot(cloud, { name: "second" })).rejects.toMatchObject({
    code: "AttachDiskWhileBeingDetached",
  });
  await expect(finish(cloud, cloud.compute.disks.delete(GROUP, "copy"))).rejects.toThrow("is attached to VM");
});
