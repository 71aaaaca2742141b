import {
  AzureMachinePool,
  AzureMachinePoolMachine,
  BLOCK_MOVE_ANNOTATION,
  MachinePool,
  Node,
  PAUSED_ANNOTATION,
  PROTOTYPE_NOW_ANNOTATION,
  PROTOTYPE_ROLLBACK_ANNOTATION,
} from "@capstan/api";
import { MACHINE_POOL_INVARIANTS, type World } from "@capstan/sim";
import { azureMachinePool } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { MINUTE_MS, patch, remove } from "../kit/fleet-world.ts";
import { armCalls, CLUSTER, NEW_VERSION, nodesOf, readyMachines, settled } from "../kit/pool-world.ts";
import {
  BASE_IMAGE,
  createPrototypePool,
  diskOf,
  HOUR_MS,
  POOL,
  poolNow,
  prototypeControllers,
  prototypeWorld,
  resourcesOf,
  scaleTo,
  stored,
  untilRenewed,
} from "../kit/prototype-world.ts";

/** The step of the renewal. */
function phaseOf(world: World): string | undefined {
  return stored(world)?.status?.nodePrototyping?.phase;
}

/** A world in which the donor of a pool of three is stopped. */
async function withStoppedDonor(world: World): Promise<void> {
  await createPrototypePool(world, { interval: "8000h" });
  await settled(world);
  await ask(world, PROTOTYPE_NOW_ANNOTATION, "1");
  await world.until(() => phaseOf(world) === "Snapshotting", 2 * HOUR_MS);
  expect(phaseOf(world)).toBe("Snapshotting");
}

async function ask(world: World, annotation: string, value: string | null): Promise<void> {
  await patch(world, AzureMachinePool, POOL, { metadata: { annotations: { [annotation]: value } } });
}

/** Whether every Node is Ready and takes pods. */
async function areAllServing(world: World): Promise<boolean> {
  const nodes = await nodesOf(world);
  return nodes.every(
    ({ spec, status }) =>
      spec?.unschedulable !== true &&
      status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true,
  );
}

async function expectServing(world: World, withinMs: number): Promise<void> {
  await world.advance(withinMs);
  expect(await areAllServing(world)).toBe(true);
  expect(await readyMachines(world, POOL)).toEqual(["mp-0", "mp-1", "mp-2"]);
}

