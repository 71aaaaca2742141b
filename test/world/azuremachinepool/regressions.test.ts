/** Bugs of other projects with machine pools, each as a scenario that would show it here. */
import { AzureMachinePool, AzureMachinePoolMachine, KubeadmConfig, MachinePool } from "@capstan/api";
import { type Invariant, MACHINE_POOL_INVARIANTS, type World } from "@capstan/sim";
import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import { describe, expect, test } from "vitest";
import { everyOther } from "../../sample.ts";
import { MINUTE_MS, NAMESPACE, patch, remove } from "../kit/fleet-world.ts";
import {
  armCalls,
  createPool,
  machinesOf,
  namesOf,
  NEW_VERSION,
  OLD_VERSION,
  poolOf,
  type PoolOptions,
  poolWorld,
  readyMachines,
  setBody,
  settled,
} from "../kit/pool-world.ts";

expect.extend(conditionMatchers);

const HOUR_MS = 60 * MINUTE_MS;
const VERSION = { spec: { template: { spec: { version: NEW_VERSION } } } };
const IMAGE = {
  spec: {
    template: {
      image: {
        computeGallery: {
          gallery: "ClusterAPI-f72ceb4f-5159-4c26-a0fe-2ea738f0d019",
          name: "capi-ubun2-2404",
          version: NEW_VERSION.slice(1),
        },
      },
    },
  },
};
const sized = (replicas: number) => ({ spec: { replicas } });

/** A world with one settled pool `mp`. */
async function withPool(options: PoolOptions = {}, more: readonly Invariant[] = []): Promise<World> {
  const world = await poolWorld({ invariants: [...MACHINE_POOL_INVARIANTS, ...more] });
  await createPool(world, "mp", options);
  await settled(world);
  return world;
}

/** Counts the machines that are not being deleted, whenever one is added. */
function counting(): { readonly most: () => number; readonly invariant: Invariant } {
  let most = 0;
  const watch: Invariant["watch"] = ({ azure }) => ({
    happened: ({ happening }) => {
      if (happening.kind !== "machine" || happening.event !== "created") return undefined;
      const all = [...azure.core.world.scaleSets.instances.entries()];
      most = Math.max(most, all.filter(([, { state }]) => state !== "Deleting").length);
      return undefined;
    },
  });
  return { most: () => most, invariant: { name: "counting", says: "nothing: it only counts", watch } };
}

function machinesMade({ trace }: World): number {
  return trace.events.filter(({ happening }) => happening.kind === "machine" && happening.event === "created")
    .length;
}

async function versionsOf(world: World): Promise<readonly (string | undefined)[]> {
  return (await machinesOf(world, "mp")).map(({ status }) => status?.version);
}

/** How many machines of the pool are available, and the minimum since all existed. */
function available(world: World): { readonly now: number; readonly lowest: number | undefined } {
  const pool = world.truth.pools().find(({ name }) => name === "mp");
  return { now: pool?.available ?? 0, lowest: pool?.lowest?.available };
}

