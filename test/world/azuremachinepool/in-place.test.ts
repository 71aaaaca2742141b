/** Updates in place that do not go as planned. The invariant drains-first checks each write to Azure. */
import { AzureMachinePool, AzureMachinePoolMachine, MachinePool } from "@capstan/api";
import { PodDisruptionBudget } from "@capstan/apiserver";
import type { World } from "@capstan/sim";
import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import { expect, test } from "vitest";
import { everyOther } from "../../sample.ts";
import { Deployment } from "../../../packages/sim/src/workloads/workload-kinds.ts";
import { MINUTE_MS, NAMESPACE, patch } from "../kit/fleet-world.ts";
import {
  armCalls,
  CLUSTER,
  createPool,
  machinesOf,
  NEW_VERSION,
  poolWorld,
  readyMachines,
  settled,
} from "../kit/pool-world.ts";

expect.extend(conditionMatchers);

const HOUR_MS = 60 * MINUTE_MS;
const IN_PLACE = { maxUnavailable: 1, maxSurge: 0, instanceUpdate: "InPlace" } as const;
const version = (desired: string) => ({ spec: { template: { spec: { version: desired } } } });
const versionsOf = async (world: World): Promise<readonly unknown[]> =>
  (await machinesOf(world, "mp")).map(({ status }) => status?.version);
const updatesOf = (world: World): number =>
  armCalls(world).filter((call) => call.includes("/mp/manualupgrade")).length;

/** A world with a pool of two that is about to be updated to the new version. */
async function poolOfTwo(seed = "1"): Promise<World> {
  const world = await poolWorld({ seed });
  await createPool(world, "mp", { replicas: 2, strategy: IN_PLACE });
  await settled(world);
  return world;
}

/** The same, when Azure has just started with the first machine. */
async function updating(seed?: string): Promise<World> {
  const world = await poolOfTwo(seed);
  await patch(world, MachinePool, "mp", version(NEW_VERSION));
  await world.until(() => updatesOf(world) === 1, 10 * MINUTE_MS);
  return world;
}

test.each(everyOther("pods between the halves of an update", ["1", "2", "3", "4", "5", "6"]))(
  "a machine that takes pods again between the halves of its update is drained before the second (seed %s)",
  async (seed) => {
    const world = await updating(seed);
    await patch(world, AzureMachinePool, "mp", { spec: { template: { terminateNotificationTimeout: 7 } } });
    await settled(world);
    expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1"]);
    expect(await versionsOf(world)).toEqual([NEW_VERSION, NEW_VERSION]);
  },
);

test("a version that Azure has no image of does not block a machine that is back with the previous one", async () => {
  const world = await updating();
  await patch(world, MachinePool, "mp", version("v1.99.0"));
  await world.advance(2 * HOUR_MS);
  expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1"]);
});

test("machines whose statuses get lost, as when objects are moved, are not replaced", async () => {
  const world = await poolOfTwo();
  await patch(world, MachinePool, "mp", version(NEW_VERSION));
  await settled(world);
  const posts = (): number => armCalls(world).filter((call) => call.startsWith("POST")).length;
  const before = posts();
  world.managers.crash(1, MINUTE_MS);
  for (const { metadata, status } of await machinesOf(world, "mp")) {
    const lost = Object.fromEntries(Object.keys(status ?? {}).map((field) => [field, null]));
    const change = { type: "merge", subresource: "status", body: { status: lost } } as const;
    await world.run(world.user.patch(AzureMachinePoolMachine, metadata, change));
  }
  await settled(world);
  expect(posts()).toBe(before);
  expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1"]);
  expect(await versionsOf(world)).toEqual([NEW_VERSION, NEW_VERSION]);
});

test("growing in the middle of a wave updates no machine twice", async () => {
  const world = await updating();
  await world.advance(2 * MINUTE_MS);
  await patch(world, MachinePool, "mp", { spec: { replicas: 3 } });
  await settled(world);
  expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1", "mp-2"]);
  expect(updatesOf(world)).toBe(2);
});

test("a drain that takes longer than the lifetime of a join token ends with a machine that joins", async () => {
  const world = await poolOfTwo();
  const workload = world.workload(CLUSTER);
  if (!workload) throw new Error(`there is no cluster ${CLUSTER}`);
  const labels = { app: "web" };
  const metadata = { name: "web", namespace: NAMESPACE };
  const selector = { matchLabels: labels };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "web:1" }] } };
  await world.run(workload.create(PodDisruptionBudget, { metadata, spec: { minAvailable: 2, selector } }));
  await world.run(workload.create(Deployment, { metadata, spec: { replicas: 2, selector, template } }));
  await world.until(() => world.truth.census(CLUSTER).podsRunning === 2, 20 * MINUTE_MS);
  await patch(world, MachinePool, "mp", version(NEW_VERSION));
  await world.advance(3 * HOUR_MS);
  expect(updatesOf(world)).toBe(0);
  await world.run(workload.delete(PodDisruptionBudget, metadata));
  await settled(world);
  expect(await versionsOf(world)).toEqual([NEW_VERSION, NEW_VERSION]);
  expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1"]);
});

test("a pool can scale up more often than Azure allows models, each time with a valid token", async () => {
  const world = await poolWorld();
  await createPool(world, "mp", { replicas: 1 });
  await settled(world);
  for (let replicas = 2; replicas <= 13; replicas++) {
    await world.advance(3 * HOUR_MS);
    await patch(world, MachinePool, "mp", { spec: { replicas } });
    await settled(world);
  }
  expect(await readyMachines(world, "mp")).toHaveLength(13);
  const models = (await machinesOf(world, "mp")).map(({ status }) => status?.latestModelApplied);
  expect(new Set(models)).toEqual(new Set([true]));
});
