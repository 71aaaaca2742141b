import { KubeadmControlPlane } from "@capstan/api";
import type { World } from "@capstan/sim";
import { expect, test } from "vitest";
import { MINUTE_MS, patch } from "../fleet/fleet-world.ts";
import {
  CONTROL_PLANE,
  controlPlaneWorld,
  endpointOf,
  loseMachine,
  machinesOf,
  onMachine,
  untilReady,
} from "./control-plane-world.ts";

async function namesOf(world: World): Promise<readonly string[]> {
  return (await machinesOf(world)).map(({ metadata }) => metadata.name).toSorted();
}

function membersOf(world: World, endpoint: string): readonly string[] {
  return (world.etcd.at(endpoint).membership()?.members ?? []).map(({ name }) => name).toSorted();
}

test("a virtual machine that is deleted in Azure is replaced, and its member leaves etcd", async () => {
  const world = await controlPlaneWorld({ replicas: 3 });
  expect(await untilReady(world, 3)).toBe(true);
  const endpoint = await endpointOf(world);
  const lost = await loseMachine(world);
  await world.advance(15 * MINUTE_MS);
  expect(await untilReady(world, 3)).toBe(true);
  await world.advance(2 * MINUTE_MS);
  const after = await namesOf(world);
  expect(after).toHaveLength(3);
  expect(after).not.toContain(lost);
  expect(membersOf(world, endpoint)).toEqual(after);
});

test("without a quorum nothing is created or deleted, and everything goes on when the machines return", async () => {
  const world = await controlPlaneWorld({ replicas: 3 });
  expect(await untilReady(world, 3)).toBe(true);
  const endpoint = await endpointOf(world);
  const before = await namesOf(world);
  const [first = "", second = ""] = before;
  await onMachine(world, "POST", `${first}/powerOff`);
  await onMachine(world, "POST", `${second}/powerOff`);
  await world.advance(60 * MINUTE_MS);
  expect(world.etcd.at(endpoint).isServing()).toBe(false);
  expect(await namesOf(world)).toEqual(before);
  expect(membersOf(world, endpoint)).toEqual(before);
  await onMachine(world, "POST", `${first}/start`);
  await onMachine(world, "POST", `${second}/start`);
  await world.advance(30 * MINUTE_MS);
  expect(await untilReady(world, 3)).toBe(true);
  expect(world.etcd.at(endpoint).isServing()).toBe(true);
});

test("a control plane is scaled to one machine and to five", async () => {
  const world = await controlPlaneWorld({ replicas: 3 });
  expect(await untilReady(world, 3)).toBe(true);
  const endpoint = await endpointOf(world);
  for (const replicas of [1, 5]) {
    await patch(world, KubeadmControlPlane, CONTROL_PLANE, { spec: { replicas } });
    await world.advance(1000);
    expect(await untilReady(world, replicas)).toBe(true);
    await world.advance(2 * MINUTE_MS);
    expect(membersOf(world, endpoint)).toEqual(await namesOf(world));
  }
});

test("after spec.rolloutAfter has passed, all older machines are replaced", async () => {
  const world = await controlPlaneWorld({ replicas: 3 });
  expect(await untilReady(world, 3)).toBe(true);
  const before = await namesOf(world);
  const rolloutAfter = `${new Date(world.scheduler.wallMs + 10 * MINUTE_MS).toISOString().slice(0, 19)}Z`;
  await patch(world, KubeadmControlPlane, CONTROL_PLANE, { spec: { rolloutAfter } });
  await world.advance(9 * MINUTE_MS);
  expect(await namesOf(world)).toEqual(before);
  await world.advance(60 * MINUTE_MS);
  expect(await untilReady(world, 3)).toBe(true);
  expect((await namesOf(world)).filter((name) => before.includes(name))).toEqual([]);
});
