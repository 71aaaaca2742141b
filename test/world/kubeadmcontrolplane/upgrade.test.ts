import { KubeadmControlPlane, Node } from "@capstan/api";
import { TransportError } from "@capstan/env";
import type { World } from "@capstan/sim";
import { expect, test } from "vitest";
import { MINUTE_MS, patch } from "../kit/fleet-world.ts";
import {
  CLUSTER,
  CONTROL_PLANE,
  controlPlaneWorld,
  endpointOf,
  NEW_VERSION,
  untilReady,
} from "../kit/control-plane-world.ts";

async function versions(world: World): Promise<readonly string[]> {
  const workload = world.workload(CLUSTER);
  if (!workload) return [];
  const nodes = await world.run(workload.list(Node));
  return nodes.map(({ status }) => status?.nodeInfo?.kubeletVersion ?? "");
}

/** Whether the API server says through its endpoint that it is ready. */
async function isReady(world: World, endpoint: string): Promise<boolean> {
  try {
    return (await world.fetch(`https://${endpoint}/readyz`)).status === 200;
  } catch (error) {
    if (error instanceof TransportError) return false;
    throw error;
  }
}

/** The most seconds in a row in which /readyz did not succeed, asked each second. */
async function longestSilence(world: World, endpoint: string, minutes: number): Promise<number> {
  let longest = 0;
  let silent = 0;
  for (let seconds = 0; seconds < minutes * 60; seconds++) {
    await world.advance(1000);
    silent = (await isReady(world, endpoint)) ? 0 : silent + 1;
    longest = Math.max(longest, silent);
  }
  return longest;
}

test("three machines are upgraded one by one, and /readyz never fails for more than 5 s in a row", async () => {
  const world = await controlPlaneWorld({ replicas: 3 });
  expect(await untilReady(world, 3)).toBe(true);
  const endpoint = await endpointOf(world);
  await patch(world, KubeadmControlPlane, CONTROL_PLANE, { spec: { version: NEW_VERSION } });
  expect(await longestSilence(world, endpoint, 30)).toBeLessThanOrEqual(5);
  expect(await untilReady(world, 3, 1)).toBe(true);
  expect(await versions(world)).toEqual([NEW_VERSION, NEW_VERSION, NEW_VERSION]);
  await world.advance(5 * MINUTE_MS);
  const before = world.testedWrites;
  await world.advance(60 * MINUTE_MS);
  expect(world.testedWrites - before).toBe(0);
});
