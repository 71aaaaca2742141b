import type { VirtualMachineScaleSetVM } from "@azure/arm-compute";
import { expect, test } from "vitest";
import { all, type Cloud, finish, GROUP, scaleSet, startCloud, withNetwork, withScaleSet } from "./cloud.ts";

function instancesOf(cloud: Cloud, name = "pool"): Promise<VirtualMachineScaleSetVM[]> {
  return all(cloud.compute.virtualMachineScaleSetVMs.list(GROUP, name, { expand: "instanceView" }));
}

function idsOf(instances: readonly VirtualMachineScaleSetVM[]): (string | undefined)[] {
  return instances.map(({ instanceId }) => instanceId);
}

test("createOrUpdate makes a set in a long-running operation, and hides what is secret", async () => {
  const cloud = startCloud();
  await withNetwork(cloud);
  const poller = cloud.compute.virtualMachineScaleSets.createOrUpdate(GROUP, "pool", scaleSet(3));
  await poller.submitted();
  const early = await instancesOf(cloud);
  expect(early.map(({ provisioningState }) => provisioningState)).toEqual([
    "Creating",
    "Creating",
    "Creating",
  ]);

  const set = await finish(cloud, poller);

  expect(set).toMatchObject({
    name: "pool",
    provisioningState: "Succeeded",
    sku: { capacity: 3 },
    etag: '"1"',
  });
  expect(set.virtualMachineProfile).toMatchObject({ osProfile: { adminUsername: "capi" } });
  expect(JSON.stringify(set)).not.toContain("c2VjcmV0");
});

test("instances are listed with their names, states and the exact version of their image", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 2);
  const [first, second] = await instancesOf(cloud);
  expect(first).toMatchObject({
    instanceId: "0",
    name: "pool_0",
    latestModelApplied: true,
    provisioningState: "Succeeded",
    osProfile: { computerName: "pool000000" },
    storageProfile: { imageReference: { exactVersion: "22.04.202511010" } },
    instanceView: { statuses: [{ code: "ProvisioningState/succeeded" }, { code: "PowerState/running" }] },
  });
  expect(second?.vmId).toMatch(/^[0-9a-f-]{36}$/);
  expect(second?.vmId).not.toBe(first?.vmId);
});

test("a set in a zone that its size does not have, or with ultra disks outside zones, is refused", async () => {
  const cloud = startCloud();
  await withNetwork(cloud);
  const refused = (change: object) =>
    cloud.compute.virtualMachineScaleSets.createOrUpdate(GROUP, "pool", scaleSet(1, change)).submitted();
  await expect(refused({ zones: ["1", "9"] })).rejects.toMatchObject({ code: "InvalidAvailabilityZone" });
  await expect(refused({ additionalCapabilities: { ultraSSDEnabled: true } })).rejects.toMatchObject({
    code: "InvalidParameter",
  });
});

test("a set grows, shrinks from its newest end, and never uses an instance id again", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 2);
  await finish(cloud, cloud.compute.virtualMachineScaleSets.createOrUpdate(GROUP, "pool", scaleSet(4)));
  expect(idsOf(await instancesOf(cloud))).toEqual(["0", "1", "2", "3"]);
  await finish(cloud, cloud.compute.virtualMachineScaleSets.update(GROUP, "pool", { sku: { capacity: 1 } }));
  expect(idsOf(await instancesOf(cloud))).toEqual(["0"]);
  await finish(cloud, cloud.compute.virtualMachineScaleSets.update(GROUP, "pool", { sku: { capacity: 2 } }));
  expect(idsOf(await instancesOf(cloud))).toEqual(["0", "4"]);
});

test("a changed model leaves instances as they are until they are upgraded by hand", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 3);
  const changed = scaleSet(3, { sku: { name: "Standard_D4s_v3", capacity: 3 } });
  await finish(cloud, cloud.compute.virtualMachineScaleSets.createOrUpdate(GROUP, "pool", changed));
  expect((await instancesOf(cloud)).map((one) => one.latestModelApplied)).toEqual([false, false, false]);

  const upgrade = cloud.compute.virtualMachineScaleSets.updateInstances(GROUP, "pool", {
    instanceIds: ["0", "2"],
  });
  await upgrade.submitted();
  expect((await instancesOf(cloud)).map((one) => one.provisioningState)).toEqual([
    "Updating",
    "Succeeded",
    "Updating",
  ]);
  await finish(cloud, upgrade);

  const after = await instancesOf(cloud);
  expect(after.map((one) => [one.latestModelApplied, one.sku?.name])).toEqual([
    [true, "Standard_D4s_v3"],
    [false, "Standard_D2s_v3"],
    [true, "Standard_D4s_v3"],
  ]);
});

test("with an automatic upgrade policy a changed model reaches all instances", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 2, { upgradePolicy: { mode: "Automatic" } });
  const sku = { name: "Standard_D4s_v3", capacity: 2 };
  await finish(
    cloud,
    cloud.compute.virtualMachineScaleSets.createOrUpdate(
      GROUP,
      "pool",
      scaleSet(2, { sku, upgradePolicy: { mode: "Automatic" } }),
    ),
  );
  expect((await instancesOf(cloud)).map((one) => one.latestModelApplied)).toEqual([true, true]);
});

test("the same PUT again changes nothing and ends within a second", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 2);
  const before = await instancesOf(cloud);
  const poller = cloud.compute.virtualMachineScaleSets.createOrUpdate(GROUP, "pool", scaleSet(2));
  await poller.submitted();
  await cloud.scheduler.advance(2000);
  await poller.poll();
  expect(poller.isDone).toBe(true);
  expect(await instancesOf(cloud)).toEqual(before);
});