describe("a stopped donor is back within ten minutes", () => {
  test("when the manager is killed", async () => {
    const world = await prototypeWorld();
    await withStoppedDonor(world);
    world.managers.crash(1, 10_000);
    await expectServing(world, 10 * MINUTE_MS);
  });

  test("when the manager is away for longer than a donor may take to come back", async () => {
    const world = await prototypeWorld();
    await withStoppedDonor(world);
    await world.until(() => phaseOf(world) === "Restoring", HOUR_MS);
    world.managers.crash(1, 20 * MINUTE_MS);
    await expectServing(world, 30 * MINUTE_MS);
  });

  test("when the manager comes back without the feature gate", async () => {
    const world = await prototypeWorld({ controllers: prototypeControllers((start) => start === 1) });
    await withStoppedDonor(world);
    world.managers.crash(1, 10_000);
    await expectServing(world, 10 * MINUTE_MS);
    await settled(world);
    expect(resourcesOf(world, "snapshots")).toEqual([]);
    const { status } = await poolNow(world);
    expect(status?.lastImagePrototype).toBeUndefined();
    expect(status?.conditions?.find(({ type }) => type === "LastOsCache")).toMatchObject({
      status: "False",
      reason: "SwitchedOff",
      message: expect.stringContaining("AZURE_NODE_OS_CACHING=true") as string,
    });
  });

  test("when the pool is paused, and clusterctl may move the pool only then", async () => {
    const world = await prototypeWorld();
    await withStoppedDonor(world);
    expect(stored(world)?.metadata.annotations).toMatchObject({ [BLOCK_MOVE_ANNOTATION]: "nodeprototype" });
    await ask(world, PAUSED_ANNOTATION, "true");
    await expectServing(world, 10 * MINUTE_MS);
    expect(phaseOf(world)).toBe("Idle");
    expect(resourcesOf(world, "snapshots")).toEqual([]);
    expect(stored(world)?.metadata.annotations).not.toHaveProperty([BLOCK_MOVE_ANNOTATION]);
  });

  test("when the pool is paused; another client that blocks the move keeps blocking it", async () => {
    const world = await prototypeWorld();
    await withStoppedDonor(world);
    await ask(world, BLOCK_MOVE_ANNOTATION, "theirs");
    await ask(world, PAUSED_ANNOTATION, "true");
    await expectServing(world, 10 * MINUTE_MS);
    await ask(world, PAUSED_ANNOTATION, null);
    await settled(world);
    expect(stored(world)?.metadata.annotations).toMatchObject({ [BLOCK_MOVE_ANNOTATION]: "theirs" });
  });

  test("when the field is removed, and the record goes with it", async () => {
    const world = await prototypeWorld();
    await withStoppedDonor(world);
    await patch(world, AzureMachinePool, POOL, { spec: { template: { image: { nodePrototyping: null } } } });
    await expectServing(world, 10 * MINUTE_MS);
    await settled(world);
    const { status, metadata } = await poolNow(world);
    expect(status?.nodePrototyping).toBeUndefined();
    expect(metadata.finalizers).not.toContain("nodeprototype.capstan.dev");
    expect(resourcesOf(world, "snapshots")).toEqual([]);
  });

  test("when the status is lost, and its snapshot goes", async () => {
    const world = await prototypeWorld();
    await withStoppedDonor(world);
    const lost = { status: { nodePrototyping: null } };
    const place = { name: POOL, namespace: "default" };
    await world.run(
      world.user.patch(AzureMachinePool, place, { type: "merge", subresource: "status", body: lost }),
    );
    await expectServing(world, 10 * MINUTE_MS);
    await settled(world);
    expect(resourcesOf(world, "snapshots")).toEqual([]);
    expect(phaseOf(world)).toBe("Idle");
  });
});

test("a renewal whose snapshot cannot be deleted at once ends when it is gone", async () => {
  const world = await prototypeWorld();
  await withStoppedDonor(world);
  await world.until(() => resourcesOf(world, "snapshots").length > 0, HOUR_MS);
  const effect = { kind: "operationFails", code: "InternalOperationError", message: "it broke" } as const;
  world.azure.control.addFault({ id: "once", match: { operation: "DELETE snapshots", times: 1 }, effect });
  await ask(world, PAUSED_ANNOTATION, "true");
  await world.until(() => phaseOf(world) === "Idle", 2 * HOUR_MS);
  expect(phaseOf(world)).toBe("Idle");
  expect(
    world.azure.control.journal(0).filter(({ operation }) => operation === "DELETE snapshots"),
  ).toHaveLength(2);
  expect(resourcesOf(world, "snapshots")).toEqual([]);
});

test("a pool whose status is lost deletes its own snapshot, and none of another owner", async () => {
  // The invariants of node images know only this owner.
  const world = await prototypeWorld({ invariants: MACHINE_POOL_INVARIANTS });
  await withStoppedDonor(world);
  await world.until(() => resourcesOf(world, "snapshots").length > 0, HOUR_MS);
  const [own = ""] = resourcesOf(world, "snapshots");
  const { osDiskID } = stored(world)?.status?.nodePrototyping?.donor ?? {};
  const body = {
    location: "westeurope",
    tags: { capstan_pool: "default/mp-10" },
    properties: { creationData: { createOption: "Copy", sourceResourceId: osDiskID } },
  };
  const others = own.replace(/[^/]+$/, "of-mp-10");
  await world.run(world.arm("PUT", `${others}?api-version=2025-01-02`, body));
  const lost = { status: { nodePrototyping: null } };
  const place = { name: POOL, namespace: "default" };
  await world.run(
    world.user.patch(AzureMachinePool, place, { type: "merge", subresource: "status", body: lost }),
  );
  await settled(world);
  expect(resourcesOf(world, "snapshots")).toEqual([others]);
});