describe("CAPZ #4958: Azure allows ten models of a scale set, and no change of models stops a pool", () => {
  const DISK_GB = 40;

  /** Changes the disk, each time before more than a few machines have the previous one. */
  async function change(world: World, sizes: readonly number[]): Promise<void> {
    for (const size of sizes) {
      const osDisk = { diskSizeGB: size };
      await patch(world, AzureMachinePool, "mp", { spec: { template: { osDisk } } });
      await world.advance(5 * MINUTE_MS);
    }
    await world.advance(5 * HOUR_MS);
    await settled(world);
  }

  /** The number of Azure's models of the set, and of writes that it refused because of them. */
  function modelsIn(world: World): { readonly models: number; readonly refusals: number } {
    const [[, set] = []] = world.azure.core.world.scaleSets.sets.entries();
    const refusals = world.azure.core.journal
      .since(0)
      .filter(({ method, status }) => method === "PUT" && status === 409);
    return { models: set?.modelVersion ?? 0, refusals: refusals.length };
  }

  async function expectAllAsDesired(world: World, machines: number): Promise<void> {
    const { pool } = await poolOf(world, "mp");
    expect(await readyMachines(world, "mp")).toHaveLength(machines);
    const hashes = (await machinesOf(world, "mp")).map(({ status }) => status?.modelHash);
    expect(new Set(hashes)).toEqual(new Set([pool.status?.modelHash]));
    expect(pool).toHaveCondition("ScaleSetModelUpdated", "True");
    expect(available(world).lowest).toBe(machines);
  }

  test("the eleventh waits, the machines of another make room for it, and nothing is refused", async () => {
    const world = await withPool({ replicas: 15 });
    const sizes = Array.from({ length: 14 }, (_, index) => DISK_GB + index);
    await change(world, sizes);
    await expectAllAsDesired(world, 15);
    const { models, refusals } = modelsIn(world);
    expect(models).toBeGreaterThan(10);
    expect(refusals).toBe(0);
  });

  test("a pool whose bootstrap data changes with every growth keeps growing past ten editions of its model", async () => {
    const world = await withPool({ replicas: 3 });
    for (let replicas = 4; replicas <= 16; replicas += 1) {
      const preKubeadmCommands = [`echo ${replicas}`];
      await patch(world, KubeadmConfig, "mp", { spec: { preKubeadmCommands } });
      await patch(world, MachinePool, "mp", sized(replicas));
      await settled(world);
    }
    await world.advance(3 * HOUR_MS);
    await settled(world);
    expect(await readyMachines(world, "mp")).toHaveLength(16);
    const { pool } = await poolOf(world, "mp");
    expect(pool).toHaveCondition("RolloutProgressing", "True");
    expect(pool).toHaveCondition("ScaleSetModelUpdated", "True");
    const { models, refusals } = modelsIn(world);
    expect(models).toBe(10);
    expect(refusals).toBeGreaterThan(0);
    expect(refusals).toBeLessThan(20);
  });

  test("a reverted model is another one for Azure, and the pool still reaches it after a refusal", async () => {
    const world = await withPool({ replicas: 40 });
    const sizes = Array.from({ length: 16 }, (_, index) => DISK_GB + (index % 2));
    await change(world, [...sizes, 2 * DISK_GB]);
    await expectAllAsDesired(world, 40);
    const { models, refusals } = modelsIn(world);
    expect(models).toBeGreaterThan(10);
    expect(refusals).toBeGreaterThan(0);
    expect(refusals).toBeLessThan(20);
  });
});

test("CAPZ #1484: a surge of 25 % of three is one machine, also while old ones are being deleted", async () => {
  const { most, invariant } = counting();
  const world = await withPool({ strategy: { maxSurge: "25%", maxUnavailable: 0 } }, [invariant]);
  await patch(world, MachinePool, "mp", VERSION);
  await settled(world);
  expect(await versionsOf(world)).toEqual([NEW_VERSION, NEW_VERSION, NEW_VERSION]);
  expect(most()).toBe(4);
  expect(available(world).lowest).toBe(3);
});

test("CAPZ #1570: a new machine that never becomes Ready blocks the rollout, and the old ones keep working", async () => {
  const world = await withPool();
  world.guests.spoilNext();
  await patch(world, MachinePool, "mp", VERSION);
  await world.advance(2 * HOUR_MS);
  expect(available(world)).toEqual({ now: 3, lowest: 3 });
  expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1", "mp-2"]);
  const { pool } = await poolOf(world, "mp");
  expect(pool).toHaveCondition("RolloutProgressing", "False");
  await remove(world, AzureMachinePoolMachine, "mp-3");
  await settled(world);
  expect(await versionsOf(world)).toEqual([NEW_VERSION, NEW_VERSION, NEW_VERSION]);
  expect(available(world).lowest).toBe(3);
});

