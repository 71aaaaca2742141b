import { AzureMachine, getCondition, Machine } from "@capstan/api";
import type { World } from "@capstan/sim";
import { expect, test } from "vitest";
import { find, MINUTE_MS, remove } from "../kit/fleet-world.ts";
import { armCalls, nodesOf, settled } from "../kit/pool-world.ts";
import {
  azureMachineNamed,
  azureMachineWorld,
  createMachine,
  GROUP,
  handOverData,
  type MachineOptions,
} from "../kit/azuremachine-world.ts";
import { resourcesIn } from "./life.ts";

const VM = `${GROUP}/providers/Microsoft.Compute/virtualMachines/worker-1`;

async function runningWorker(options: MachineOptions = {}): Promise<World> {
  const world = await azureMachineWorld();
  await createMachine(world, "worker-1", options);
  await handOverData(world, "worker-1");
  await settled(world);
  return world;
}

test("a machine boots, becomes a Node with its provider id, and costs no write afterwards", async () => {
  const world = await runningWorker({
    machine: { failureDomain: "2" },
    spec: { dataDisks: [{ nameSuffix: "data", diskSizeGB: 16 }], additionalTags: { team: "a" } },
  });
  const { spec, status } = await azureMachineNamed(world, "worker-1");
  expect(spec.providerID).toBe(`azure://${VM}`);
  expect(status).toMatchObject({
    ready: true,
    initialization: { provisioned: true },
    failureDomain: "2",
    vmState: "Succeeded",
  });
  expect(getCondition(status?.conditions, "Paused")).toMatchObject({ status: "False", reason: "NotPaused" });
  expect(status?.addresses?.map(({ type }) => type)).toEqual(["InternalDNS", "InternalIP"]);
  for (const type of ["Ready", "VMRunning", "NetworkInterfacesReady", "DisksReady"])
    expect(getCondition(status?.conditions, type)?.status, type).toBe("True");
  const nodes = await nodesOf(world);
  expect(nodes.map((node) => [node.metadata.name, node.spec?.providerID])).toEqual([
    ["worker-1", spec.providerID],
  ]);
  expect(world.azure.core.machine(VM)?.zone).toBe("2");
  expect(resourcesIn(world)).toEqual([
    "disks/worker-1_OSDisk",
    "disks/worker-1_data",
    "networkInterfaces/worker-1-nic",
    "virtualMachines/worker-1",
  ]);
  const before = armCalls(world).length;
  const { resourceVersion } = (await azureMachineNamed(world, "worker-1")).metadata;
  await world.scheduler.advance(60 * MINUTE_MS);
  const calls = armCalls(world).slice(before);
  expect(calls.filter((call) => !call.startsWith("GET"))).toEqual([]);
  // One list of the group at each resync, and no read of the machine.
  expect(calls.length).toBeLessThanOrEqual(7);
  expect((await azureMachineNamed(world, "worker-1")).metadata.resourceVersion).toBe(resourceVersion);
});

// The intents of both operations, the address of the one that takes longer, and the end.
const WITH_DATA = 4;

test("a machine costs three reads of Azure beside the polls of its two operations, and few writes of its status", async () => {
  const world = await runningWorker();
  const calls = armCalls(world)
    .map((call) => call.replace(/\?.*/, ""))
    .filter((call) => call.includes("worker-1"))
    .map((call) => `${call.split(" ")[0]} ${call.split("/").slice(-2).join("/")}`);
  expect(calls).toEqual([
    "GET virtualMachines/worker-1",
    "GET networkInterfaces/worker-1-nic",
    "PUT networkInterfaces/worker-1-nic",
    "PUT virtualMachines/worker-1",
    "GET networkInterfaces/worker-1-nic",
  ]);
  expect(statusWritesIn(world)).toBe(1 + WITH_DATA);
});

test("machines that wait for Azure's request limits write their status once meanwhile", async () => {
  const world = await azureMachineWorld();
  await createMachine(world, "worker-1");
  await handOverData(world, "worker-1");
  const before = statusWritesIn(world);
  world.addFault({ fault: "arm-throttled", when: { trigger: { verb: "read", times: 8 } } });
  await settled(world);
  expect(faultsIn(world)).toBe(8);
  expect(await azureMachineNamed(world, "worker-1")).toMatchObject({ status: { ready: true } });
  // One write says that it waits for Azure.
  expect(statusWritesIn(world) - before).toBe(1 + WITH_DATA);
});