test("a newer PUT preempts the one under way", async () => {
  const cloud = startCloud();
  await withNetwork(cloud);
  const older = cloud.compute.virtualMachineScaleSets.createOrUpdate(GROUP, "pool", scaleSet(2));
  await older.submitted();
  const newer = cloud.compute.virtualMachineScaleSets.createOrUpdate(GROUP, "pool", scaleSet(3));
  await newer.submitted();
  await expect(older.poll()).rejects.toThrow("canceled");
  expect((await finish(cloud, newer)).sku?.capacity).toBe(3);
  // The newer one answers for what the older one had begun.
  expect((await instancesOf(cloud)).map((one) => one.provisioningState)).toEqual([
    "Succeeded",
    "Succeeded",
    "Succeeded",
  ]);
});

test("overprovisioned instances are seen for a while and then go", async () => {
  const cloud = startCloud();
  await withNetwork(cloud);
  const set = scaleSet(5, { overprovision: true });
  const poller = cloud.compute.virtualMachineScaleSets.createOrUpdate(GROUP, "pool", set);
  await poller.submitted();
  expect((await instancesOf(cloud)).length).toBe(8);
  await finish(cloud, poller);
  await cloud.scheduler.advance(3_600_000);
  expect((await instancesOf(cloud)).length).toBe(5);
});

test("get, listAll and list show the set; its instance view counts states", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 2);
  const sets = cloud.compute.virtualMachineScaleSets;
  expect((await sets.get(GROUP, "POOL")).name).toBe("pool");
  expect((await all(sets.list(GROUP))).map(({ name }) => name)).toEqual(["pool"]);
  expect((await all(sets.listAll())).map(({ name }) => name)).toEqual(["pool"]);
  expect((await all(sets.listByLocation("westus"))).map(({ name }) => name)).toEqual(["pool"]);
  expect(await all(sets.listByLocation("eastus"))).toEqual([]);
  expect((await sets.getInstanceView(GROUP, "pool")).virtualMachine?.statusesSummary).toEqual([
    { code: "ProvisioningState/succeeded", count: 2 },
  ]);
});

test("delete takes the instances and then the set; deleting what is not there is fine", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 2);
  const poller = cloud.compute.virtualMachineScaleSets.delete(GROUP, "pool");
  await poller.submitted();
  expect((await cloud.compute.virtualMachineScaleSets.get(GROUP, "pool")).provisioningState).toBe("Deleting");
  await finish(cloud, poller);
  await expect(cloud.compute.virtualMachineScaleSets.get(GROUP, "pool")).rejects.toMatchObject({
    statusCode: 404,
    code: "ResourceNotFound",
  });
  await finish(cloud, cloud.compute.virtualMachineScaleSets.delete(GROUP, "pool"));
});

test("a stale etag is refused, and so is creating what exists", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 1);
  const sets = cloud.compute.virtualMachineScaleSets;
  const put = (options: { ifMatch?: string; ifNoneMatch?: string }): Promise<unknown> =>
    sets.createOrUpdate(GROUP, "pool", scaleSet(1), options).submitted();
  await expect(put({ ifMatch: '"7"' })).rejects.toMatchObject({
    statusCode: 412,
    code: "PreconditionFailed",
  });
  await expect(put({ ifNoneMatch: "*" })).rejects.toMatchObject({
    statusCode: 412,
    code: "PreconditionFailed",
  });
  await finish(cloud, sets.createOrUpdate(GROUP, "pool", scaleSet(1), { ifMatch: '"1"' }));
  expect((await sets.get(GROUP, "pool")).etag).toBe('"2"');
});

test("at most ten models are in use by the instances of one set", async () => {
  const cloud = startCloud({ settings: { isThrottled: false } });
  await withScaleSet(cloud, 12);
  const sets = cloud.compute.virtualMachineScaleSets;
  const next = (model: number): ReturnType<typeof sets.createOrUpdate> => {
    const { virtualMachineProfile: profile, ...rest } = scaleSet(12);
    return sets.createOrUpdate(GROUP, "pool", {
      ...rest,
      virtualMachineProfile: { ...profile, userData: String(model) },
    });
  };
  for (let model = 1; model < 10; model++) {
    await finish(cloud, next(model));
    await finish(cloud, sets.updateInstances(GROUP, "pool", { instanceIds: [String(model)] }));
  }
  await expect(next(10).submitted()).rejects.toMatchObject({ statusCode: 409, code: "OperationNotAllowed" });
  await finish(cloud, sets.updateInstances(GROUP, "pool", { instanceIds: ["*"] }));
  await finish(cloud, next(10));
});

test("a list of many instances comes in pages, each with a link to the next", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 250, { singlePlacementGroup: false });
  expect((await instancesOf(cloud)).length).toBe(250);
  const pages = cloud.azure.control
    .journal()
    .filter(({ operation }) => operation === "LIST virtualMachineScaleSets/virtualMachines");
  expect(pages.map(({ charge }) => charge)).toEqual([100, 100, 50]);
});

test("network interfaces of instances have addresses of their subnet, one each", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 3);
  const { networkInterfaces } = cloud.network;
  const every = await all(networkInterfaces.listVirtualMachineScaleSetNetworkInterfaces(GROUP, "pool"));
  const addresses = every.map((one) => one.ipConfigurations?.[0]?.privateIPAddress);
  expect(addresses).toEqual(["10.1.0.4", "10.1.0.5", "10.1.0.6"]);
  const one = await all(networkInterfaces.listVirtualMachineScaleSetVMNetworkInterfaces(GROUP, "pool", "1"));
  expect(one.map(({ name, virtualMachine }) => [name, virtualMachine?.id?.split("/").at(-1)])).toEqual([
    ["pool-nic-0", "1"],
  ]);
});