describe("CAPZ #5546: image and version changed in two writes, mid-rollout, never cost an available machine", () => {
  const changes = [
    ["the version, then the image", [MachinePool, VERSION], [AzureMachinePool, IMAGE]],
    ["the image, then the version", [AzureMachinePool, IMAGE], [MachinePool, VERSION]],
  ] as const;
  const all = changes.flatMap((change) => [0, 5_000, 90_000].map((pauseMs) => [...change, pauseMs] as const));
  test.each(everyOther("changes in two writes", all))(
    "%s",
    async (_, [firstKind, first], [secondKind, second], pauseMs) => {
      const { most, invariant } = counting();
      const world = await withPool({}, [invariant]);
      await patch(world, firstKind, "mp", first);
      await world.advance(pauseMs);
      await patch(world, secondKind, "mp", second);
      await settled(world);
      expect(await readyMachines(world, "mp")).toHaveLength(3);
      expect(await versionsOf(world)).toEqual([NEW_VERSION, NEW_VERSION, NEW_VERSION]);
      const hashes = (await machinesOf(world, "mp")).map(({ status }) => status?.modelHash);
      expect(new Set(hashes)).toEqual(new Set([(await poolOf(world, "mp")).pool.status?.modelHash]));
      expect(available(world)).toEqual({ now: 3, lowest: 3 });
      expect(most()).toBe(4);
    },
  );
});

