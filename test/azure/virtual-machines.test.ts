import type { NetworkInterface } from "@azure/arm-network";
import type { VirtualMachine } from "@azure/arm-compute";
import { DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import { expect, test } from "vitest";
import { all, type Cloud, finish, GROUP, LOCATION, startCloud, SUBNET_ID, withNetwork } from "./cloud.ts";

const SCOPE = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/${GROUP}/providers`;
const NIC_ID = `${SCOPE}/Microsoft.Network/networkInterfaces/vm-nic`;
const VM_ID = `${SCOPE}/Microsoft.Compute/virtualMachines/vm`;

function machine(change: Partial<VirtualMachine> = {}): VirtualMachine {
  return {
    location: LOCATION,
    hardwareProfile: { vmSize: "Standard_D2s_v3" },
    osProfile: { computerName: "vm", adminUsername: "capi", customData: "c2VjcmV0" },
    storageProfile: {
      imageReference: {
        publisher: "Canonical",
        offer: "0001-com-ubuntu-server-jammy",
        sku: "22_04-lts-gen2",
        version: "latest",
      },
      osDisk: { name: "vm_OSDisk", osType: "Linux", createOption: "FromImage", diskSizeGB: 64 },
      dataDisks: [{ name: "vm_etcd", lun: 0, createOption: "Empty", diskSizeGB: 16 }],
    },
    networkProfile: { networkInterfaces: [{ id: NIC_ID, primary: true }] },
    ...change,
  };
}

async function withInterface(cloud: Cloud, name = "vm-nic"): Promise<NetworkInterface> {
  return await finish(
    cloud,
    cloud.network.networkInterfaces.createOrUpdate(GROUP, name, {
      location: LOCATION,
      ipConfigurations: [{ name: "pipConfig", subnet: { id: SUBNET_ID } }],
    }),
  );
}

async function withMachine(cloud: Cloud, change: Partial<VirtualMachine> = {}): Promise<VirtualMachine> {
  await withNetwork(cloud);
  await withInterface(cloud);
  return await finish(cloud, cloud.compute.virtualMachines.createOrUpdate(GROUP, "vm", machine(change)));
}

async function powerOf(cloud: Cloud): Promise<string | undefined> {
  const { statuses } = await cloud.compute.virtualMachines.instanceView(GROUP, "vm");
  return statuses?.map(({ code }) => code).join(" ");
}

function coresUsed(cloud: Cloud): number {
  return cloud.azure.core.world.usage.used(DEFAULT_SUBSCRIPTION, LOCATION, "cores");
}

test("a created machine runs, owns its disks and its network interface, and hides its custom data", async () => {
  const cloud = startCloud();
  const events: string[] = [];
  cloud.azure.core.onMachine(({ kind }) => events.push(kind));
  const made = await withMachine(cloud, { identity: { type: "SystemAssigned" }, zones: ["2"] });
  expect(made).toMatchObject({
    id: VM_ID,
    provisioningState: "Succeeded",
    zones: ["2"],
    identity: { principalId: expect.any(String) as string },
  });
  expect(made.osProfile?.customData).toBeUndefined();
  expect(await powerOf(cloud)).toBe("ProvisioningState/succeeded PowerState/running");
  expect(events).toEqual(["created", "booted"]);
  const nic = await cloud.network.networkInterfaces.get(GROUP, "vm-nic");
  expect(nic.virtualMachine?.id).toBe(VM_ID);
  const disks = await all(cloud.compute.disks.listByResourceGroup(GROUP));
  expect(
    disks.map(({ name, managedBy, diskSizeGB }) => `${name} ${managedBy === VM_ID} ${diskSizeGB}`),
  ).toEqual(["vm_OSDisk true 64", "vm_etcd true 16"]);
  const inside = cloud.azure.core.machine(VM_ID);
  expect(inside).toMatchObject({ computerName: "vm", customData: "c2VjcmV0", zone: "2" });
  expect(inside?.privateAddresses).toEqual([nic.ipConfigurations?.[0]?.privateIPAddress]);
});

test("a deleted machine leaves its interface and disks behind, unless their deleteOption says Delete", async () => {
  const cloud = startCloud();
  const { storageProfile = {} } = machine();
  await withMachine(cloud, {
    storageProfile: {
      ...storageProfile,
      osDisk: { ...storageProfile.osDisk, createOption: "FromImage", deleteOption: "Delete" },
    },
  });
  await expect(cloud.compute.disks.delete(GROUP, "vm_etcd").submitted()).rejects.toMatchObject({
    code: "OperationNotAllowed",
  });
  await expect(cloud.network.networkInterfaces.delete(GROUP, "vm-nic").submitted()).rejects.toMatchObject({
    code: "NicInUse",
  });
  await finish(cloud, cloud.compute.virtualMachines.delete(GROUP, "vm", { forceDeletion: true }));
  await expect(cloud.compute.virtualMachines.get(GROUP, "vm")).rejects.toMatchObject({
    code: "ResourceNotFound",
  });
  const disks = await all(cloud.compute.disks.listByResourceGroup(GROUP));
  expect(disks.map(({ name, diskState }) => `${name} ${diskState}`)).toEqual(["vm_etcd Unattached"]);
  await expect(
    cloud.compute.virtualMachines.createOrUpdate(GROUP, "vm", machine()).submitted(),
  ).rejects.toMatchObject({ code: "ConflictingUserInput" });
  await finish(cloud, cloud.compute.disks.delete(GROUP, "vm_etcd"));
  await finish(cloud, cloud.network.networkInterfaces.delete(GROUP, "vm-nic"));
  expect(await all(cloud.compute.disks.listByResourceGroup(GROUP))).toEqual([]);
  // Deleting what does not exist succeeds.
  await finish(cloud, cloud.compute.virtualMachines.delete(GROUP, "vm"));
});

type Machines = Cloud["compute"]["virtualMachines"];

const ACTIONS = {
  deallocate: ["deallocated", (one: Machines) => one.deallocate(GROUP, "vm")],
  powerOff: ["stopped", (one: Machines) => one.powerOff(GROUP, "vm", { skipShutdown: true })],
  start: ["running", (one: Machines) => one.start(GROUP, "vm")],
  restart: ["running", (one: Machines) => one.restart(GROUP, "vm")],
  redeploy: ["running", (one: Machines) => one.redeploy(GROUP, "vm")],
  reapply: ["running", (one: Machines) => one.reapply(GROUP, "vm")],
} as const;

test.each(Object.entries(ACTIONS))("%s changes what the machine does", async (_name, [after, act]) => {
  const cloud = startCloud();
  await withMachine(cloud);
  const poller = act(cloud.compute.virtualMachines);
  await poller.submitted();
  expect((await cloud.compute.virtualMachines.get(GROUP, "vm")).provisioningState).toBe("Updating");
  await expect(cloud.compute.virtualMachines.start(GROUP, "vm").submitted()).rejects.toMatchObject({
    code: "Conflict",
  });
  await finish(cloud, poller);
  expect(await powerOf(cloud)).toBe(`ProvisioningState/succeeded PowerState/${after}`);
});

test("a list of statuses has the power state of each machine and no model", async () => {
  const cloud = startCloud();
  await withMachine(cloud);
  const models = await all(cloud.compute.virtualMachines.list(GROUP));
  expect(models.map(({ name, instanceView }) => [name, instanceView])).toEqual([["vm", undefined]]);
  const statuses = await all(cloud.compute.virtualMachines.listAll({ statusOnly: "true" }));
  expect(statuses.map(({ id, instanceView }) => [id, instanceView?.statuses?.at(-1)?.code])).toEqual([
    [VM_ID, "PowerState/running"],
  ]);
  expect(statuses[0]?.storageProfile).toBeUndefined();
});

test("another size restarts the machine and moves its cores to the new size", async () => {
  const cloud = startCloud();
  await withMachine(cloud);
  const events: string[] = [];
  cloud.azure.core.onMachine(({ kind }) => events.push(kind));
  const resized = await finish(
    cloud,
    cloud.compute.virtualMachines.update(GROUP, "vm", { hardwareProfile: { vmSize: "Standard_D4s_v3" } }),
  );
  expect(resized.hardwareProfile?.vmSize).toBe("Standard_D4s_v3");
  expect(events).toEqual(["stopped", "started"]);
  expect(coresUsed(cloud)).toBe(4);
});

const REFUSED = {
  "a network interface that does not exist": [
    { networkProfile: { networkInterfaces: [{ id: `${NIC_ID}-other` }] } },
    "InvalidResourceReference",
  ],
  "a size that Azure does not have": [
    { hardwareProfile: { vmSize: "Standard_Nothing" } },
    "InvalidParameter",
  ],
  "a zone that the size does not have": [{ zones: ["9"] }, "InvalidAvailabilityZone"],
  "ultra disks outside zones": [{ additionalCapabilities: { ultraSSDEnabled: true } }, "InvalidParameter"],
  "ultra disks that the size does not take": [
    {
      zones: ["1"],
      hardwareProfile: { vmSize: "Standard_B2s" },
      additionalCapabilities: { ultraSSDEnabled: true },
    },
    "InvalidParameter",
  ],
  "a region that does not exist": [{ location: "atlantis" }, "LocationNotAvailableForResourceType"],
  "no network interface": [{ networkProfile: {} }, "InvalidParameter"],
  "no way to log in": [
    { osProfile: { computerName: "vm", linuxConfiguration: { disablePasswordAuthentication: true } } },
    "InvalidParameter",
  ],
} as const satisfies Record<string, readonly [Partial<VirtualMachine>, string]>;

test.each(Object.entries(REFUSED))(
  "a machine with %s is refused and leaves nothing",
  async (_name, given) => {
    const [change, code] = given;
    const cloud = startCloud();
    await withNetwork(cloud);
    await withInterface(cloud);
    await expect(
      cloud.compute.virtualMachines
        .createOrUpdate(GROUP, "vm", machine(change as Partial<VirtualMachine>))
        .submitted(),
    ).rejects.toMatchObject({ code });
    expect(await all(cloud.compute.virtualMachines.list(GROUP))).toEqual([]);
    expect(await all(cloud.compute.disks.listByResourceGroup(GROUP))).toEqual([]);
  },
);

test("a second machine cannot take the interface of the first", async () => {
  const cloud = startCloud();
  await withMachine(cloud);
  await expect(
    cloud.compute.virtualMachines
      .createOrUpdate(
        GROUP,
        "other",
        machine({
          storageProfile: {
            imageReference: machine().storageProfile?.imageReference ?? {},
          },
        }),
      )
      .submitted(),
  ).rejects.toMatchObject({ code: "NicInUse" });
});

test("a full region accepts the machine, and fails its operation", async () => {
  const cloud = startCloud({
    settings: { capacities: [{ location: LOCATION, size: "Standard_D2s_v3", instances: 0 }] },
  });
  await expect(withMachine(cloud)).rejects.toThrow("AllocationFailed");
  expect((await cloud.compute.virtualMachines.get(GROUP, "vm")).provisioningState).toBe("Failed");
  expect(await powerOf(cloud)).toBe("ProvisioningState/failed/AllocationFailed");
});

test("a machine beyond the quota is refused at once", async () => {
  const cloud = startCloud({
    settings: { quotas: [{ location: LOCATION, family: "standardDSv3Family", limit: 1 }] },
  });
  await expect(withMachine(cloud)).rejects.toMatchObject({ code: "OperationNotAllowed" });
});

test("changes that need another machine are refused", async () => {
  const cloud = startCloud();
  await withMachine(cloud);
  const changed = machine({ osProfile: { computerName: "another", adminUsername: "capi" } });
  await expect(
    cloud.compute.virtualMachines.createOrUpdate(GROUP, "vm", changed).submitted(),
  ).rejects.toMatchObject({ code: "PropertyChangeNotAllowed" });
});

test.each([
  ["Deallocate", "ProvisioningState/succeeded PowerState/deallocated"],
  ["Delete", "ResourceNotFound"],
])("an evicted spot machine with policy %s ends as %s", async (evictionPolicy, expected) => {
  const cloud = startCloud();
  await withMachine(cloud, { priority: "Spot", evictionPolicy });
  await cloud.compute.virtualMachines.simulateEviction(GROUP, "vm");
  await cloud.scheduler.advance(3_600_000);
  expect(await powerOf(cloud).catch((error: unknown) => (error as { code?: string }).code)).toBe(expected);
});

test("a deletion preempts the creation, and frees quota and name", async () => {
  const cloud = startCloud();
  await withNetwork(cloud);
  await withInterface(cloud);
  const creation = cloud.compute.virtualMachines.createOrUpdate(GROUP, "vm", machine());
  await creation.submitted();
  await finish(cloud, cloud.compute.virtualMachines.delete(GROUP, "vm"));
  await expect(finish(cloud, creation)).rejects.toThrow();
  expect([...cloud.azure.core.world.machines.records()]).toEqual([]);
  expect(coresUsed(cloud)).toBe(0);
});

test("a deleted resource group takes its machines with it", async () => {
  const cloud = startCloud();
  await withMachine(cloud);
  const events: string[] = [];
  cloud.azure.core.onMachine(({ kind }) => events.push(kind));
  await finish(cloud, cloud.resources.resourceGroups.delete(GROUP));
  expect(events).toEqual(["deleted"]);
  expect([...cloud.azure.core.world.machines.records()]).toEqual([]);
});
