import { PROTOTYPE_NOW_ANNOTATION, AzureMachinePool } from "@capstan/api";
import type { World } from "@capstan/sim";
import { describe, expect, test } from "vitest";
import { MINUTE_MS, patch } from "../kit/fleet-world.ts";
import { LOCATION, portal } from "../kit/network-world.ts";
import { readyMachines, settled } from "../kit/pool-world.ts";
import {
  createPrototypePool,
  diskOf,
  HOUR_MS,
  INVARIANTS,
  POOL,
  prototypeWorld,
  resourcesOf,
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

test("without quota for one more machine, new nodes remove the identity at their first boot, and two conditions say so", async () => {
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

test("a helper that a policy forbids is done without, and the canary may restart once", async () => {
  const world = await prototypeWorld();
  await createPrototypePool(world);
  await settled(world);
  world.azure.control.addFault({
    id: "policy",
    match: { operation: "PUT virtualMachines" },
    effect: { kind: "status", status: 403, code: "RequestDisallowedByPolicy", message: "Only scale sets." },
  });
  await untilRenewed(world);
  await settled(world);
  await expectNothingLeft(world);
  expect(stored(world)?.status?.nodePrototyping).toMatchObject({
    scrub: { mode: "FirstBoot", why: expect.stringContaining("Only scale sets.") as string },
    history: [{ canary: "Passed" }],
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

  test("when the helper never stops: it is deleted, and the donor serves", async () => {
    const world = await prototypeWorld();
    world.guests.breakScrubs("hangs");
    await createPrototypePool(world);
    expect(await untilFailed(world)).toMatch(/^the helper VM did not power itself off in time/);
    await expectNothingLeft(world);
    expect(stored(world)?.status?.lastImagePrototype).toBeUndefined();
    expect(resourcesOf(world, "galleries/images/versions")).toEqual([]);
  });

  test("when kubeadm is broken on it: the canary does not join, and three of them open the breaker", async () => {
    const world = await prototypeWorld();
    await createPrototypePool(world);
    await settled(world);
    for (const instance of [0, 1, 2]) diskOf(world, instance).remove("/usr/bin/kubeadm");
    expect(await untilFailed(world)).toMatch(
      /booted from the new image failed: version \S+: it did not join in time$/,
    );
    await expectNothingLeft(world);
    expect(await conditionOf(world, "PrototypeImageValidated")).toMatchObject({
      status: "False",
      severity: "Warning",
      reason: "PrototypeCanaryFailed",
    });
    expect(resourcesOf(world, "galleries/images/versions")).toEqual([]);
    const failures = () => stored(world)?.status?.nodePrototyping?.consecutiveFailures;
    expect(await world.until(() => failures() === 3, 30 * HOUR_MS)).toBe(true);
    const { nextAttemptTime = "" } = stored(world)?.status?.nodePrototyping ?? {};
    expect(Date.parse(nextAttemptTime) - world.azure.core.world.nowMs).toBeGreaterThan(23 * HOUR_MS);
  });
});

test("a pool that wants no canary gets its image without one", async () => {
  const world = await prototypeWorld();
  let most = 0;
  await createPrototypePool(world, { more: { canary: "Disabled" } });
  await settled(world);
  await patch(world, AzureMachinePool, POOL, {
    metadata: { annotations: { [PROTOTYPE_NOW_ANNOTATION]: "1" } },
  });
  await world.until(() => {
    most = Math.max(most, resourcesOf(world, "virtualMachineScaleSets").length);
    return stored(world)?.status?.lastImagePrototype !== undefined;
  }, 10 * HOUR_MS);
  expect(most).toBe(1);
  await world.advance(MINUTE_MS);
  expect(await conditionOf(world, "PrototypeImageValidated")).toMatchObject({
    reason: "PrototypeCanarySkipped",
    message: expect.stringMatching(/the canary is disabled$/) as string,
  });
});

test("a version that another client deletes under its canary is not promoted", async () => {
  const world = await prototypeWorld();
  await createPrototypePool(world);
  const record = () => stored(world)?.status?.nodePrototyping;
  expect(await world.until(() => record()?.canary !== undefined, 12 * HOUR_MS)).toBe(true);
  const [version = ""] = resourcesOf(world, "galleries/images/versions");
  await portal(world, "DELETE", version);
  expect(await untilFailed(world)).toMatch(/the image version is gone$/);
  await expectNothingLeft(world);
});