test("a pool that is deleted with a stopped donor leaves nothing in Azure", async () => {
  const world = await prototypeWorld();
  await withStoppedDonor(world);
  await remove(world, MachinePool, POOL);
  await settled(world);
  expect(stored(world)).toBeUndefined();
  expect(resourcesOf(world, "snapshots")).toEqual([]);
  expect(resourcesOf(world, "galleries/images")).toEqual([]);
});

test("a pool without a cluster can be deleted", async () => {
  const world = await prototypeWorld();
  const image = { ...BASE_IMAGE, nodePrototyping: { interval: "24h" } };
  const osDisk = { osType: "Linux", diskSizeGB: 30 };
  const alone = { metadata: { name: POOL, namespace: "default" }, spec: { template: { image, osDisk } } };
  await world.run(world.user.create(AzureMachinePool, azureMachinePool(alone)));
  await world.advance(MINUTE_MS);
  await remove(world, AzureMachinePool, POOL);
  await world.advance(MINUTE_MS);
  expect(stored(world)).toBeUndefined();
});

test("a user may delete the donor: the pool replaces it, and the renewal ends", async () => {
  const world = await prototypeWorld();
  await withStoppedDonor(world);
  await remove(world, AzureMachinePoolMachine, "mp-0");
  await settled(world);
  expect(await readyMachines(world, POOL)).toEqual(["mp-1", "mp-2", "mp-3"]);
  expect(resourcesOf(world, "snapshots")).toEqual([]);
});

test("a Node that another client deletes while its donor is stopped is not the one that comes back", async () => {
  const world = await prototypeWorld();
  await withStoppedDonor(world);
  const { nodeName = "" } = stored(world)?.status?.nodePrototyping?.donor ?? {};
  const workload = world.workload(CLUSTER);
  if (!workload) throw new Error("there is no workload cluster");
  await world.run(workload.delete(Node, { name: nodeName }));
  await world.advance(30 * MINUTE_MS);
  await settled(world);
  // A Node of the same name has another UID: nothing tells that it took no pods in between.
  expect(await readyMachines(world, POOL)).toEqual(["mp-1", "mp-2", "mp-3"]);
});