test("many machines that are created at once are observed by lists of their group, not by a poll of each", async () => {
  const world = await azureMachineWorld();
  const names = Array.from({ length: 20 }, (_, number) => `worker-${number}`);
  for (const name of names) await createMachine(world, name);
  for (const name of names) await handOverData(world, name);
  await settled(world);
  for (const name of names)
    expect(await azureMachineNamed(world, name)).toMatchObject({
      status: { ready: true, vmState: "Succeeded" },
    });
  const calls = armCalls(world);
  const polls = calls.filter((call) => /Microsoft.Compute.*\/operations\//i.test(call));
  const lists = calls.filter((call) => /virtualMachines(\?|$)/i.test(call));
  expect(polls.length).toBeLessThan(names.length * 2);
  expect(lists.length).toBeLessThan(names.length);
});

function statusWritesIn({ trace }: World): number {
  return trace.events.filter(
    ({ happening }) =>
      happening.kind === "write" &&
      happening.resource === AzureMachine.plural &&
      happening.subresource === "status",
  ).length;
}

function faultsIn({ trace }: World): number {
  return trace.events.filter(({ happening }) => happening.kind === "fault").length;
}

test("a deleted machine leaves nothing in Azure", async () => {
  const world = await runningWorker();
  await remove(world, AzureMachine, "worker-1");
  await settled(world);
  expect(await find(world, AzureMachine, "worker-1")).toBeUndefined();
  expect(resourcesIn(world)).toEqual([]);
});

test("a machine that is deleted while Azure creates it says which Node it may have become", async () => {
  const world = await azureMachineWorld();
  await createMachine(world, "worker-1");
  await handOverData(world, "worker-1");
  const isStarted = (): boolean => world.azure.core.machine(VM) !== undefined;
  expect(await world.until(isStarted, 10 * MINUTE_MS)).toBe(true);
  expect((await azureMachineNamed(world, "worker-1")).spec.providerID).toBeUndefined();
  await remove(world, AzureMachine, "worker-1");
  const providerIDs = new Set<string | undefined>();
  for (let one = await find(world, AzureMachine, "worker-1"); one;) {
    providerIDs.add(one.spec.providerID);
    await world.advance(1000);
    one = await find(world, AzureMachine, "worker-1");
  }
  expect([...providerIDs]).toEqual([undefined, `azure://${VM}`]);
  await settled(world);
  expect(resourcesIn(world)).toEqual([]);
});

test("a virtual machine that was deleted in Azure fails its machine for good", async () => {
  const world = await runningWorker();
  await world.run(world.arm("DELETE", `${VM}?api-version=2024-07-01`));
  await world.scheduler.advance(30 * MINUTE_MS);
  const { status } = await azureMachineNamed(world, "worker-1");
  expect(status).toMatchObject({
    ready: false,
    initialization: { provisioned: true },
    vmState: "Deleted",
    failureReason: "UpdateError",
  });
  expect(status, "a machine outside zones").not.toHaveProperty("failureDomain");
  expect(getCondition(status?.conditions, "VMRunning")).toMatchObject({
    status: "False",
    reason: "VMDeleted",
  });
  expect(
    armCalls(world).filter((call) => call.startsWith("PUT") && call.includes("/virtualMachines/")),
  ).toHaveLength(1);
  await remove(world, AzureMachine, "worker-1");
  await settled(world);
  expect(resourcesIn(world)).toEqual([]);
});

test("a machine that is deleted before it has bootstrap data never calls Azure", async () => {
  const world = await azureMachineWorld();
  await createMachine(world, "worker-1", { machine: { bootstrap: {} } });
  await world.scheduler.advance(MINUTE_MS);
  const { status } = await azureMachineNamed(world, "worker-1");
  expect(getCondition(status?.conditions, "VMRunning")).toMatchObject({ reason: "WaitingForBootstrapData" });
  const before = armCalls(world).length;
  await remove(world, AzureMachine, "worker-1");
  await remove(world, Machine, "worker-1");
  await settled(world);
  expect(await find(world, AzureMachine, "worker-1")).toBeUndefined();
  expect(
    armCalls(world)
      .slice(before)
      .filter((call) => call.includes("Microsoft.Compute")),
  ).toEqual([]);
});
