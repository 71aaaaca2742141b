import {
  AzureMachinePool,
  getCondition,
  PROTOTYPE_NOW_ANNOTATION,
  PROTOTYPE_ROLLBACK_ANNOTATION,
} from "@capstan/api";
import { DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import { MACHINE_POOL_INVARIANTS, type World } from "@capstan/sim";
import { describe, expect, test } from "vitest";
import { MINUTE_MS, patch } from "../kit/fleet-world.ts";
import { CLUSTER, nodesOf, readyMachines, settled } from "../kit/pool-world.ts";
import { blockDrains } from "./pods.ts";
import {
  createPrototypePool,
  HOUR_MS,
  POOL,
  poolNow,
  prototypeWorld,
  resourcesOf,
  scaleTo,
  stored,
  untilRenewed,
} from "../kit/prototype-world.ts";

type Fault = Parameters<World["azure"]["control"]["addFault"]>[0];
type Effect = Fault["effect"];

const QUOTA: Effect = {
  kind: "status",
  status: 409,
  code: "OperationNotAllowed",
  message: "Operation could not be completed as it results in exceeding approved quota.",
};
const DENIED: Effect = {
  kind: "status",
  status: 403,
  code: "AuthorizationFailed",
  message: "no right to write",
};
const FAILS: Effect = { kind: "operationFails", code: "InternalOperationError", message: "it broke" };

/** Asks for a renewal or a rollback. */
async function ask(world: World, annotation: string, value: string): Promise<void> {
  await patch(world, AzureMachinePool, POOL, { metadata: { annotations: { [annotation]: value } } });
}

async function worldWith(operation: string, effect: Effect, times?: number): Promise<World> {
  const world = await prototypeWorld();
  await createPrototypePool(world, { interval: "8000h" });
  await settled(world);
  world.azure.control.addFault({
    id: "trouble",
    match: { operation, ...(times !== undefined && { times }) },
    effect,
  });
  await ask(world, PROTOTYPE_NOW_ANNOTATION, "1");
  return world;
}

const VERSION = "PUT galleries/images/versions";
const INSTANCE = "virtualMachineScaleSets/virtualMachines";

describe("a renewal that Azure refuses ends with the donor in service, nothing left over and the cause in the status", () => {
  test.each<[string, string, Effect, RegExp]>([
    ["a snapshot beyond the quota", "PUT snapshots", QUOTA, /quota/],
    ["a snapshot that fails", "PUT snapshots", FAILS, /snapshot has failed/],
    ["a gallery beyond the quota", "PUT galleries", QUOTA, /quota/],
    ["a gallery without the right to write", "PUT galleries", DENIED, /no right to write/],
    ["a definition that is refused", "PUT galleries/images", DENIED, /no right to write/],
    ["a version that fails each time", VERSION, FAILS, /failed 3 times/],
    ["a run command that is refused", `PUT ${INSTANCE}/runCommands`, DENIED, /no right to write/],
    ["a stop that is refused", `POST ${INSTANCE}/poweroff`, DENIED, /no right to write/],
    ["a stop that fails each time", `POST ${INSTANCE}/poweroff`, FAILS, /the step Stopping was not done/],
  ])("%s", async (_, operation, effect, cause) => {
    const world = await worldWith(operation, effect);
    await world.until(() => stored(world)?.status?.nodePrototyping?.consecutiveFailures === 1, 8 * HOUR_MS);
    const { status } = await poolNow(world);
    expect(status?.nodePrototyping).toMatchObject({ phase: "Idle", consecutiveFailures: 1 });
    expect(status?.nodePrototyping?.lastError?.message).toMatch(cause);
    expect(status?.lastImagePrototype).toBeUndefined();
    expect(resourcesOf(world, "snapshots")).toEqual([]);
    expect(resourcesOf(world, "galleries/images/versions")).toEqual([]);
    const nodes = await nodesOf(world);
    expect(nodes.every(({ spec }) => spec?.unschedulable !== true)).toBe(true);
    expect(await readyMachines(world, POOL)).toEqual(["mp-0", "mp-1", "mp-2"]);
  });
});

test("a start that Azure refuses for a while is tried until it succeeds", async () => {
  const world = await worldWith(`POST ${INSTANCE}/start`, DENIED, 5);
  await untilRenewed(world, 8 * HOUR_MS);
  await settled(world);
  expect(await readyMachines(world, POOL)).toEqual(["mp-0", "mp-1", "mp-2"]);
});

test.each(["poweroff", "start"])("a %s that fails midway is asked for again", async (action) => {
  const world = await worldWith(`POST ${INSTANCE}/${action}`, FAILS, 1);
  await untilRenewed(world, 8 * HOUR_MS);
  await settled(world);
  expect(await readyMachines(world, POOL)).toEqual(["mp-0", "mp-1", "mp-2"]);
});

test("a run command that runs for ever costs no drain, and the next renewal waits", async () => {
  const latencies = { runCommand: { p50: 1_000_000, p90: 2_000_000 } };
  const world = await prototypeWorld({ azure: { latencies } });
  await createPrototypePool(world, { interval: "8000h" });
  await settled(world);
  await ask(world, PROTOTYPE_NOW_ANNOTATION, "1");
  const record = () => stored(world)?.status?.nodePrototyping;
  expect(await world.until(() => record()?.consecutiveFailures === 1, HOUR_MS)).toBe(true);
  expect(record()).toMatchObject({ phase: "Idle", lastError: { step: "Preparing", code: "TimedOut" } });
  expect(record()?.nextAttemptTime).toBeDefined();
  expect(record()?.donor).not.toHaveProperty("outSince");
  const nodes = await nodesOf(world);
  expect(
    nodes.every(({ metadata }) => !("capstan.dev/prototype-donor" in (metadata.annotations ?? {}))),
  ).toBe(true);
  expect(await readyMachines(world, POOL)).toEqual(["mp-0", "mp-1", "mp-2"]);
});

test("a donor whose run command hangs is not drained at an interval", async () => {
  const world = await prototypeWorld();
  await createPrototypePool(world);
  await settled(world);
  await untilRenewed(world);
  await settled(world);
  world.azure.control.addFault({
    id: "hangs",
    match: { operation: "GET virtualMachineScaleSets/virtualMachines/runCommands" },
    effect: { kind: "status", status: 503, code: "ServiceUnavailable", message: "no answer" },
  });
  await world.advance(25 * HOUR_MS);
  const { nodePrototyping } = stored(world)?.status ?? {};
  expect(nodePrototyping?.history).toHaveLength(1);
  expect(nodePrototyping?.donor).not.toHaveProperty("outSince");
  const nodes = await nodesOf(world);
  expect(nodes.every(({ spec }) => spec?.unschedulable !== true)).toBe(true);
});

test("a version that fails once is made again without zone redundancy, from the same snapshot", async () => {
  const world = await worldWith(VERSION, FAILS, 1);
  await untilRenewed(world, 8 * HOUR_MS);
  const [version] = (await poolNow(world)).status?.nodePrototyping?.history ?? [];
  expect(version?.version).toMatch(/\.2$/);
});

describe("what another client deletes in the middle of a renewal", () => {
  test.each<[string, string, string]>([
    ["the snapshot", "Publishing", "snapshots"],
    ["the version", "Promoting", "galleries/images/versions"],
  ])("%s: the renewal fails, and the pool keeps its nodes", async (_, phase, type) => {
    const world = await prototypeWorld();
    await createPrototypePool(world, { interval: "8000h" });
    await settled(world);
    await ask(world, PROTOTYPE_NOW_ANNOTATION, "1");
    await world.until(
      () => stored(world)?.status?.nodePrototyping?.phase === phase && resourcesOf(world, type).length > 0,
      8 * HOUR_MS,
    );
    const [id = ""] = resourcesOf(world, type);
    await world.arm("DELETE", `${id}?api-version=2024-03-03`);
    await world.until(() => stored(world)?.status?.nodePrototyping?.phase === "Idle", 8 * HOUR_MS);
    await settled(world);
    expect(await readyMachines(world, POOL)).toEqual(["mp-0", "mp-1", "mp-2"]);
    expect(resourcesOf(world, "snapshots")).toEqual([]);
  });
});

test.each(["Preparing", "Draining", "Stopping", "Snapshotting", "Restoring"])(
  "a donor whose instance another client deletes while the step is %s is replaced, and nothing is left over",
  async (phase) => {
    const world = await worldWith("PUT nothing", FAILS);
    await world.until(() => stored(world)?.status?.nodePrototyping?.phase === phase, 2 * HOUR_MS);
    const { donor } = stored(world)?.status?.nodePrototyping ?? {};
    world.azure.control.deleteResource(donor?.providerID?.replace("azure://", "") ?? "");
    await world.until(() => stored(world)?.status?.nodePrototyping?.phase === "Idle", 8 * HOUR_MS);
    await settled(world);
    expect(await readyMachines(world, POOL)).toEqual(["mp-1", "mp-2", "mp-3"]);
    expect(resourcesOf(world, "snapshots")).toEqual([]);
    expect((await nodesOf(world)).every(({ spec }) => spec?.unschedulable !== true)).toBe(true);
  },
);

describe("a gallery that another client deletes in the middle of a renewal", () => {
  /** Deletes the gallery, after what is in it: Azure refuses any other order. */
  async function deleteGallery(world: World): Promise<void> {
    for (const type of ["galleries/images/versions", "galleries/images", "galleries"]) {
      const ids = resourcesOf(world, type);
      for (const id of ids) await world.run(world.arm("DELETE", `${id}?api-version=2024-03-03`));
      const isGone = (): boolean => !resourcesOf(world, type).some((id) => ids.includes(id));
      await world.until(isGone, 5 * MINUTE_MS);
    }
  }

  const recordIn = (world: World) => stored(world)?.status?.nodePrototyping;

  async function untilIn(world: World, phase: string, type: string): Promise<void> {
    await ask(world, PROTOTYPE_NOW_ANNOTATION, "1");
    const isThere = (): boolean => resourcesOf(world, type).length > 0;
    await world.until(() => recordIn(world)?.phase === phase && isThere(), 8 * HOUR_MS);
    expect(recordIn(world)?.phase).toBe(phase);
  }

  async function expectGrowth(world: World): Promise<void> {
    await scaleTo(world, 4);
    await settled(world);
    expect(await readyMachines(world, POOL)).toEqual(["mp-0", "mp-1", "mp-2", "mp-3"]);
  }

  test.each([
    ["before it has a definition", "galleries"],
    ["while it has no version yet", "galleries/images"],
    ["while the version is made", "galleries/images/versions"],
  ])("%s: it is created again, from the same snapshot", async (_, type) => {
    const world = await prototypeWorld();
    await createPrototypePool(world, { interval: "8000h" });
    await settled(world);
    await untilIn(world, "Publishing", type);
    await deleteGallery(world);
    await untilRenewed(world);
    await expectGrowth(world);
    expect(resourcesOf(world, "galleries/images/versions")).toHaveLength(1);
    expect(resourcesOf(world, "snapshots")).toEqual([]);
  });

  test("while the version is promoted: the renewal fails, and the next one creates it again", async () => {
    const world = await prototypeWorld();
    await createPrototypePool(world, { interval: "8000h" });
    await settled(world);
    await untilIn(world, "Promoting", "galleries/images/versions");
    await deleteGallery(world);
    await world.until(() => recordIn(world)?.phase === "Idle", 8 * HOUR_MS);
    expect(stored(world)?.status?.lastImagePrototype).toBeUndefined();
    expect(recordIn(world)?.lastError?.message).toBe("the version is gone");
    await ask(world, PROTOTYPE_NOW_ANNOTATION, "2");
    await untilRenewed(world);
    await expectGrowth(world);
  });

  test("that the pool boots from: new machines boot from the image in the spec until the next one is published", async () => {
    const latencies = { "galleries/images/versions": { p50: 10_800, p90: 10_801 } };
    const world = await prototypeWorld({ invariants: MACHINE_POOL_INVARIANTS, azure: { latencies } });
    await createPrototypePool(world, { interval: "8000h" });
    const before = await untilRenewed(world);
    await settled(world);
    await untilIn(world, "Publishing", "galleries/images/versions");
    await deleteGallery(world);
    await scaleTo(world, 4);
    await world.advance(HOUR_MS);
    expect(recordIn(world)?.phase).toBe("Publishing");
    expect(await readyMachines(world, POOL)).toEqual(["mp-0", "mp-1", "mp-2", "mp-3"]);
    await world.until(() => recordIn(world)?.phase === "Idle", 8 * HOUR_MS);
    expect(stored(world)?.status?.lastImagePrototype).not.toBe(before);
    expect(recordIn(world)?.bootImage).toBeDefined();
    expect(resourcesOf(world, "galleries/images/versions")).toHaveLength(1);
  });

  test("while the donor is stopped: a rollback later does not return to what is gone", async () => {
    const world = await prototypeWorld({ invariants: MACHINE_POOL_INVARIANTS });
    await createPrototypePool(world, { interval: "8000h" });
    await untilRenewed(world);
    await settled(world);
    await untilIn(world, "Snapshotting", "galleries/images/versions");
    await deleteGallery(world);
    await world.until(() => recordIn(world)?.phase === "Idle", 8 * HOUR_MS);
    await ask(world, PROTOTYPE_ROLLBACK_ANNOTATION, "1");
    await world.until(() => recordIn(world)?.history?.[0]?.state === "Bad", HOUR_MS);
    expect(recordIn(world)?.history?.map(({ state }) => state)).toEqual(["Bad"]);
    expect(recordIn(world)).not.toHaveProperty("bootImage");
    await expectGrowth(world);
  });
});

describe("what another client deletes while the pool boots from it", () => {
  test.each([
    ["the version in use", (active: string) => active],
    ["the image definition", (active: string) => active.split("/versions/")[0] ?? ""],
  ])("%s: new machines boot from the image in the spec", async (_, targetOf) => {
    const world = await prototypeWorld({ invariants: MACHINE_POOL_INVARIANTS });
    await createPrototypePool(world, { interval: "8000h" });
    await untilRenewed(world);
    await settled(world);
    const active = stored(world)?.status?.nodePrototyping?.history?.[0]?.id ?? "";
    await world.run(world.arm("DELETE", `${active}?api-version=2024-03-03`));
    await world.advance(MINUTE_MS);
    await world.run(world.arm("DELETE", `${targetOf(active)}?api-version=2024-03-03`));
    await world.advance(15 * MINUTE_MS);
    await scaleTo(world, 4);
    await settled(world);
    expect(await readyMachines(world, POOL)).toEqual(["mp-0", "mp-1", "mp-2", "mp-3"]);
    expect(stored(world)?.status?.nodePrototyping).not.toHaveProperty("bootImage");
  });
});

const OURS = {
  "sigs.k8s.io_cluster-api-provider-azure_cluster_demo": "owned",
  capstan_cluster: "default/demo",
};

describe("what another client has created under the names of a renewal", () => {
  test.each<[string, { gallery: object; definition?: object }, RegExp | undefined]>([
    ["a gallery of another owner", { gallery: {} }, /gallery exists without the tags of this cluster/],
    ["our gallery in another region is used", { gallery: { tags: OURS, location: "eastus" } }, undefined],
    [
      "a definition for another generation",
      { gallery: { tags: OURS }, definition: { hyperVGeneration: "V1" } },
      /has properties\.hyperVGeneration V1, and new machines need V2; delete the definition/,
    ],
    [
      "a definition of specialized images",
      { gallery: { tags: OURS }, definition: { osState: "Specialized" } },
      /has properties\.osState Specialized, and new machines need Generalized; delete the definition/,
    ],
    [
      "a definition for confidential machines",
      {
        gallery: { tags: OURS },
        definition: { features: [{ name: "SecurityType", value: "ConfidentialVM" }] },
      },
      /has properties\.features\.SecurityType ConfidentialVM, and new machines need Standard; delete/,
    ],
    [
      "a definition with a purchase plan",
      {
        gallery: { tags: OURS },
        definition: { purchasePlan: { name: "pro", publisher: "p", product: "q" } },
      },
      /has properties\.purchasePlan \{"name":"pro".*\}, and new machines need none; delete/,
    ],
  ])("%s", async (_, planted, cause) => {
    const world = await worldWith("PUT nothing", FAILS);
    await world.until(() => stored(world)?.status?.nodePrototyping?.phase === "Snapshotting", 2 * HOUR_MS);
    await plantGallery(world, galleryNames(world), planted);
    await world.until(() => stored(world)?.status?.nodePrototyping?.phase === "Idle", 8 * HOUR_MS);
    const { status } = await poolNow(world);
    if (cause) expect(status?.nodePrototyping?.lastError?.message).toMatch(cause);
    else expect(status?.lastImagePrototype).toBeDefined();
    expect(resourcesOf(world, "snapshots")).toEqual([]);
    await settled(world);
    expect(await readyMachines(world, POOL)).toEqual(["mp-0", "mp-1", "mp-2"]);
  });
});

describe("what another client has created before a renewal is found before a donor is drained", () => {
  test.each<[string, { gallery: object; definition?: object }, RegExp]>([
    ["a gallery of another owner", { gallery: {} }, /gallery .* exists without the tags of this cluster/],
    [
      "a definition of specialized images",
      { gallery: { tags: OURS }, definition: { osState: "Specialized" } },
      /has properties\.osState Specialized, and new machines need Generalized; delete the definition/,
    ],
    [
      "a definition for another generation",
      { gallery: { tags: OURS }, definition: { hyperVGeneration: "V1" } },
      /has properties\.hyperVGeneration V1, and new machines need V2; delete the definition/,
    ],
  ])("%s", async (_, planted, cause) => {
    // The first renewal fails before its drain, and tells the names.
    const world = await worldWith(`PUT ${INSTANCE}/runCommands`, DENIED, 1);
    const recordIn = () => stored(world)?.status?.nodePrototyping;
    await world.until(() => recordIn()?.phase === "Preparing", 2 * HOUR_MS);
    const names = galleryNames(world);
    await world.until(() => recordIn()?.phase === "Idle", 2 * HOUR_MS);
    await plantGallery(world, names, planted);
    await world.advance(MINUTE_MS);
    await ask(world, PROTOTYPE_NOW_ANNOTATION, "2");
    expect(await world.until(() => recordIn()?.phase !== "Idle", 2 * HOUR_MS)).toBe(false);
    const { status } = await poolNow(world);
    expect(getCondition(status?.conditions, "LastOsCache")).toMatchObject({
      status: "False",
      severity: "Warning",
      reason: "GalleryUnusable",
      message: expect.stringMatching(cause) as string,
    });
    const id = galleryID(names);
    for (const one of [`${id}/images/${names.definition}`, id]) {
      await world.run(world.arm("DELETE", `${one}?api-version=2024-03-03`));
      await world.advance(MINUTE_MS);
    }
    await untilRenewed(world);
  });
});

interface GalleryNames {
  readonly gallery: string;
  readonly definition: string;
}

/** The names that a renewal uses, which has begun. */
function galleryNames(world: World): GalleryNames {
  const { imageVersion } = stored(world)?.status?.nodePrototyping ?? {};
  if (!imageVersion) throw new Error("no renewal has begun");
  return imageVersion;
}

function galleryID({ gallery }: GalleryNames): string {
  return `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/${CLUSTER}/providers/Microsoft.Compute/galleries/${gallery}`;
}

/** Creates the gallery, and perhaps the definition, that the renewal is going to use. */
async function plantGallery(
  world: World,
  names: GalleryNames,
  { gallery, definition }: { readonly gallery: object; readonly definition?: object },
): Promise<void> {
  const id = galleryID(names);
  const put = (path: string, body: object) =>
    world.run(world.arm("PUT", `${path}?api-version=2024-03-03`, { location: "westeurope", ...body }));
  await put(id, { ...gallery, properties: {} });
  if (!definition) return;
  await world.advance(20_000);
  const identifier = { publisher: "them", offer: "theirs", sku: "own" };
  const usual = { osType: "Linux", osState: "Generalized", hyperVGeneration: "V2", identifier };
  await put(`${id}/images/${names.definition}`, { properties: { ...usual, ...definition } });
}

test("a drain that a budget blocks ends after fifteen minutes, without force", async () => {
  const world = await prototypeWorld();
  await createPrototypePool(world, { interval: "8000h" });
  await settled(world);
  await blockDrains(world);
  await ask(world, PROTOTYPE_NOW_ANNOTATION, "1");
  await world.until(() => stored(world)?.status?.nodePrototyping?.consecutiveFailures === 1, 2 * HOUR_MS);
  expect((await poolNow(world)).status?.nodePrototyping?.lastError).toMatchObject({
    step: "Draining",
    code: "TimedOut",
  });
  await world.advance(MINUTE_MS);
  expect((await nodesOf(world)).every(({ spec }) => spec?.unschedulable !== true)).toBe(true);
});
