import type { World } from "@capstan/sim";
import { describe, expect, test } from "vitest";
import { LOCATION } from "../kit/network-world.ts";
import { nodesOf, readyMachines, settled } from "../kit/pool-world.ts";
import {
  createPrototypePool,
  diskOf,
  HOUR_MS,
  INVARIANTS,
  POOL,
  prototypeWorld,
  scaleTo,
  stored,
  untilRenewed,
} from "../kit/prototype-world.ts";

import { conditionOf, expectNothingLeft, untilFailed } from "./copy-world.ts";

/** Two cores for each of three machines, and one machine more. */
const withCores = (limit: number) => ({
  azure: { quotas: [{ location: LOCATION, family: "cores", limit }] },
});

async function renewed(world: World, options: object = {}): Promise<void> {
  await createPrototypePool(world, options);
  await settled(world);
  await untilRenewed(world);
  await settled(world);
}

describe("without quota for one more machine", () => {
  test("new nodes remove the identity at their first boot, and two conditions say so", async () => {
    const world = await prototypeWorld(withCores(6));
    await renewed(world);
    expect(stored(world)?.status?.nodePrototyping?.history).toEqual([
      expect.not.objectContaining({ scrubbed: true }),
    ]);
    expect(await conditionOf(world, "PrototypeImagesScrubbed")).toMatchObject({
      status: "False",
      reason: "DonorIdentityAtRest",
      message: expect.stringMatching(/of mp-0: .*; Azure refused the helper VM: .*quota/s) as string,
    });
    expect(await conditionOf(world, "PrototypeImageValidated")).toMatchObject({
      status: "False",
      severity: "Info",
      reason: "PrototypeCanarySkipped",
      message: expect.stringMatching(/^version \S+: .*quota/s) as string,
    });
    await expectNothingLeft(world);
    await scaleTo(world, 2);
    await settled(world);
    await scaleTo(world, 3);
    await settled(world);
    const machines = await readyMachines(world, POOL);
    expect(machines).toHaveLength(3);
    expect(diskOf(world, machines.at(-1)?.slice(3) ?? "").read("/var/lib/systemd/boot-count")).toBe("2");
  });
});

describe("an image that is bad is not promoted", () => {
  test("when the scrub lies: the canary finds what the donor has left", async () => {
    // The disks would show it at once.
    const invariants = INVARIANTS.filter(({ name }) => name !== "publishes-no-identity");
    const world = await prototypeWorld({ invariants });
    world.guests.breakScrubs("lies");
    await createPrototypePool(world);
    expect(await untilFailed(world)).toMatch(/booted from the new image failed: /);
    await expectNothingLeft(world);
  });
});

test("the Node of a canary takes no pods, no load balancer and no autoscaler, and goes with its machine", async () => {
  const world = await prototypeWorld();
  await createPrototypePool(world);
  await settled(world);
  const canary = async () =>
    (await nodesOf(world)).find(({ metadata }) => metadata.name.includes("-canary-"));
  const nodeName = () => stored(world)?.status?.nodePrototyping?.canary?.nodeName;
  expect(await world.until(() => nodeName() !== undefined, 12 * HOUR_MS)).toBe(true);
  const node = await canary();
  const cycle = stored(world)?.status?.nodePrototyping?.cycleID;
  expect(node?.metadata.name).toBe(nodeName());
  expect(node?.spec?.taints).toContainEqual({
    key: "capstan.dev/prototype-canary",
    value: cycle,
    effect: "NoSchedule",
  });
  expect(node?.metadata.labels).toMatchObject({
    "node.kubernetes.io/exclude-from-external-load-balancers": "true",
    "capstan.dev/prototype-canary": cycle,
  });
  expect(node?.metadata.annotations).toMatchObject({
    "cluster-autoscaler.kubernetes.io/scale-down-disabled": "true",
  });
  await untilRenewed(world);
  await settled(world);
  await expectNothingLeft(world);
});