test("CAPZ #5240: the size of a pool goes up once and down once in a rollout, and then rests", async () => {
  const world = await withPool({ replicas: 1 });
  await patch(world, MachinePool, "mp", VERSION);
  await settled(world);
  await world.advance(6 * HOUR_MS);
  expect(machinesMade(world)).toBe(2);
  const writes = armCalls(world).filter(
    (call) => !/^(GET|HEAD) /.test(call) && call.includes("ScaleSets/mp"),
  );
  expect(writes.map((call) => call.replace(/ .*\//, " "))).toEqual(["PUT mp", "PUT mp", "POST delete"]);
});

test("CAPZ #2347: scaling one pool does not touch another one with the same name prefix", async () => {
  const world = await poolWorld();
  await createPool(world, "mp-1", { replicas: 2 });
  await createPool(world, "mp-10", { replicas: 2 });
  await settled(world);
  const before = JSON.stringify(setBody(world, "mp-10"));
  await patch(world, MachinePool, "mp-1", sized(1));
  await settled(world);
  await patch(world, MachinePool, "mp-1", sized(3));
  await settled(world);
  expect(await readyMachines(world, "mp-1")).toHaveLength(3);
  expect(await readyMachines(world, "mp-10")).toEqual(["mp-10-0", "mp-10-1"]);
  expect(JSON.stringify(setBody(world, "mp-10"))).toBe(before);
  await remove(world, MachinePool, "mp-1");
  await settled(world);
  expect(await readyMachines(world, "mp-10")).toEqual(["mp-10-0", "mp-10-1"]);
});

describe("CAPZ #2972, #3875: every machine is rolled under every strategy", () => {
  const strategies: [string, PoolOptions["strategy"]][] = [
    ["none", undefined],
    ["an empty one", {}],
    ["without maxSurge", { maxUnavailable: 1 }],
    ["without maxUnavailable", { maxSurge: 2 }],
    ["without surge", { maxSurge: 0, maxUnavailable: 2 }],
    ["of percentages", { maxSurge: "50%", maxUnavailable: "34%" }],
    ["of percentages that round to 0", { maxSurge: "0%", maxUnavailable: "10%" }],
    ["of all at once", { maxSurge: "100%", maxUnavailable: "100%" }],
    ["with the newest first", { deletePolicy: "Newest" }],
    ["by chance", { deletePolicy: "Random" }],
    ["in place without surge", { maxSurge: 0, maxUnavailable: 1, instanceUpdate: "InPlace" }],
    ["in place with surge alone", { maxSurge: 1, maxUnavailable: 0, instanceUpdate: "InPlace" }],
    ["in place with defaults", { instanceUpdate: "InPlace" }],
  ];
  test.each(everyOther("strategies of a pool", strategies))("%s", async (_, strategy) => {
    const world = await withPool(strategy ? { strategy } : {});
    await patch(world, MachinePool, "mp", VERSION);
    await settled(world);
    expect(await versionsOf(world)).toEqual([NEW_VERSION, NEW_VERSION, NEW_VERSION]);
    expect(await readyMachines(world, "mp")).toHaveLength(3);
    expect((await poolOf(world, "mp")).pool).toHaveCondition("Ready", "True");
  });
});

test.each(everyOther("times at which a MachinePool vanishes", [0, 1_000, 20_000, 45_000, 90_000, 150_000]))(
  "CAPZ #1485, #4012: a MachinePool that vanishes %i ms into a rollout crashes no controller, and leaves nothing behind",
  async (afterMs) => {
    const world = await withPool({ replicas: 2 });
    await patch(world, MachinePool, "mp", VERSION);
    await world.advance(afterMs);
    await patch(world, MachinePool, "mp", { metadata: { finalizers: null } });
    await world.run(
      world.user.delete(MachinePool, { name: "mp", namespace: NAMESPACE }).catch(() => undefined),
    );
    await settled(world);
    expect(await namesOf(world, "mp")).toEqual([]);
    expect(await world.run(world.user.list(AzureMachinePool))).toEqual([]);
    expect([...world.azure.core.world.scaleSets.sets.entries()]).toEqual([]);
    expect(world.managers.running().map(({ process }) => process.name)).toEqual(["manager-1"]);
  },
);

describe("CAPZ #4940: an evicted machine is replaced, and no machine is left Failed", () => {
  test.each(["Delete", "Deallocate"] as const)("with the policy %s", async (evictionPolicy) => {
    const template = azureTemplate({ spotVMOptions: { evictionPolicy } });
    const world = await withPool({ spec: { template } });
    const [set] = world.azure.control.state().scaleSets;
    world.azure.control.evict(`${set?.id}/virtualMachines/1`);
    await settled(world);
    expect(await namesOf(world, "mp")).toEqual(["mp-0", "mp-2", "mp-3"]);
    expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-2", "mp-3"]);
  });

  test("and a machine that a user deletes in the portal", async () => {
    const world = await withPool();
    const [set] = world.azure.control.state().scaleSets;
    world.azure.control.deleteResource(`${set?.id}/virtualMachines/1`);
    await settled(world);
    expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-2", "mp-3"]);
  });
});

test("CAPZ's strategy code: available machines are not deleted because Azure reports them as failed", async () => {
  const world = await withPool();
  for (const [, instance] of world.azure.core.world.scaleSets.instances.entries()) instance.state = "Failed";
  await world.advance(3 * HOUR_MS);
  expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1", "mp-2"]);
  expect(available(world)).toEqual({ now: 3, lowest: 3 });
  await patch(world, MachinePool, "mp", VERSION);
  await settled(world);
  expect(await versionsOf(world)).toEqual([NEW_VERSION, NEW_VERSION, NEW_VERSION]);
  expect(available(world).lowest, "they go within the budget").toBe(3);
});

describe("kamino: a write that Azure reports as failed, but has executed, is not repeated", () => {
  test.each<[string, object, string, number]>([
    ["of the scale set when it grows", sized(4), "PUT", 4],
    ["of the scale set with a new model", VERSION, "PUT", 3],
    ["of instances that are deleted", sized(2), "POST", 2],
  ])("%s", async (_, body, verb, machines) => {
    const world = await withPool();
    world.addFault({ fault: "operation-failed-but-applied", when: { trigger: { verb, nth: 1 } } });
    const before = machinesMade(world);
    await patch(world, MachinePool, "mp", body);
    await settled(world);
    expect(await readyMachines(world, "mp")).toHaveLength(machines);
    const isRoll = body === VERSION;
    expect(await versionsOf(world)).toEqual(
      Array.from({ length: machines }, () => (isRoll ? NEW_VERSION : OLD_VERSION)),
    );
    expect(machinesMade(world) - before).toBe(isRoll ? 3 : Math.max(0, machines - 3));
    expect((await poolOf(world, "mp")).pool).toHaveCondition("Ready", "True");
  });
});

function azureTemplate(
  more: Partial<AzureMachinePool["spec"]["template"]>,
): AzureMachinePool["spec"]["template"] {
  return { vmSize: "Standard_D2s_v3", osDisk: { osType: "Linux" }, ...more };
}
