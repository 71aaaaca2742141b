import { KubeadmControlPlane } from "@capstan/api";
import { expect, test } from "vitest";
import { MINUTE_MS, patch } from "../kit/fleet-world.ts";
import {
  CONTROL_PLANE,
  controlPlaneWorld,
  endpointOf,
  membersOf,
  namesOf,
  NEW_VERSION,
  untilReady,
} from "../kit/control-plane-world.ts";

test("three machines with maxSurge 0 are upgraded without a fourth", async () => {
  const strategy = { type: "RollingUpdate" as const, rollingUpdate: { maxSurge: 0 } };
  const world = await controlPlaneWorld({ replicas: 3, rollout: { strategy } });
  expect(await untilReady(world, 3)).toBe(true);
  await patch(world, KubeadmControlPlane, CONTROL_PLANE, { spec: { version: NEW_VERSION } });
  let most = 0;
  for (let minutes = 0; minutes < 30; minutes++) {
    await world.advance(MINUTE_MS);
    most = Math.max(most, (await namesOf(world)).length);
  }
  expect(most).toBe(3);
  expect(await untilReady(world, 3)).toBe(true);
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

test("after spec.rollout.after has passed, all older machines are replaced", async () => {
  const world = await controlPlaneWorld({ replicas: 3 });
  expect(await untilReady(world, 3)).toBe(true);
  const before = await namesOf(world);
  const after = `${new Date(world.scheduler.wallMs + 10 * MINUTE_MS).toISOString().slice(0, 19)}Z`;
  await patch(world, KubeadmControlPlane, CONTROL_PLANE, { spec: { rollout: { after } } });
  await world.advance(9 * MINUTE_MS);
  expect(await namesOf(world)).toEqual(before);
  await world.advance(60 * MINUTE_MS);
  expect(await untilReady(world, 3)).toBe(true);
  expect((await namesOf(world)).filter((name) => before.includes(name))).toEqual([]);
});
