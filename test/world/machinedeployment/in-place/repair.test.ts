/** Machines that never came up, sets that updaters can change only in part, and changes that no update in place makes. */
import {
  Cluster,
  formatTimestamp,
  getCondition,
  KubeadmConfigTemplate,
  Machine,
  MachineDeployment,
  MachineSet,
  olderConditionsOf,
} from "@capstan/api";
import { createWorld, type World } from "@capstan/sim";
import { describe, expect, test } from "vitest";
import { create, get, patch, remove } from "../../kit/cluster-world.ts";
import { foreign, foreignKind, install } from "../../kit/foreign-kinds.ts";
import {
  CLUSTER,
  createTemplate,
  DEPLOYMENT,
  deployment,
  isAvailable,
  machinesIn,
  PATIENCE_MS,
  prepare,
  referenceTo,
  setsIn,
} from "../../kit/deployment-world.ts";
import {
  controllersWith,
  FEATURES,
  inPlaceWorld,
  noCalls,
  register,
  resize,
  serversOf,
  testUpdater,
  useTemplate,
} from "../../kit/in-place-world.ts";
import { TestMachine, TestMachineTemplate, UNKNOWN_SIZE } from "../../kit/test-provider.ts";

const SIZE = "infraMachine.spec.size";

const names = async (world: World): Promise<readonly string[]> =>
  (await machinesIn(world)).map(({ metadata }) => metadata.name).toSorted();
const sizes = async (world: World): Promise<readonly string[]> =>
  (await world.run(world.user.list(TestMachine))).map(({ spec }) => String(spec?.["size"])).toSorted();
const rollout = async (world: World): Promise<unknown> =>
  getCondition(olderConditionsOf(await get(world, MachineDeployment, DEPLOYMENT)), "RolloutComplete");
const complete = { status: "True", reason: "RolloutComplete" };

/** A deployment whose machines never come up, beside an updater that could change their size. */
async function neverUp(): Promise<World> {
  const updater = testUpdater("resizer", [SIZE]);
  const world = await createWorld({
    seed: "1",
    controllers: controllersWith(),
    features: FEATURES,
    servers: serversOf([updater]),
  });
  world.start();
  await prepare(world);
  await register(world, updater.name);
  await createTemplate(world, UNKNOWN_SIZE);
  const template = { spec: { infrastructureRef: referenceTo(TestMachineTemplate, UNKNOWN_SIZE) } };
  const strategy = { type: "InPlace" as const };
  await create(world, MachineDeployment, deployment({ spec: { rollout: { strategy }, template } }));
  await world.advance(PATIENCE_MS);
  expect((await machinesIn(world)).filter(isAvailable)).toEqual([]);
  return world;
}

describe("machines that never came up", () => {
  test("are replaced by a good template, although an updater covers the change", async () => {
    const world = await neverUp();
    const before = await names(world);
    await useTemplate(world, "small");
    await world.advance(2 * PATIENCE_MS);
    expect(await sizes(world)).toEqual(["small", "small", "small"]);
    expect((await names(world)).filter((name) => before.includes(name))).toEqual([]);
    expect((await machinesIn(world)).filter(isAvailable)).toHaveLength(3);
    expect(await rollout(world)).toMatchObject(complete);
  });

  test("are made from the good template if a user deletes one meanwhile", async () => {
    const world = await neverUp();
    const [victim = ""] = await names(world);
    await useTemplate(world, "small");
    await remove(world, Machine, victim);
    await world.advance(2 * PATIENCE_MS);
    expect(await sizes(world)).toEqual(["small", "small", "small"]);
    expect(await setsIn(world)).toHaveLength(1);
  });
});

test("without a fallback, a template that no updater covers replaces only machines that never came up", async () => {
  const world = await inPlaceWorld([testUpdater("other", ["machine.spec.version"])]);
  const before = await names(world);
  await resize(world, UNKNOWN_SIZE);
  await patch(world, MachineDeployment, DEPLOYMENT, { spec: { replicas: 4 } });
  await world.advance(PATIENCE_MS);
  expect(await sizes(world)).toEqual(["small", "small", "small", UNKNOWN_SIZE]);
  await resize(world, "large");
  await world.advance(PATIENCE_MS);
  expect(await sizes(world)).toEqual(["large", "small", "small", "small"]);
  expect(await names(world)).toEqual(expect.arrayContaining([...before]));
  expect(await rollout(world)).toMatchObject({ status: "False", reason: "ChangesNotCovered" });
});

test("rolloutAfter moves no machine to a new set, and says that only new machines are newer", async () => {
  const calls = noCalls();
  const world = await inPlaceWorld([testUpdater("resizer", [SIZE], { calls })]);
  const before = await names(world);
  const [set] = await setsIn(world);
  const afterMs = Date.parse(set?.metadata.creationTimestamp ?? "") + 60_000;
  const after = formatTimestamp(afterMs);
  await world.advance(60_000);
  await patch(world, MachineDeployment, DEPLOYMENT, { spec: { rollout: { after } } });
  await world.rest(PATIENCE_MS);
  expect(await names(world)).toEqual(before);
  expect((await setsIn(world)).map(({ metadata }) => metadata.uid)).toEqual([set?.metadata.uid]);
  expect(await rollout(world)).toMatchObject({
    status: "False",
    reason: "ChangesNotCovered",
    message: expect.stringContaining(
      `only new machines are newer than spec.rollout.after, ${after}`,
    ) as string,
  });
  const strategy = { fallbackRollingUpdate: { maxUnavailable: 1 } };
  await patch(world, MachineDeployment, DEPLOYMENT, { spec: { rollout: { strategy } } });
  await world.rest(PATIENCE_MS);
  expect((await names(world)).filter((name) => before.includes(name))).toEqual([]);
  expect(await rollout(world)).toMatchObject(complete);
  expect(calls.updated).toEqual([]);
});

