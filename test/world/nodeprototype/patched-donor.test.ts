/** What is cached when: a donor that was patched is cached at the next interval, also if its Node reports nothing new. */
import {
  AzureMachinePoolMachine,
  type Frozen,
  getCondition,
  LAST_PATCH_ANNOTATION,
  Node,
} from "@capstan/api";
import type { World } from "@capstan/sim";
import { describe, expect, test } from "vitest";
import { get, patch } from "../kit/fleet-world.ts";
import { armCalls, CLUSTER, nodesOf, settled } from "../kit/pool-world.ts";
import {
  createPrototypePool,
  diskOf,
  HOUR_MS,
  INVARIANTS,
  poolNow,
  prototypeWorld,
  scaleTo,
  stored,
  untilRenewed,
} from "../kit/prototype-world.ts";

const DATABASE = "/var/lib/dpkg/status";

/** Installs a package as apt does: its entry in the database is all that a Node does not report. */
function install(world: World, instance: number, version: string): void {
  const disk = diskOf(world, instance);
  const others = disk.read(DATABASE) ?? "";
  disk.write(DATABASE, `${others}\nPackage: openssl\nStatus: install ok installed\nVersion: ${version}\n`);
}

async function renewedWorld(): Promise<World> {
  const world = await prototypeWorld();
  await createPrototypePool(world);
  await settled(world);
  await untilRenewed(world);
  await settled(world);
  return world;
}

test("a node is patched, the interval passes, and a new node has the patch", async () => {
  const world = await renewedWorld();
  install(world, 0, "3.0.13-0ubuntu3.5");
  await world.advance(25 * HOUR_MS);
  await settled(world);
  const { status } = await poolNow(world);
  expect(status?.nodePrototyping?.history).toHaveLength(2);
  await scaleTo(world, 4);
  await settled(world);
  expect(diskOf(world, 3).read(DATABASE)).toContain("Version: 3.0.13-0ubuntu3.5");
});

test("a donor on which nothing was installed is asked each interval, and never drained", async () => {
  const world = await renewedWorld();
  const before = armCalls(world).length;
  await world.advance(2 * 25 * HOUR_MS);
  const writes = armCalls(world)
    .slice(before)
    .filter((call) => !call.startsWith("GET "));
  expect(writes).toHaveLength(2);
  for (const call of writes)
    expect(call).toMatch(/^PUT \S+\/virtualMachines\/0\/runCommands\/capstan-installed$/i);
  const { status } = await poolNow(world);
  expect(status?.nodePrototyping).toMatchObject({ phase: "Idle" });
  expect(status?.nodePrototyping).not.toHaveProperty("lastError");
  expect(status?.nodePrototyping?.history).toHaveLength(1);
  expect(stored(world)?.status?.nodePrototyping?.donor).not.toHaveProperty("outSince");
  expect(getCondition(status?.conditions, "LastOsCache")).toMatchObject({
    status: "True",
    reason: "Unchanged",
  });
});

describe("the annotation with the last patch of a machine", () => {
  const machine = async (world: World): Promise<Frozen<AzureMachinePoolMachine>> =>
    get(world, AzureMachinePoolMachine, "mp-0");
  const lastPatchOf = async (world: World): Promise<string> =>
    (await machine(world)).metadata.annotations?.[LAST_PATCH_ANNOTATION] ?? "";

  async function markNode(world: World, value: string | null): Promise<void> {
    const [node] = await nodesOf(world);
    const annotations = { "weave.works/kured-most-recent-reboot-needed": value };
    const body = { metadata: { annotations } };
    const place = { name: node?.metadata.name ?? "" };
    const workload = world.workload(CLUSTER);
    if (workload) await world.run(workload.patch(Node, place, { type: "merge", body }));
    await settled(world);
  }

  test("changes with what its Node reports, and is not written otherwise", async () => {
    const world = await prototypeWorld();
    await createPrototypePool(world, { interval: "8000h" });
    await settled(world);
    const joined = await lastPatchOf(world);
    const { resourceVersion } = (await machine(world)).metadata;
    await world.advance(2 * HOUR_MS);
    expect((await machine(world)).metadata.resourceVersion).toBe(resourceVersion);
    await markNode(world, "2026-01-01T02:00:00Z");
    const marked = await lastPatchOf(world);
    expect(marked.split(" ")[1]).not.toBe(joined.split(" ")[1]);
    expect(marked > joined).toBe(true);
    await markNode(world, null);
    expect((await lastPatchOf(world)).split(" ")[1]).toBe(joined.split(" ")[1]);
  });

  test("is corrected when another client forges it, and no renewal depends on it", async () => {
    // What another client writes there does not stay, unlike other annotations.
    const invariants = INVARIANTS.filter(({ name }) => name !== "takes-nothing-away");
    const world = await prototypeWorld({ invariants });
    await createPrototypePool(world, { interval: "8000h" });
    await settled(world);
    const annotations = { [LAST_PATCH_ANNOTATION]: "2099-01-01T00:00:00Z aaaa" };
    await patch(world, AzureMachinePoolMachine, "mp-0", { metadata: { annotations } });
    await settled(world);
    expect(await lastPatchOf(world)).toMatch(/^2026-\S+ \w{4,32}$/);
    expect(stored(world)?.status?.nodePrototyping?.phase).toBe("Idle");
  });
});
