import {
  type Frozen,
  getCondition,
  KubeadmConfig,
  type KubernetesObject,
  Machine,
  MachineDeployment,
  olderConditionsOf,
} from "@capstan/api";
import type { World } from "@capstan/sim";
import { expect, test } from "vitest";
import { create, MINUTE_MS, patch } from "../kit/cluster-world.ts";
import {
  DEPLOYMENT,
  deployment,
  deploymentWorld,
  machinesIn,
  PATIENCE_MS,
  setsIn,
} from "../kit/deployment-world.ts";
import { TestMachine } from "../kit/test-provider.ts";

const KINDS = [Machine, TestMachine, KubeadmConfig];
const REPLICAS = 3;
const OWN = "example.com/own";

async function deployedWorld(metadata: object): Promise<World> {
  const world = await deploymentWorld();
  await create(
    world,
    MachineDeployment,
    deployment({ spec: { replicas: REPLICAS, template: { metadata } } }),
  );
  await world.rest(PATIENCE_MS);
  return world;
}

async function setMetadata(world: World, metadata: object): Promise<void> {
  await patch(world, MachineDeployment, DEPLOYMENT, { spec: { template: { metadata } } });
  await world.rest(PATIENCE_MS);
}

/** The machines and their clones. */
async function objectsIn(world: World): Promise<readonly Frozen<KubernetesObject>[]> {
  const lists = await Promise.all(KINDS.map((kind) => world.run(world.user.list(kind as typeof Machine))));
  return lists.flat();
}

/** The writes of the MachineSet controller to machines and their clones. */
function writesIn({ trace }: World): number {
  const plurals = KINDS.map(({ plural }) => plural);
  return trace.events.filter(
    ({ actor, happening }) =>
      happening.kind === "write" && actor.endsWith("/machineset") && plurals.includes(happening.resource),
  ).length;
}

const valuesOf = (objects: readonly Frozen<KubernetesObject>[], label: string): unknown[] =>
  objects.map(({ metadata }) => metadata.labels?.[label]);

test("labels and annotations of a template reach its machines and their clones, and leave them again", async () => {
  const world = await deployedWorld({ labels: { team: "a" }, annotations: { "example.com/note": "x" } });
  const before = await objectsIn(world);
  expect(before).toHaveLength(3 * REPLICAS);
  expect(valuesOf(before, "team")).toEqual(Array(3 * REPLICAS).fill("a"));
  const names = (await machinesIn(world)).map(({ metadata }) => metadata.name);
  for (const kind of KINDS)
    await patch(world, kind, names[0] ?? "", { metadata: { labels: { [OWN]: "1" } } });

  await setMetadata(world, { labels: { team: "b", tier: "web" }, annotations: { "example.com/note": null } });
  const changed = await objectsIn(world);
  expect(valuesOf(changed, "team")).toEqual(Array(3 * REPLICAS).fill("b"));
  expect(valuesOf(changed, "tier")).toEqual(Array(3 * REPLICAS).fill("web"));
  expect(changed.filter(({ metadata }) => metadata.annotations?.["example.com/note"] !== undefined)).toEqual(
    [],
  );

  await setMetadata(world, { labels: { team: null, tier: null } });
  const cleared = await objectsIn(world);
  expect(valuesOf(cleared, "team")).toEqual(Array(3 * REPLICAS).fill(undefined));
  expect(valuesOf(cleared, OWN).filter((value) => value === "1")).toHaveLength(KINDS.length);
  expect(cleared.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
  const specs = (objects: readonly Frozen<KubernetesObject>[]): unknown[] =>
    objects.map((object) => (object as { readonly spec?: unknown }).spec);
  expect(specs(cleared)).toEqual(specs(before));
});

test("a change of labels writes each object once, another change of the template no clone, and no change nothing", async () => {
  const world = await deployedWorld({});
  const created = writesIn(world);
  expect(created).toBe(3 * REPLICAS);
  await setMetadata(world, { labels: { team: "a" } });
  const labelled = writesIn(world);
  expect(labelled - created).toBe(3 * REPLICAS);
  await patch(world, MachineDeployment, DEPLOYMENT, {
    spec: { template: { spec: { deletion: { nodeDrainTimeoutSeconds: 300 } } } },
  });
  await world.rest(PATIENCE_MS);
  expect(writesIn(world) - labelled).toBe(REPLICAS);
  const settled = writesIn(world);
  await world.advance(60 * MINUTE_MS);
  expect(writesIn(world)).toBe(settled);
});

test("a label of the template that a user removes from a clone comes back", async () => {
  const world = await deployedWorld({ labels: { team: "a" } });
  const [machine] = await machinesIn(world);
  const name = machine?.metadata.name ?? "";
  for (const kind of [TestMachine, KubeadmConfig])
    await patch(world, kind, name, { metadata: { labels: { team: null } } });
  await patch(world, MachineDeployment, DEPLOYMENT, { spec: { replicas: REPLICAS + 1 } });
  await world.rest(PATIENCE_MS);
  expect(valuesOf(await objectsIn(world), "team")).toEqual(Array(3 * (REPLICAS + 1)).fill("a"));
});

test.each<[string, (world: World, name: string) => Promise<unknown>]>([
  [
    "a clone",
    async (world, name) => {
      await patch(world, TestMachine, name, { metadata: { labels: { team: "theirs" } } });
      // Changes of clones enqueue no MachineSet, those of machines do.
      const poke = String(world.scheduler.monotonicMs);
      await patch(world, Machine, name, { metadata: { labels: { poke } } });
    },
  ],
  ["a machine", (world, name) => patch(world, Machine, name, { metadata: { labels: { team: "theirs" } } })],
])(
  "a label of %s that another client keeps changing back is named, and left alone for some minutes",
  async (_, revert) => {
    const world = await deployedWorld({ labels: { team: "ours" } });
    const [name = ""] = (await machinesIn(world)).map(({ metadata }) => metadata.name);
    const before = writesIn(world);
    const fight = async (rounds: number): Promise<void> => {
      for (let round = 0; round < rounds; round++) {
        await revert(world, name);
        await world.advance(5_000);
      }
    };
    await fight(12);
    // The first apply of the process is not remembered; four more reverts are answered.
    expect(writesIn(world) - before).toBe(5);
    const contest = async () => {
      const [set] = await setsIn(world);
      return getCondition(olderConditionsOf(set), "FieldsPropagated");
    };
    expect(await contest()).toMatchObject({ status: "False", severity: "Warning", reason: "FieldContested" });
    expect((await contest())?.message).toContain(`Field manager user keeps changing metadata.labels.team of`);
    // Everything else goes on.
    await patch(world, MachineDeployment, DEPLOYMENT, { spec: { replicas: REPLICAS + 1 } });
    await world.advance(MINUTE_MS);
    expect(await machinesIn(world)).toHaveLength(REPLICAS + 1);
    await world.advance(5 * MINUTE_MS);
    expect(valuesOf(await objectsIn(world), "team")).toEqual(Array(3 * (REPLICAS + 1)).fill("ours"));
    expect(await contest()).toBeUndefined();
  },
);