describe("a pool with an image of its own", () => {
  async function renewedWorld(): Promise<World> {
    const world = await prototypeWorld();
    await createPrototypePool(world);
    await settled(world);
    diskOf(world, 0).write("/etc/patch", "1");
    await untilRenewed(world);
    await settled(world);
    return world;
  }

  test("whose donor has not changed is not drained, and all that is written to Azure is the question to it", async () => {
    const world = await renewedWorld();
    const before = armCalls(world).length;
    await world.advance(25 * HOUR_MS);
    const writes = armCalls(world)
      .slice(before)
      .filter((call) => !call.startsWith("GET "));
    expect(writes).toEqual([expect.stringMatching(/^PUT \S+\/runCommands\/capstan-installed$/i)]);
    expect(
      (await poolNow(world)).status?.conditions?.find(({ type }) => type === "LastOsCache"),
    ).toMatchObject({
      status: "True",
      reason: "Unchanged",
    });
  });

  test("keeps it when a restored status takes it for the version of a renewal that has to end", async () => {
    const world = await renewedWorld();
    const versions = resourcesOf(world, "galleries/images/versions");
    const place = { name: POOL, namespace: "default" };
    const body = { status: { nodePrototyping: { phase: "Aborting" } } };
    expect(stored(world)?.status?.nodePrototyping?.imageVersion).toBeDefined();
    await world.run(
      world.user.patch(AzureMachinePool, place, { type: "merge", subresource: "status", body }),
    );
    await settled(world);
    expect(phaseOf(world)).toBe("Idle");
    expect(versions).toHaveLength(1);
    expect(resourcesOf(world, "galleries/images/versions")).toEqual(versions);
  });

  test("keeps it when its status is lost: nothing rolls, and no renewal begins", async () => {
    const world = await renewedWorld();
    const { lastImagePrototype } = (await poolNow(world)).status ?? {};
    const before = armCalls(world).length;
    const body = { status: { nodePrototyping: null, lastImagePrototype: null } };
    const place = { name: POOL, namespace: "default" };
    await world.run(
      world.user.patch(AzureMachinePool, place, { type: "merge", subresource: "status", body }),
    );
    world.managers.crash(1, 10_000);
    await settled(world);
    const { status } = await poolNow(world);
    expect(status?.nodePrototyping?.history).toMatchObject([{ state: "Active", donor: "mp-0" }]);
    expect(Date.parse(status?.lastImagePrototype ?? "")).toBeLessThanOrEqual(
      Date.parse(lastImagePrototype ?? ""),
    );
    const writes = armCalls(world)
      .slice(before)
      .filter((call) => !call.startsWith("GET ") && !call.includes("/oauth2/"));
    expect(writes).toEqual([]);
    expect(await readyMachines(world, POOL)).toEqual(["mp-0", "mp-1", "mp-2"]);
  });

  test("is deleted with it, and a definition of another owner in the same gallery stays", async () => {
    const world = await renewedWorld();
    const [own = ""] = resourcesOf(world, "galleries/images");
    const others = own.replace(/[^/]+$/, "of-mp-10");
    const read = await world.arm("GET", `${own}?api-version=2024-03-03`);
    const { location, properties } = (await read.json()) as { location: string; properties: object };
    const identifier = { publisher: "capstan", offer: "mp-10", sku: "of-mp-10" };
    const body = {
      location,
      tags: { capstan_pool: "default/mp-10" },
      properties: { ...properties, identifier },
    };
    await world.arm("PUT", `${others}?api-version=2024-03-03`, body);
    await remove(world, MachinePool, POOL);
    await settled(world);
    expect(stored(world)).toBeUndefined();
    expect(resourcesOf(world, "galleries/images")).toEqual([others]);
  });

  test("returns to the image before, and to the one in the spec, by rollbacks", async () => {
    const world = await renewedWorld();
    diskOf(world, 0).write("/etc/patch", "2");
    await ask(world, PROTOTYPE_NOW_ANNOTATION, "2");
    await untilRenewed(world);
    await ask(world, PROTOTYPE_ROLLBACK_ANNOTATION, "1");
    await settled(world);
    await scaleTo(world, 4);
    await settled(world);
    expect(diskOf(world, 3).read("/etc/patch")).toBe("1");
    await ask(world, PROTOTYPE_ROLLBACK_ANNOTATION, "2");
    await settled(world);
    await scaleTo(world, 5);
    await settled(world);
    expect(diskOf(world, 4).read("/etc/patch")).toBeUndefined();
    expect((await poolNow(world)).status?.nodePrototyping?.history?.map(({ state }) => state)).toEqual([
      "Bad",
      "Bad",
    ]);
  });

  test("gives it up when the Kubernetes version changes, and its new machines have the new version", async () => {
    const world = await renewedWorld();
    const image = { computeGallery: { version: NEW_VERSION.slice(1) } };
    await patch(world, AzureMachinePool, POOL, { spec: { template: { image } } });
    await patch(world, MachinePool, POOL, { spec: { template: { spec: { version: NEW_VERSION } } } });
    await settled(world);
    const machines = await readyMachines(world, POOL);
    expect(machines).toHaveLength(3);
    for (const name of machines) {
      const disk = diskOf(world, name.split("-")[1] ?? "");
      expect(disk.read("/etc/kubernetes-version")?.trim()).toBe(NEW_VERSION);
      expect(disk.read("/etc/patch")).toBeUndefined();
    }
  });
});
