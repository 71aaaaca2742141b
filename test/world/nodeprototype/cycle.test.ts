import { getCondition } from "@capstan/api";
import { expect, test } from "vitest";
import { nodesOf, readyMachines, settled } from "../kit/pool-world.ts";
import {
  createPrototypePool,
  diskOf,
  POOL,
  poolNow,
  prototypeWorld,
  resourcesOf,
  scaleTo,
  untilRenewed,
} from "../kit/prototype-world.ts";

test("a new node has the patch of the donor, and an identity of its own", async () => {
  const world = await prototypeWorld();
  await createPrototypePool(world);
  await settled(world);
  diskOf(world, 0).write("/etc/patch", "1.2.3");
  await untilRenewed(world);
  const pool = await poolNow(world);
  expect(pool.status?.nodePrototyping?.history).toMatchObject([
    { state: "Active", donor: "mp-0", scrubbed: true, canary: "Passed" },
  ]);
  expect(resourcesOf(world, "virtualMachineScaleSets")).toHaveLength(1);
  for (const type of ["snapshots", "virtualMachines", "disks"]) expect(resourcesOf(world, type)).toEqual([]);
  await settled(world);
  expect(getCondition((await poolNow(world)).status?.conditions, "PrototypeImagesScrubbed")).toMatchObject({
    status: "True",
    reason: "IdentityRemoved",
    message: expect.stringMatching(
      /^Images in the gallery prototypes_demo_\w+ are free of the identity of their donors$/,
    ) as string,
  });
  expect(await readyMachines(world, POOL)).toEqual(["mp-0", "mp-1", "mp-2"]);
  await scaleTo(world, 4);
  await settled(world);
  expect(await readyMachines(world, POOL)).toEqual(["mp-0", "mp-1", "mp-2", "mp-3"]);
  expect(diskOf(world, 3).read("/etc/patch")).toBe("1.2.3");
  // The image had no identity: the new machine has booted once, and the donor still has its own.
  expect(diskOf(world, 3).read("/var/lib/systemd/boot-count")).toBe("1");
  expect(diskOf(world, 3).list("/etc/capstan")).toEqual([]);
  expect(diskOf(world, 0).list("/etc/capstan")).toEqual(["/etc/capstan/identity-of"]);
  const steps = pool.status?.nodePrototyping?.timeline?.map(({ step }) => step);
  expect(steps).toEqual([
    "Protecting",
    "Preparing",
    "Draining",
    "Stopping",
    "Snapshotting",
    "Restoring",
    "Scrubbing",
    "Publishing",
    "CleaningSnapshot",
    "Validating",
    "Promoting",
    "Idle",
  ]);
  expect(diskOf(world, 1).read("/etc/patch")).toBeUndefined();
  for (const path of [
    "/etc/machine-id",
    "/etc/ssh/ssh_host_ed25519_key",
    "/var/lib/kubelet/pki/kubelet-client-current.pem",
  ])
    expect(new Set([0, 1, 2, 3].map((one) => diskOf(world, one).read(path))).size).toBe(4);
  const nodes = await nodesOf(world);
  expect(nodes.every(({ spec }) => spec?.unschedulable !== true)).toBe(true);
});