const ForeignControlPlane = foreignKind(
  "controlplane.cluster.x-k8s.io",
  "ForeignControlPlane",
  "foreigncontrolplanes",
);

test("a version that the control plane does not have yet is not started", async () => {
  const calls = noCalls();
  const world = await inPlaceWorld([testUpdater("versions", ["machine.spec.version"], { calls })]);
  await install(world, ForeignControlPlane);
  const version = "v1.31.2";
  const controlPlane = foreign(ForeignControlPlane, "cp", { version });
  const status = {
    ready: true,
    initialized: true,
    version,
    initialization: { controlPlaneInitialized: true },
  };
  await create(world, ForeignControlPlane, controlPlane);
  await world.run(
    world.user.patch(
      ForeignControlPlane,
      { name: "cp", namespace: "default" },
      {
        type: "merge",
        subresource: "status",
        body: { status },
      },
    ),
  );
  await patch(world, Cluster, CLUSTER, { spec: { controlPlaneRef: referenceTo(ForeignControlPlane, "cp") } });
  await world.advance(60_000);
  const before = await names(world);
  await patch(world, MachineDeployment, DEPLOYMENT, { spec: { template: { spec: { version: "v1.32.1" } } } });
  await world.advance(PATIENCE_MS);
  expect(await names(world)).toEqual(before);
  expect(calls.updated).toEqual([]);
  expect((await machinesIn(world)).filter(isAvailable)).toHaveLength(3);
  expect(await rollout(world)).toMatchObject({
    status: "False",
    reason: "PreflightCheckFailed",
    message: expect.stringContaining(
      "machines of v1.32.1 are newer than the control plane, which has v1.31.2",
    ) as string,
  });
});

test("a set that no updater covers does not hold up another one", async () => {
  const world = await inPlaceWorld([testUpdater("resizer", [SIZE])]);
  const version = "v1.31.3";
  await patch(world, MachineDeployment, DEPLOYMENT, { spec: { template: { spec: { version } } } });
  await world.rest(PATIENCE_MS);
  await patch(world, MachineDeployment, DEPLOYMENT, { spec: { replicas: 5 } });
  await world.rest(PATIENCE_MS);
  expect((await machinesIn(world)).filter(({ spec }) => spec.version === version)).toHaveLength(2);
  await resize(world, "large");
  await world.rest(PATIENCE_MS);
  expect(await sizes(world)).toEqual(["large", "large", "small", "small", "small"]);
  expect(await rollout(world)).toMatchObject({ status: "False", reason: "ChangesNotCovered" });
});

test("a bootstrap config that exists only in the new template is a change that no updater makes", async () => {
  const world = await inPlaceWorld([testUpdater("resizer", [SIZE])]);
  const bootstrap = { dataSecretName: "data" };
  await create(
    world,
    MachineDeployment,
    deployment({
      metadata: { name: "plain" },
      spec: {
        replicas: 1,
        rollout: { strategy: { type: "InPlace" } },
        template: { spec: { bootstrap: { configRef: undefined, ...bootstrap } } },
      },
    }),
  );
  await world.rest(PATIENCE_MS);
  const before = await names(world);
  const configRef = referenceTo(KubeadmConfigTemplate, "join");
  const spec = { template: { spec: { bootstrap: { configRef, dataSecretName: null } } } };
  await patch(world, MachineDeployment, "plain", { spec });
  await world.rest(PATIENCE_MS);
  expect(await names(world)).toEqual(before);
  const { status } = await get(world, MachineDeployment, "plain");
  expect(status?.inPlace?.decisions).toMatchObject([
    { result: "Uncovered", uncovered: ["machine.spec.bootstrap.configRef"] },
  ]);
});

test("machines of a second set with the same template move to the first one", async () => {
  const world = await inPlaceWorld([testUpdater("resizer", [SIZE])]);
  const before = await names(world);
  await patch(world, MachineDeployment, DEPLOYMENT, { spec: { paused: true, replicas: 4 } });
  await world.rest(PATIENCE_MS);
  const [set] = await setsIn(world);
  if (!set) throw new Error("there is no set");
  const { metadata, spec } = set;
  const { uid: _, resourceVersion: __, managedFields: ___, creationTimestamp: ____, ...rest } = metadata;
  const hash = { "machine-template-hash": "second" };
  const labels = { ...rest.labels, ...hash };
  await world.run(
    world.user.create(MachineSet, {
      ...set,
      metadata: { ...rest, name: "workers-second", labels },
      spec: {
        ...spec,
        replicas: 1,
        selector: { matchLabels: { ...spec.selector.matchLabels, ...hash } },
        template: { ...spec.template, metadata: { labels: { ...spec.template.metadata?.labels, ...hash } } },
      },
    }),
  );
  await world.rest(PATIENCE_MS);
  expect(await machinesIn(world)).toHaveLength(5);
  await patch(world, MachineDeployment, DEPLOYMENT, { spec: { paused: false, replicas: 5 } });
  await world.rest(2 * PATIENCE_MS);
  expect(await setsIn(world)).toHaveLength(1);
  expect(await machinesIn(world)).toHaveLength(5);
  expect(await names(world)).toEqual(expect.arrayContaining([...before]));
  expect(await rollout(world)).toMatchObject(complete);
});
