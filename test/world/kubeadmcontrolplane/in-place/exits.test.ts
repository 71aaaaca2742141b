import {
  AzureMachineTemplate,
  ExtensionConfig,
  getCondition,
  KubeadmControlPlane,
  olderConditionsOf,
} from "@capstan/api";
import { azureMachineTemplate } from "@capstan/runtime/testing/builders";
import type { World } from "@capstan/sim";
import { expect, test } from "vitest";
import {
  CONTROL_PLANE,
  machinesOf,
  namesOf,
  NEW_VERSION,
  untilReady,
} from "../../kit/control-plane-world.ts";
import { get, MINUTE_MS, NAMESPACE, patch, remove } from "../../kit/fleet-world.ts";
import { register, serversOf, testUpdater } from "../../kit/in-place-world.ts";
import { inPlaceControlPlane, UPDATER } from "../../kit/control-plane-in-place-world.ts";

async function conditionOf(world: World): Promise<unknown> {
  const { status } = await get(world, KubeadmControlPlane, CONTROL_PLANE);
  return getCondition(olderConditionsOf({ status }), "MachinesSpecUpToDate");
}

/** Changes the size of the virtual machines, which the reference updater does not do. */
async function resize(world: World): Promise<void> {
  const name = "larger";
  const metadata = { name, namespace: NAMESPACE };
  const spec = { template: { spec: { vmSize: "Standard_D8s_v3" } } };
  await world.run(world.user.create(AzureMachineTemplate, azureMachineTemplate({ metadata, spec })));
  await patch(world, KubeadmControlPlane, CONTROL_PLANE, {
    spec: { machineTemplate: { spec: { infrastructureRef: { name } } } },
  });
}

async function blockedByResize(options: Parameters<typeof inPlaceControlPlane>[1] = {}): Promise<World> {
  const world = await inPlaceControlPlane({ replicas: 3 }, options);
  expect(await untilReady(world, 3)).toBe(true);
  await resize(world);
  await world.advance(10 * MINUTE_MS);
  expect(await conditionOf(world)).toMatchObject({
    status: "False",
    reason: "ChangesNotCovered",
    message: expect.stringContaining("no updater changes infraMachine.spec.vmSize") as string,
  });
  return world;
}

test("a change that no updater makes is blocked, and ends when the control plane is changed back", async () => {
  const world = await blockedByResize();
  const names = await namesOf(world);
  await patch(world, KubeadmControlPlane, CONTROL_PLANE, {
    spec: { machineTemplate: { spec: { infrastructureRef: { name: CONTROL_PLANE } } } },
  });
  await world.advance(MINUTE_MS);
  expect(await conditionOf(world)).toMatchObject({ status: "True" });
  expect(await namesOf(world)).toEqual(names);
});

test("a blocked change is made by an updater that is registered later", async () => {
  const resizer = testUpdater("resizer", ["infraMachine.spec.vmSize"]);
  const world = await blockedByResize({ servers: serversOf([resizer]) });
  const names = await namesOf(world);
  await register(world, resizer.name);
  await world.advance(5 * MINUTE_MS);
  expect(await untilReady(world, 3)).toBe(true);
  expect(await conditionOf(world)).toMatchObject({ status: "True" });
  expect(await namesOf(world)).toEqual(names);
});

test("a blocked change replaces the machines when a fallback allows it", async () => {
  const world = await blockedByResize();
  const names = await namesOf(world);
  await patch(world, KubeadmControlPlane, CONTROL_PLANE, {
    spec: { rollout: { strategy: { fallbackRollingUpdate: { maxSurge: 1 } } } },
  });
  await world.advance(5 * MINUTE_MS);
  expect(await untilReady(world, 3)).toBe(true);
  expect((await namesOf(world)).filter((name) => names.includes(name))).toEqual([]);
});

test("without an updater nothing is upgraded, and an updater that comes back upgrades all machines", async () => {
  const world = await inPlaceControlPlane();
  expect(await untilReady(world, 1)).toBe(true);
  await remove(world, ExtensionConfig, UPDATER);
  await patch(world, KubeadmControlPlane, CONTROL_PLANE, { spec: { version: NEW_VERSION } });
  await world.advance(5 * MINUTE_MS);
  expect(await conditionOf(world)).toMatchObject({
    reason: "ChangesNotCovered",
    message: expect.stringContaining("no updater is registered") as string,
  });
  await register(world, UPDATER);
  await world.advance(MINUTE_MS);
  expect(await untilReady(world, 1)).toBe(true);
  const [machine] = await machinesOf(world);
  expect(machine?.status?.nodeInfo?.kubeletVersion).toBe(NEW_VERSION);
});
