import type { VirtualMachine } from "@azure/arm-compute";
import { type AzureSettings, DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import { expect, test } from "vitest";
import { all, type Cloud, finish, GROUP, LOCATION, startCloud, SUBNET_ID, withNetwork } from "./cloud.ts";

const SCOPE = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/${GROUP}/providers`;
const SET = { id: `${SCOPE}/Microsoft.Compute/availabilitySets/set` };

async function withMachine(
  cloud: Cloud,
  { name = "vm", change = {} }: { name?: string; change?: Partial<VirtualMachine> } = {},
): Promise<void> {
  const nic = `${SCOPE}/Microsoft.Network/networkInterfaces/${name}-nic`;
  await finish(
    cloud,
    cloud.network.networkInterfaces.createOrUpdate(GROUP, `${name}-nic`, {
      location: LOCATION,
      ipConfigurations: [{ name: "pipConfig", subnet: { id: SUBNET_ID } }],
    }),
  );
  const machine: VirtualMachine = {
    location: LOCATION,
    hardwareProfile: { vmSize: "Standard_D2s_v3" },
    osProfile: { computerName: name, adminUsername: "capi", customData: "c2VjcmV0" },
    storageProfile: {
      imageReference: {
        publisher: "Canonical",
        offer: "0001-com-ubuntu-server-jammy",
        sku: "22_04-lts-gen2",
        version: "latest",
      },
      osDisk: { name: `${name}_OSDisk`, osType: "Linux", createOption: "FromImage", diskSizeGB: 64 },
    },
    networkProfile: { networkInterfaces: [{ id: nic, primary: true }] },
    ...change,
  };
  await finish(cloud, cloud.compute.virtualMachines.createOrUpdate(GROUP, name, machine));
}

async function machineCloud(settings: Partial<AzureSettings> = {}): Promise<Cloud> {
  const cloud = startCloud({ settings });
  await withNetwork(cloud);
  return cloud;
}

const resize = (cloud: Cloud, vmSize: string, name = "vm") =>
  cloud.compute.virtualMachines.update(GROUP, name, { hardwareProfile: { vmSize } });

async function stateOf(cloud: Cloud): Promise<string> {
  const machine = await cloud.compute.virtualMachines.get(GROUP, "vm", { expand: "instanceView" });
  const codes = machine.instanceView?.statuses?.map(({ code }) => code).join(" ");
  return `${machine.hardwareProfile?.vmSize} ${codes}`;
}

const NO_ROOM: Partial<AzureSettings> = {
  capacities: [{ location: LOCATION, size: "Standard_D4s_v3", instances: 0 }],
};

test("a running machine lists the sizes of its hardware, a deallocated one all of the region", async () => {
  const cloud = await machineCloud();
  await withMachine(cloud);
  const names = async (): Promise<readonly (string | undefined)[]> =>
    (await all(cloud.compute.virtualMachines.listAvailableSizes(GROUP, "vm"))).map(({ name }) => name);
  expect(await names()).toEqual(["Standard_D2s_v3", "Standard_D4s_v3", "Standard_D8s_v3"]);
  await finish(cloud, cloud.compute.virtualMachines.deallocate(GROUP, "vm"));
  expect(await names()).toContain("Standard_D4ds_v5");
});

test("a size of other hardware needs a deallocated machine", async () => {
  const cloud = await machineCloud();
  await withMachine(cloud);
  await expect(resize(cloud, "Standard_D4ds_v5").submitted()).rejects.toMatchObject({
    code: "OperationNotAllowed",
    message: expect.stringContaining("is not available in the current hardware cluster") as string,
  });
  await finish(cloud, cloud.compute.virtualMachines.deallocate(GROUP, "vm"));
  await finish(cloud, resize(cloud, "Standard_D4ds_v5"));
  expect(await stateOf(cloud)).toBe("Standard_D4ds_v5 ProvisioningState/succeeded PowerState/deallocated");
  await finish(cloud, cloud.compute.virtualMachines.start(GROUP, "vm"));
  expect(await stateOf(cloud)).toBe("Standard_D4ds_v5 ProvisioningState/succeeded PowerState/running");
});

const REFUSED = {
  "a temporary disk that the other size does not have": ["Standard_D4s_v5", "OperationNotAllowed"],
  "disks by NVMe alone": ["Standard_D2s_v6", "InvalidParameter"],
  "another architecture": ["Standard_D2ps_v5", "InvalidParameter"],
} as const;

test.each(Object.entries(REFUSED))(
  "a deallocated machine does not change for %s",
  async (_name, [size, code]) => {
    const cloud = await machineCloud();
    await withMachine(cloud);
    await finish(cloud, cloud.compute.virtualMachines.deallocate(GROUP, "vm"));
    await expect(resize(cloud, size).submitted()).rejects.toMatchObject({ code });
    expect(await stateOf(cloud)).toBe("Standard_D2s_v3 ProvisioningState/succeeded PowerState/deallocated");
  },
);

test("a size of another hypervisor generation does not boot the image", async () => {
  const sizes = [
    { name: "Standard_Old", family: "f", cores: 2, memoryGB: 8 },
    { name: "Standard_New", family: "f", cores: 2, memoryGB: 8, generations: ["V1"] as const },
  ];
  const cloud = await machineCloud({ sizes });
  await withMachine(cloud, { change: { hardwareProfile: { vmSize: "Standard_Old" } } });
  await expect(resize(cloud, "Standard_New").submitted()).rejects.toMatchObject({
    code: "BadRequest",
    message: expect.stringContaining("cannot boot Hypervisor Generation '2'") as string,
  });
});

test("a machine of an availability set stays on the hardware of the others", async () => {
  const cloud = await machineCloud();
  for (const name of ["vm", "other"]) await withMachine(cloud, { name, change: { availabilitySet: SET } });
  await finish(cloud, cloud.compute.virtualMachines.deallocate(GROUP, "vm"));
  await expect(resize(cloud, "Standard_D4ds_v5").submitted()).rejects.toMatchObject({
    code: "OperationNotAllowed",
  });
  await finish(cloud, cloud.compute.virtualMachines.deallocate(GROUP, "other"));
  await finish(cloud, resize(cloud, "Standard_D4ds_v5"));
});

test("a running machine for whose other size there is no room runs on in its size", async () => {
  const cloud = await machineCloud(NO_ROOM);
  await withMachine(cloud);
  await expect(finish(cloud, resize(cloud, "Standard_D4s_v3"))).rejects.toThrow("AllocationFailed");
  expect(await stateOf(cloud)).toBe(
    "Standard_D2s_v3 ProvisioningState/failed/AllocationFailed PowerState/running",
  );
});

test("a deallocated machine gives up its place, and its start fails without room", async () => {
  const cloud = await machineCloud(NO_ROOM);
  await withMachine(cloud);
  await finish(cloud, cloud.compute.virtualMachines.deallocate(GROUP, "vm"));
  await finish(cloud, resize(cloud, "Standard_D4s_v3"));
  await expect(finish(cloud, cloud.compute.virtualMachines.start(GROUP, "vm"))).rejects.toThrow(
    "AllocationFailed",
  );
  expect(await stateOf(cloud)).toBe(
    "Standard_D4s_v3 ProvisioningState/failed/AllocationFailed PowerState/deallocated",
  );
  await finish(cloud, resize(cloud, "Standard_D2s_v3"));
  await finish(cloud, cloud.compute.virtualMachines.start(GROUP, "vm"));
  expect(await stateOf(cloud)).toBe("Standard_D2s_v3 ProvisioningState/succeeded PowerState/running");
});

test("a quota counts only what the other size needs more", async () => {
  const quota = (limit: number) => ({ quotas: [{ location: LOCATION, family: "cores", limit }] });
  const cloud = await machineCloud(quota(4));
  await withMachine(cloud);
  await finish(cloud, resize(cloud, "Standard_D4s_v3"));
  await expect(resize(cloud, "Standard_D8s_v3").submitted()).rejects.toMatchObject({
    code: "OperationNotAllowed",
    message: expect.stringContaining("exceeding approved") as string,
  });
  expect(cloud.azure.core.world.usage.used(DEFAULT_SUBSCRIPTION, LOCATION, "cores")).toBe(4);
});

test("a machine with an ephemeral OS disk cannot be deallocated", async () => {
  const cloud = await machineCloud();
  const osDisk = { createOption: "FromImage", diffDiskSettings: { option: "Local" } } as const;
  const imageReference = {
    publisher: "Canonical",
    offer: "0001-com-ubuntu-server-jammy",
    sku: "22_04-lts-gen2",
    version: "latest",
  };
  await withMachine(cloud, { change: { storageProfile: { imageReference, osDisk } } });
  await expect(cloud.compute.virtualMachines.deallocate(GROUP, "vm").submitted()).rejects.toMatchObject({
    code: "OperationNotAllowed",
  });
});

test("tags in a PATCH replace all tags", async () => {
  const cloud = await machineCloud();
  await withMachine(cloud, { change: { tags: { a: "1", b: "2" } } });
  await finish(cloud, cloud.compute.virtualMachines.update(GROUP, "vm", { tags: { b: "3" } }));
  expect((await cloud.compute.virtualMachines.get(GROUP, "vm")).tags).toEqual({ b: "3" });
});
