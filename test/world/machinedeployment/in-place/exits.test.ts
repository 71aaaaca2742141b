/** What happens when updaters do not cover a change, fail, or never end; and every way out. */
import {
  Cluster,
  ExtensionConfig,
  getCondition,
  Machine,
  MachineDeployment,
  MachineHealthCheck,
  olderConditionsOf,
  RETRY_UPDATE_ANNOTATION,
  UPDATE_APPROVAL_ANNOTATION,
  UPDATE_APPROVED_ANNOTATION,
} from "@capstan/api";
import { machineHealthCheck } from "@capstan/runtime/testing/builders";
import type { World } from "@capstan/sim";
import { defineUpdater, done, failed, inProgress, type Updater, type UpdateResult } from "@capstan/updater";
import { describe, expect, test } from "vitest";
import { create, find, get, MINUTE_MS, patch, remove } from "../../kit/cluster-world.ts";
import { setReady } from "../../cluster/life.ts";
import {
  CLUSTER,
  createTemplate,
  DEPLOYMENT,
  isAvailable,
  machinesIn,
  PATIENCE_MS,
  setsIn,
} from "../../kit/deployment-world.ts";
import { TestMachine } from "../../kit/test-provider.ts";
import {
  inPlaceWorld,
  noCalls,
  register,
  resize,
  testUpdater,
  useTemplate,
} from "../../kit/in-place-world.ts";

const names = async (world: World): Promise<readonly string[]> =>
  (await machinesIn(world)).map(({ metadata }) => metadata.name).toSorted();
const sizes = async (world: World): Promise<readonly string[]> =>
  (await world.run(world.user.list(TestMachine))).map(({ spec }) => String(spec?.["size"])).toSorted();
const rollout = async (world: World): Promise<unknown> =>
  getCondition(olderConditionsOf(await get(world, MachineDeployment, DEPLOYMENT)), "RolloutComplete");

describe("without an updater for the change and without a fallback", () => {
  async function blocked(): Promise<{ world: World; before: readonly string[] }> {
    const updaters = [
      testUpdater("versions", ["machine.spec.version"]),
      testUpdater("resizer", ["infraMachine.spec.size"]),
    ];
    const world = await inPlaceWorld(updaters);
    await world.run(world.user.delete(ExtensionConfig, { name: "resizer" }));
    const before = await names(world);
    await resize(world, "large");
    await world.rest(PATIENCE_MS);
    expect(await names(world)).toEqual(before);
    expect(await sizes(world)).toEqual(["small", "small", "small"]);
    expect(await setsIn(world)).toHaveLength(1);
    expect(await rollout(world)).toMatchObject({
      status: "False",
      reason: "ChangesNotCovered",
      message: expect.stringContaining(
        "no updater changes infraMachine.spec.size (asked: versions); change the template, register an updater",
      ) as string,
    });
    return { world, before };
  }

  test("nothing happens until the template is changed back", async () => {
    const { world, before } = await blocked();
    await useTemplate(world, "small");
    await world.rest(PATIENCE_MS);
    expect(await rollout(world)).toMatchObject({ status: "True" });
    expect(await names(world)).toEqual(before);
  });

  test("nothing happens until an updater is registered", async () => {
    const { world, before } = await blocked();
    await register(world, "resizer");
    await world.rest(PATIENCE_MS);
    expect(await names(world)).toEqual(before);
    expect(await sizes(world)).toEqual(["large", "large", "large"]);
  });

  test("nothing happens until a fallback replaces the machines", async () => {
    const { world, before } = await blocked();
    const strategy = { fallbackRollingUpdate: { maxUnavailable: 1 } };
    await patch(world, MachineDeployment, DEPLOYMENT, { spec: { rollout: { strategy } } });
    await world.rest(PATIENCE_MS);
    expect((await names(world)).filter((name) => before.includes(name))).toEqual([]);
    expect(await sizes(world)).toEqual(["large", "large", "large"]);
  });

  test("machines are still added, from the new template, and removed, from the old one", async () => {
    const { world, before } = await blocked();
    await patch(world, MachineDeployment, DEPLOYMENT, { spec: { replicas: 4 } });
    await world.rest(PATIENCE_MS);
    expect(await sizes(world)).toEqual(["large", "small", "small", "small"]);
    expect(await names(world)).toEqual(expect.arrayContaining([...before]));
    await patch(world, MachineDeployment, DEPLOYMENT, { spec: { replicas: 3 } });
    await world.rest(PATIENCE_MS);
    expect(await sizes(world)).toEqual(["large", "small", "small"]);
  });
});

/** An updater of sizes whose answer a test changes. */
function switchable(answer: { result: (name: string) => UpdateResult }): Updater {
  return defineUpdater({
    name: "resizer",
    canUpdate: ({ changes }) => changes,
    update: ({ machine }) => answer.result(machine.name),
  });
}

