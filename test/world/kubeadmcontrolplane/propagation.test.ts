import {
  AzureMachine,
  type Frozen,
  KubeadmConfig,
  KubeadmControlPlane,
  type KubernetesObject,
  Machine,
} from "@capstan/api";
import { crashPointsOf, faultOf, rehearse, type Rehearsal, type World } from "@capstan/sim";
import { expect, test } from "vitest";
import {
  CONTROL_PLANE,
  controlPlaneWorld,
  createControlPlane,
  machinesOf,
  untilReady,
} from "../kit/control-plane-world.ts";
import { MINUTE_MS, NAMESPACE, patch } from "../kit/fleet-world.ts";
import { lifeOf } from "./life.ts";

const KINDS = [Machine, AzureMachine, KubeadmConfig];
const NOTE = "example.com/note";
const OWN = "example.com/own";

/** A control plane whose machine is created with the labels and annotations. */
async function labelledWorld(metadata: object): Promise<World> {
  const world = await controlPlaneWorld({ replicas: 1 });
  // v1beta2 has no empty objects.
  const machineTemplate = Object.keys(metadata).length === 0 ? {} : { metadata };
  await patch(world, KubeadmControlPlane, CONTROL_PLANE, { spec: { machineTemplate } });
  expect(await untilReady(world, 1)).toBe(true);
  await world.rest(20 * MINUTE_MS);
  return world;
}

async function setMetadata(world: World, metadata: object): Promise<void> {
  await patch(world, KubeadmControlPlane, CONTROL_PLANE, { spec: { machineTemplate: { metadata } } });
  await world.rest(20 * MINUTE_MS);
}

/** The machine of the control plane and its clones. */
async function objectsIn(world: World): Promise<readonly Frozen<KubernetesObject>[]> {
  const lists = await Promise.all(
    KINDS.map((kind) => world.run(world.user.list(kind as typeof Machine, { namespace: NAMESPACE }))),
  );
  return lists.flat();
}

/** The writes of the control plane's controller to machines and their clones. */
function writesIn({ trace }: World): number {
  const plurals = KINDS.map(({ plural }) => plural);
  return trace.events.filter(
    ({ actor, happening }) =>
      happening.kind === "write" &&
      actor.endsWith("/kubeadmcontrolplane") &&
      happening.subresource === undefined &&
      plurals.includes(happening.resource),
  ).length;
}

const labelsOf = (objects: readonly Frozen<KubernetesObject>[], label: string): unknown[] =>
  objects.map(({ metadata }) => metadata.labels?.[label]);
const notesOf = (objects: readonly Frozen<KubernetesObject>[]): unknown[] =>
  objects.map(({ metadata }) => metadata.annotations?.[NOTE]);

test("labels and annotations of a control plane reach its machines and their clones, and leave them again", async () => {
  const world = await labelledWorld({ labels: { team: "a" }, annotations: { [NOTE]: "x" } });
  const before = await objectsIn(world);
  expect(before).toHaveLength(KINDS.length);
  expect(labelsOf(before, "team")).toEqual(["a", "a", "a"]);
  expect(notesOf(before)).toEqual(["x", "x", "x"]);
  const [machine] = await machinesOf(world);
  for (const kind of KINDS)
    await patch(world, kind, machine?.metadata.name ?? "", { metadata: { labels: { [OWN]: "1" } } });

  await setMetadata(world, { labels: { team: "b", tier: "web" }, annotations: { [NOTE]: null } });
  const changed = await objectsIn(world);
  expect(labelsOf(changed, "team")).toEqual(["b", "b", "b"]);
  expect(labelsOf(changed, "tier")).toEqual(["web", "web", "web"]);
  expect(notesOf(changed)).toEqual([undefined, undefined, undefined]);

  await setMetadata(world, { labels: { team: null, tier: null } });
  const cleared = await objectsIn(world);
  expect(labelsOf(cleared, "team")).toEqual([undefined, undefined, undefined]);
  expect(labelsOf(cleared, OWN)).toEqual(["1", "1", "1"]);
  // No new machine, and the same one with the same spec.
  expect(cleared.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
  const specs = (objects: readonly Frozen<KubernetesObject>[]): unknown[] =>
    objects.map((object) => (object as { readonly spec?: unknown }).spec);
  expect(specs(cleared)).toEqual(specs(before));
});

test("a change of labels writes each object once, another change of the template no clone, and no change nothing", async () => {
  const world = await labelledWorld({});
  const created = writesIn(world);
  await setMetadata(world, { labels: { team: "a" } });
  const labelled = writesIn(world);
  expect(labelled - created).toBe(KINDS.length);
  const machineTemplate = { spec: { deletion: { nodeDrainTimeoutSeconds: 300 } } };
  await patch(world, KubeadmControlPlane, CONTROL_PLANE, { spec: { machineTemplate } });
  await world.rest(20 * MINUTE_MS);
  expect(writesIn(world) - labelled).toBe(1);
  const settled = writesIn(world);
  await world.advance(60 * MINUTE_MS);
  expect(writesIn(world)).toBe(settled);
});

test("a label of the control plane that a user removes from a clone comes back", async () => {
  const world = await labelledWorld({ labels: { team: "a" } });
  const [machine] = await machinesOf(world);
  for (const kind of [AzureMachine, KubeadmConfig])
    await patch(world, kind, machine?.metadata.name ?? "", { metadata: { labels: { team: null } } });
  await world.advance(60 * MINUTE_MS);
  expect(labelsOf(await objectsIn(world), "team")).toEqual(["a", "a", "a"]);
});

test("a crash at any write that removes a label leaves no old label behind", async () => {
  const writes: number[] = [];
  const story: Rehearsal = {
    ...lifeOf({ seed: "1", until: "created" }),
    story: async (world) => {
      await createControlPlane(world, { replicas: 1 });
      await setMetadata(world, { labels: { team: "a" } });
      expect(await untilReady(world, 1)).toBe(true);
      await world.rest(20 * MINUTE_MS);
      writes.push(world.testedWrites);
      await setMetadata(world, { labels: { team: null } });
      writes.push(world.testedWrites);
    },
    endState: (world) =>
      KINDS.flatMap(({ group, plural }) => [
        ...world.management.storage.list({ resource: `${group}/${plural}` }),
      ]).map(({ metadata }) => metadata.labels?.["team"]),
  };
  const calm = await rehearse(story);
  expect(calm.end).toEqual(KINDS.map(() => undefined));
  const [before = 0, after = 0] = writes;
  expect(after - before).toBeGreaterThanOrEqual(KINDS.length);
  for (const point of crashPointsOf(calm).filter(({ write }) => write > before && write <= after)) {
    const run = await rehearse(story, [faultOf(point)]);
    expect(run.failure, JSON.stringify(point)).toBeUndefined();
    expect(run.end, JSON.stringify(point)).toEqual(calm.end);
  }
});
