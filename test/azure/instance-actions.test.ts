import { DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import { expect, test } from "vitest";
import { all, type Cloud, finish, GROUP, scaleSet, startCloud, withScaleSet } from "./cloud.ts";

const SET = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/${GROUP}/providers/Microsoft.Compute/virtualMachineScaleSets/pool`;

async function statesOf(cloud: Cloud): Promise<string[]> {
  const instances = await all(
    cloud.compute.virtualMachineScaleSetVMs.list(GROUP, "pool", { expand: "instanceView" }),
  );
  return instances.map(
    ({ instanceId, provisioningState, instanceView }) =>
      `${instanceId} ${provisioningState} ${instanceView?.statuses?.at(-1)?.code}`,
  );
}

type Sets = Cloud["compute"]["virtualMachineScaleSets"];
type Instances = Cloud["compute"]["virtualMachineScaleSetVMs"];

const ON_SETS = {
  deallocate: [
    "deallocating",
    "deallocated",
    (sets: Sets) => sets.deallocate(GROUP, "pool", { vmInstanceIDs: { instanceIds: ["1"] } }),
  ],
  powerOff: [
    "stopping",
    "stopped",
    (sets: Sets) => sets.powerOff(GROUP, "pool", { vmInstanceIDs: { instanceIds: ["1"] } }),
  ],
  start: [
    "starting",
    "running",
    (sets: Sets) => sets.start(GROUP, "pool", { vmInstanceIDs: { instanceIds: ["1"] } }),
  ],
  restart: [
    "starting",
    "running",
    (sets: Sets) => sets.restart(GROUP, "pool", { vmInstanceIDs: { instanceIds: ["1"] } }),
  ],
  redeploy: [
    "starting",
    "running",
    (sets: Sets) => sets.redeploy(GROUP, "pool", { vmInstanceIDs: { instanceIds: ["1"] } }),
  ],
  reimage: [
    "running",
    "running",
    (sets: Sets) => sets.reimage(GROUP, "pool", { vmScaleSetReimageInput: { instanceIds: ["1"] } }),
  ],
  reimageAll: [
    "running",
    "running",
    (sets: Sets) => sets.reimageAll(GROUP, "pool", { vmInstanceIDs: { instanceIds: ["1"] } }),
  ],
} as const;

test.each(Object.entries(ON_SETS))(
  "%s of a set works on the instances it names",
  async (_name, [during, after, act]) => {
    const cloud = startCloud();
    await withScaleSet(cloud, 2);
    const poller = act(cloud.compute.virtualMachineScaleSets);
    await poller.submitted();
    expect(await statesOf(cloud)).toEqual([
      "0 Succeeded PowerState/running",
      `1 Updating PowerState/${during}`,
    ]);
    await finish(cloud, poller);
    expect(await statesOf(cloud)).toEqual([
      "0 Succeeded PowerState/running",
      `1 Succeeded PowerState/${after}`,
    ]);
  },
);

const ON_INSTANCES = {
  deallocate: ["deallocated", (one: Instances) => one.deallocate(GROUP, "pool", "1")],
  powerOff: ["stopped", (one: Instances) => one.powerOff(GROUP, "pool", "1")],
  start: ["running", (one: Instances) => one.start(GROUP, "pool", "1")],
  restart: ["running", (one: Instances) => one.restart(GROUP, "pool", "1")],
  redeploy: ["running", (one: Instances) => one.redeploy(GROUP, "pool", "1")],
  reimage: ["running", (one: Instances) => one.reimage(GROUP, "pool", "1")],
  reimageAll: ["running", (one: Instances) => one.reimageAll(GROUP, "pool", "1")],
} as const;

test.each(Object.entries(ON_INSTANCES))(
  "%s of one instance leaves the others alone",
  async (_name, [after, act]) => {
    const cloud = startCloud();
    await withScaleSet(cloud, 2);
    await finish(cloud, act(cloud.compute.virtualMachineScaleSetVMs));
    expect(await statesOf(cloud)).toEqual([
      "0 Succeeded PowerState/running",
      `1 Succeeded PowerState/${after}`,
    ]);
  },
);

test("one instance is read by get and getInstanceView, and deleted by delete", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 2);
  const instances = cloud.compute.virtualMachineScaleSetVMs;
  expect((await instances.get(GROUP, "pool", "1")).name).toBe("pool_1");
  expect((await instances.getInstanceView(GROUP, "pool", "1")).vmAgent?.statuses?.[0]?.displayStatus).toBe(
    "Ready",
  );
  await finish(cloud, instances.delete(GROUP, "pool", "1"));
  await expect(instances.get(GROUP, "pool", "1")).rejects.toMatchObject({
    statusCode: 404,
    code: "NotFound",
  });
  expect((await cloud.compute.virtualMachineScaleSets.get(GROUP, "pool")).sku?.capacity).toBe(1);
});

test("update of an instance protects it from scale-in", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 2);
  const instances = cloud.compute.virtualMachineScaleSetVMs;
  const protectionPolicy = { protectFromScaleIn: true };
  await finish(cloud, instances.update(GROUP, "pool", "1", { location: "westus", protectionPolicy }));
  expect((await instances.get(GROUP, "pool", "1")).protectionPolicy).toEqual(protectionPolicy);
  await finish(cloud, cloud.compute.virtualMachineScaleSets.update(GROUP, "pool", { sku: { capacity: 1 } }));
  expect(await statesOf(cloud)).toEqual(["1 Succeeded PowerState/running"]);
});

test("deleteInstances lowers the capacity, and a PUT with the old one makes new instances", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 3);
  const sets = cloud.compute.virtualMachineScaleSets;
  await finish(cloud, sets.deleteInstances(GROUP, "pool", { instanceIds: ["0", "2"] }));
  expect((await sets.get(GROUP, "pool")).sku?.capacity).toBe(1);
  await finish(cloud, sets.createOrUpdate(GROUP, "pool", scaleSet(3)));
  expect((await statesOf(cloud)).map((state) => state.split(" ")[0])).toEqual(["1", "3", "4"]);
});

test("actions on different instances overlap, and one on a busy instance is refused", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 2);
  const instances = cloud.compute.virtualMachineScaleSetVMs;
  const first = instances.reimage(GROUP, "pool", "0");
  const second = instances.reimage(GROUP, "pool", "1");
  await first.submitted();
  await second.submitted();
  await expect(instances.restart(GROUP, "pool", "1").submitted()).rejects.toMatchObject({
    statusCode: 409,
    code: "Conflict",
  });
  await finish(cloud, first);
  await finish(cloud, second);
});

test("a spot instance that is evicted is deallocated, or gone if the policy says so", async () => {
  for (const [evictionPolicy, left] of [
    ["Deallocate", ["0 Succeeded PowerState/deallocated"]],
    ["Delete", []],
  ] as const) {
    const cloud = startCloud();
    const profile = scaleSet(1).virtualMachineProfile;
    await withScaleSet(cloud, 1, { virtualMachineProfile: { ...profile, priority: "Spot", evictionPolicy } });
    await cloud.compute.virtualMachineScaleSetVMs.simulateEviction(GROUP, "pool", "0");
    await cloud.scheduler.advance(3_600_000);
    expect(await statesOf(cloud)).toEqual(left);
  }
});

test("an instance that is not a spot instance cannot be evicted", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 1);
  await expect(
    cloud.compute.virtualMachineScaleSetVMs.simulateEviction(GROUP, "pool", "0"),
  ).rejects.toMatchObject({
    statusCode: 409,
    code: "OperationNotAllowed",
  });
});

test("listeners hear what a guest would notice, in order", async () => {
  const cloud = startCloud();
  const heard: string[] = [];
  cloud.azure.core.onMachine(({ kind, machineId }) => heard.push(`${machineId} ${kind}`));
  await withScaleSet(cloud, 1);
  const sets = cloud.compute.virtualMachineScaleSets;
  await finish(cloud, sets.reimage(GROUP, "pool"));
  await finish(cloud, sets.restart(GROUP, "pool"));
  await finish(cloud, sets.powerOff(GROUP, "pool"));
  await finish(cloud, sets.start(GROUP, "pool"));
  await finish(cloud, sets.updateInstances(GROUP, "pool", { instanceIds: ["0"] }));
  await finish(cloud, sets.delete(GROUP, "pool"));
  expect(heard).toEqual(
    [
      "created",
      "booted",
      "reimaged",
      "stopped",
      "started",
      "stopped",
      "started",
      "modelApplied",
      "deleted",
    ].map((kind) => `${SET.toLowerCase()}/virtualmachines/0 ${kind}`),
  );
});

test("a guest finds its custom data and its image's files, and a re-image takes away what it wrote", async () => {
  const cloud = startCloud();
  const communityGalleryImageId =
    "/CommunityGalleries/ClusterAPI-f72ceb4f-5159-4c26-a0fe-2ea738f0d019/Images/capi-ubun2-2404/Versions/1.33.5";
  const profile = scaleSet(1).virtualMachineProfile;
  const storageProfile = { imageReference: { communityGalleryImageId } };
  await withScaleSet(cloud, 1, { virtualMachineProfile: { ...profile, storageProfile } });
  const { id = "" } = await cloud.compute.virtualMachineScaleSetVMs.get(GROUP, "pool", "0");
  const { core } = cloud.azure;
  expect(core.machine(id)).toMatchObject({
    computerName: "pool000000",
    customData: "c2VjcmV0",
    privateAddresses: ["10.1.0.4"],
    power: "running",
  });
  core.disk(id)?.write("/var/lib/kubelet/key", "mine");
  expect(core.disk(id)?.list("/")).toEqual([
    "/etc/kubernetes-version",
    "/usr/bin/kubeadm",
    "/var/lib/dpkg/status",
    "/var/lib/kubelet/key",
  ]);
  await finish(cloud, cloud.compute.virtualMachineScaleSetVMs.reimage(GROUP, "pool", "0"));
  expect(core.disk(id)?.read("/var/lib/kubelet/key")).toBeUndefined();
  expect(core.disk(id)?.read("/etc/kubernetes-version")).toBe("v1.33.5\n");
});