describe("an updater that fails", () => {
  async function failing(): Promise<{
    world: World;
    answer: { result: () => UpdateResult };
    victim: string;
  }> {
    const answer = { result: (): UpdateResult => failed("no memory left") };
    const world = await inPlaceWorld([switchable(answer)]);
    await resize(world, "large");
    await world.rest(PATIENCE_MS);
    const [victim, ...others] = (await machinesIn(world)).filter(
      ({ status }) => status?.update !== undefined,
    );
    expect(others).toEqual([]);
    expect(victim?.status?.update).toMatchObject({ state: "Failed", message: "no memory left", attempts: 1 });
    expect(getCondition(olderConditionsOf(victim), "UpToDate")).toMatchObject({
      status: "False",
      severity: "Error",
      reason: "UpdateFailed",
      message: expect.stringContaining(
        "Updater resizer: no memory left; change the template, set the annotation",
      ) as string,
    });
    expect((await machinesIn(world)).filter(isAvailable)).toHaveLength(2);
    return { world, answer, victim: victim?.metadata.name ?? "" };
  }

  test("is called again after a retry annotation with a new value, and not before", async () => {
    const { world, answer, victim } = await failing();
    answer.result = done;
    await world.advance(60 * MINUTE_MS);
    expect((await machinesIn(world)).filter(isAvailable)).toHaveLength(2);
    await patch(world, Machine, victim, { metadata: { annotations: { [RETRY_UPDATE_ANNOTATION]: "1" } } });
    await world.rest(PATIENCE_MS);
    expect((await machinesIn(world)).filter(isAvailable)).toHaveLength(3);
    expect(await sizes(world)).toEqual(["large", "large", "large"]);
  });

  test("leaves a machine that a changed template updates again", async () => {
    const { world, answer, victim } = await failing();
    answer.result = done;
    await resize(world, "medium");
    await world.rest(PATIENCE_MS);
    expect((await machinesIn(world)).filter(isAvailable)).toHaveLength(3);
    expect(await sizes(world)).toEqual(["medium", "medium", "medium"]);
    expect(await names(world)).toContain(victim);
  });

  test("leaves a machine that a user deletes, and a new one of the new template replaces", async () => {
    const { world, answer, victim } = await failing();
    answer.result = done;
    await remove(world, Machine, victim);
    await world.rest(PATIENCE_MS);
    expect((await machinesIn(world)).filter(isAvailable)).toHaveLength(3);
    expect(await sizes(world)).toEqual(["large", "large", "large"]);
    expect(await names(world)).not.toContain(victim);
  });

  test("leaves a machine that a health check replaces", async () => {
    const { world, answer, victim } = await failing();
    answer.result = done;
    const spec = {
      clusterName: CLUSTER,
      selector: { matchLabels: { "cluster.x-k8s.io/cluster-name": CLUSTER } },
    };
    await create(world, MachineHealthCheck, machineHealthCheck({ spec }));
    await world.rest(PATIENCE_MS);
    expect(await names(world)).not.toContain(victim);
    expect((await machinesIn(world)).filter(isAvailable)).toHaveLength(3);
  });
});

test.each([
  ["a minute", 60],
  ["an hour, which is beyond the limit", 3600],
])(
  "an updater that never ends and asks for %s fails after the time limit of its ExtensionConfig",
  async (...given) => {
    const [, waitSeconds] = given;
    const world = await inPlaceWorld([switchable({ result: () => inProgress(waitSeconds, "still at it") })]);
    await patch(world, ExtensionConfig, "resizer", { spec: { settings: { updateTimeout: "10m" } } });
    await resize(world, "large");
    await world.advance(9 * MINUTE_MS);
    const state = async (): Promise<unknown> =>
      (await machinesIn(world)).flatMap(({ status }) => (status?.update ? [status.update] : []));
    expect(await state()).toEqual([expect.objectContaining({ state: "InProgress", message: "still at it" })]);
    await world.advance(2 * MINUTE_MS);
    expect(await state()).toEqual([
      expect.objectContaining({
        state: "Failed",
        message: "was not done within 10 min; last answer: still at it",
      }),
    ]);
  },
);

test("an updater that says Done before the Node reports the new version is not believed, and is named", async () => {
  const calls = noCalls();
  const liar = testUpdater("versions", ["machine.spec.version"], { calls, rounds: 1 });
  const world = await inPlaceWorld([liar]);
  await patch(world, MachineDeployment, DEPLOYMENT, { spec: { template: { spec: { version: "v1.31.3" } } } });
  await world.advance(35 * MINUTE_MS);
  const touched = (await machinesIn(world)).filter(({ spec }) => spec.version === "v1.31.3");
  expect(touched).toHaveLength(1);
  expect(touched[0]?.status?.update).toMatchObject({ updater: "versions", state: "Failed" });
  expect(getCondition(olderConditionsOf(touched[0]), "UpToDate")?.message).toMatch(
    /^Updater versions: was not done within 30 min; last answer: said Done, but the kubelet of the Node reports no version, not v1\.31\.3/,
  );
  expect(new Set(calls.updated).size).toBe(1);
});

test("a machine that is deleted while it is updated goes, and a new one takes its place", async () => {
  const calls = noCalls();
  const world = await inPlaceWorld([
    testUpdater("resizer", ["infraMachine.spec.size"], { calls, rounds: 5 }),
  ]);
  await resize(world, "large");
  await world.until(() => calls.updated.length > 1, PATIENCE_MS);
  const [victim = ""] = calls.updated;
  await remove(world, Machine, victim);
  await world.rest(2 * PATIENCE_MS);
  expect(await find(world, Machine, victim)).toBeUndefined();
  expect((await machinesIn(world)).filter(isAvailable)).toHaveLength(3);
  expect(await sizes(world)).toEqual(["large", "large", "large"]);
});

test("while its Cluster is paused, no updater is called; after the resume the same update continues", async () => {
  const calls = noCalls();
  const world = await inPlaceWorld([
    testUpdater("resizer", ["infraMachine.spec.size"], { calls, rounds: 5 }),
  ]);
  await resize(world, "large");
  await world.until(() => calls.updated.length > 1, PATIENCE_MS);
  await patch(world, Cluster, CLUSTER, { spec: { paused: true } });
  await world.advance(1_000);
  const before = calls.updated.length;
  const [updating] = calls.updated;
  await world.advance(30 * MINUTE_MS);
  expect(calls.updated).toHaveLength(before);
  await patch(world, Cluster, CLUSTER, { spec: { paused: false } });
  await world.rest(PATIENCE_MS);
  expect(calls.updated[before], "the same machine is next").toBe(updating);
  expect(await sizes(world)).toEqual(["large", "large", "large"]);
});

test("a health check waits for a machine that is updated, although its Node is not Ready", async () => {
  const answer = { result: (): UpdateResult => inProgress(60) };
  const world = await inPlaceWorld([switchable(answer)]);
  const spec = {
    clusterName: CLUSTER,
    selector: { matchLabels: { "cluster.x-k8s.io/cluster-name": CLUSTER } },
    checks: { unhealthyNodeConditions: [{ type: "Ready", status: "False", timeoutSeconds: 120 }] },
  };
  await create(world, MachineHealthCheck, machineHealthCheck({ spec }));
  const before = await names(world);
  await resize(world, "large");
  await world.advance(MINUTE_MS);
  const updated = (await machinesIn(world)).find(({ status }) => status?.update)?.metadata.name ?? "";
  await setReady(world, CLUSTER, updated, "False");
  await world.advance(20 * MINUTE_MS);
  expect(await names(world)).toEqual(before);
  answer.result = done;
  await world.advance(3 * MINUTE_MS);
  expect(await names(world), "after the update the Node counts again").not.toEqual(before);
});

test("with an approval, one machine is updated, and the others after a user has approved", async () => {
  const world = await inPlaceWorld([testUpdater("resizer", ["infraMachine.spec.size"])]);
  await patch(world, MachineDeployment, DEPLOYMENT, {
    metadata: { annotations: { [UPDATE_APPROVAL_ANNOTATION]: "required" } },
  });
  await resize(world, "large");
  await world.rest(PATIENCE_MS);
  expect(await sizes(world)).toEqual(["large", "small", "small"]);
  const { message } = (await rollout(world)) as { message: string };
  expect(message).toContain(`approve the others with the annotation ${UPDATE_APPROVED_ANNOTATION}=`);
  const [, target = ""] = /approved-machine-set=(\S+)$/.exec(message) ?? [];
  await patch(world, MachineDeployment, DEPLOYMENT, {
    metadata: { annotations: { [UPDATE_APPROVED_ANNOTATION]: target } },
  });
  await world.rest(PATIENCE_MS);
  expect(await sizes(world)).toEqual(["large", "large", "large"]);
});

test("while an updater works, the server refuses changes of what it works on, and accepts others", async () => {
  const world = await inPlaceWorld([switchable({ result: () => inProgress(600) })]);
  await resize(world, "large");
  await world.advance(MINUTE_MS);
  const name = (await machinesIn(world)).find(({ status }) => status?.update)?.metadata.name ?? "";
  const why = "cannot change while updater resizer updates the machine in place";
  await expect(patch(world, Machine, name, { spec: { version: "v1.40.0" } })).rejects.toThrow(
    `spec.version: Forbidden: ${why}`,
  );
  await expect(patch(world, Machine, name, { spec: { failureDomain: "9" } })).rejects.toThrow(why);
  await expect(patch(world, Machine, name, { spec: { updaters: ["another", "resizer"] } })).rejects.toThrow(
    `spec.updaters: Forbidden: ${why}`,
  );
  await patch(world, Machine, name, {
    metadata: { labels: { color: "red" } },
    spec: { deletion: { nodeDrainTimeoutSeconds: 540 } },
  });
});

test("a newer template waits until the updater of a machine is done", async () => {
  const answer = { result: (): UpdateResult => inProgress(60) };
  const world = await inPlaceWorld([switchable(answer)]);
  await resize(world, "large");
  await world.advance(MINUTE_MS);
  await createTemplate(world, "medium");
  await useTemplate(world, "medium");
  await world.advance(10 * MINUTE_MS);
  expect(await sizes(world), "the machine that is updated keeps its desired state").toEqual([
    "large",
    "small",
    "small",
  ]);
  answer.result = done;
  await world.rest(PATIENCE_MS);
  expect(await sizes(world)).toEqual(["medium", "medium", "medium"]);
});
