/** What is wrong is named in a condition or refused, and no machine is lost by it. */
import {
  type Condition,
  DEFAULT_FEATURES,
  ExtensionConfig,
  getCondition,
  Machine,
  MachineDeployment,
  olderConditionsOf,
} from "@capstan/api";
import type { Handler, HttpResponse } from "@capstan/env";
import type { World } from "@capstan/sim";
import type { Updater } from "@capstan/updater";
import { describe, expect, test } from "vitest";
import { create, get, MINUTE_MS, NAMESPACE, patch } from "../../kit/cluster-world.ts";
import { DEPLOYMENT, deployment, isAvailable, machinesIn, PATIENCE_MS } from "../../kit/deployment-world.ts";
import { inPlaceWorld, noCalls, register, resize, testUpdater } from "../../kit/in-place-world.ts";

const answer = (status: number, text: string): HttpResponse => ({
  status,
  headers: {},
  text: () => Promise.resolve(text),
  json: () => Promise.resolve(JSON.parse(text)),
  lines: async function* () {
    yield await Promise.resolve(text);
  },
});

/** The updater, but one of its paths answers otherwise. */
function spoiled(path: RegExp, response: () => HttpResponse): Updater {
  const updater = testUpdater("resizer", ["infraMachine.spec.size"]);
  const handle: Handler = (request) =>
    path.test(request.path) ? Promise.resolve(response()) : updater.handle(request);
  return { ...updater, handle };
}

const discovered = async (world: World): Promise<Readonly<Condition> | undefined> =>
  getCondition(olderConditionsOf(await get(world, ExtensionConfig, "resizer")), "Discovered");

const handlers = (...names: readonly string[]): string =>
  JSON.stringify({
    status: "Success",
    handlers: names.map((name) => ({
      name,
      requestHook: { apiVersion: "updaters.capstan.dev/v1alpha1", hook: "UpdateMachine" },
    })),
  });

describe("an extension that answers the discovery", () => {
  test.each([
    ["with a server error", answer(500, "boom"), "answered with HTTP status 500: boom"],
    ["with a redirect", answer(307, ""), "a redirect, which is not followed"],
    ["with garbage", answer(200, "<html>"), 'must answer with JSON, but answered "<html>"'],
    ["with 20 MB", answer(200, `"${"x".repeat(20_000_000)}"`), "answered with more than 1048576 bytes"],
    [
      "with two handlers of a name",
      answer(200, handlers("a", "a")),
      'two handlers have the name "a.resizer"',
    ],
  ])("%s is not discovered, and machines stay", async (_, response, message) => {
    const world = await inPlaceWorld([spoiled(/discovery$/, () => response)]);
    const condition = await discovered(world);
    expect(condition).toMatchObject({ status: "False", reason: "NotDiscovered" });
    expect(condition?.message).toContain(message);
    await resize(world, "large");
    await world.advance(10 * MINUTE_MS);
    expect((await machinesIn(world)).filter(isAvailable)).toHaveLength(3);
  });
});

test.each([
  ["a server error", answer(500, "boom"), "updater resizer: answered with HTTP status 500: boom"],
  [
    "an error",
    answer(200, '{"error":"broken","acceptedChanges":[]}'),
    'updater resizer: answered with the error "broken"',
  ],
  ["no list", answer(200, '{"error":null}'), "updater resizer: acceptedChanges must be a list"],
])(
  "an updater that answers the question with %s blocks the rollout, also with a fallback",
  async (_, response, message) => {
    let isSpoiled = true;
    const updater = testUpdater("resizer", ["infraMachine.spec.size"]);
    const handle: Handler = (request) =>
      isSpoiled && request.path.endsWith("/can-update") ? Promise.resolve(response) : updater.handle(request);
    const world = await inPlaceWorld([{ ...updater, handle }]);
    const strategy = { fallbackRollingUpdate: { maxUnavailable: 1 } };
    await patch(world, MachineDeployment, DEPLOYMENT, { spec: { rollout: { strategy } } });
    const before = await machinesIn(world);
    await resize(world, "large");
    await world.advance(10 * MINUTE_MS);
    const { status } = await get(world, MachineDeployment, DEPLOYMENT);
    const rollout = getCondition(olderConditionsOf({ status }), "RolloutComplete");
    expect(rollout).toMatchObject({ reason: "UpdatersNotAnswering" });
    expect(rollout?.message).toContain(message);
    isSpoiled = false;
    await world.rest(PATIENCE_MS);
    const after = await machinesIn(world);
    expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
    expect(after.filter(isAvailable)).toHaveLength(3);
  },
);

test("a wait that is not a duration is named in the status, and the updater is called again", async () => {
  const soon = answer(200, '{"error":null,"status":"InProgress","tryAgain":"soon"}');
  const world = await inPlaceWorld([spoiled(/\/update$/, () => soon)]);
  await resize(world, "large");
  await world.advance(5 * MINUTE_MS);
  const updated = (await machinesIn(world)).find(({ status }) => status?.update);
  expect(updated?.status?.update).toMatchObject({
    state: "InProgress",
    message: 'tryAgain must be a duration such as 5m0s, but is "soon"',
  });
  expect(updated?.status?.update?.attempts).toBeGreaterThan(5);
  expect(updated?.status?.update?.attempts).toBeLessThan(15);
});

/** A machine with all that makes updaters run, written by a user. */
const FORGED = {
  metadata: {
    annotations: {
      "in-place-updates.internal.cluster.x-k8s.io/update-in-progress": "",
      "runtime.cluster.x-k8s.io/pending-hooks": "UpdateMachine",
    },
  },
  spec: { updaters: ["resizer"] },
};

const upToDateOf = async (world: World, name: string): Promise<Readonly<Condition> | undefined> =>
  getCondition(olderConditionsOf(await get(world, Machine, name)), "UpToDate");

test.each([
  ["with the sign that updaters may run", FORGED],
  [
    "without that sign",
    {
      ...FORGED,
      metadata: {
        annotations: { ...FORGED.metadata.annotations, "runtime.cluster.x-k8s.io/pending-hooks": null },
      },
    },
  ],
])("no updater runs on a machine that a user wrote to look like one in an update, %s", async (_, forged) => {
  const calls = noCalls();
  const world = await inPlaceWorld([testUpdater("resizer", ["infraMachine.spec.size"], { calls })]);
  const name = (await machinesIn(world))[0]?.metadata.name ?? "";
  await patch(world, Machine, name, forged as object);
  await world.advance(5 * MINUTE_MS);
  expect(calls.updated).toEqual([]);
  const machine = await get(world, Machine, name);
  expect(machine.spec.updaters).toEqual(["resizer"]);
  expect(machine.status?.update).toBeUndefined();
});

test("the condition of a machine whose update its owner did not record says so and what to do", async () => {
  const world = await inPlaceWorld([testUpdater("resizer", ["infraMachine.spec.size"])]);
  const name = (await machinesIn(world))[0]?.metadata.name ?? "";
  await patch(world, Machine, name, { ...FORGED, spec: { ...FORGED.spec, version: "v1.35.0" } });
  await world.advance(MINUTE_MS);
  const upToDate = await upToDateOf(world, name);
  expect(upToDate).toMatchObject({ status: "False", reason: "UpdateNotRecorded" });
  expect(upToDate?.message).toContain(
    "The updaters do not run: its owner has not recorded an update of this machine; delete the machine, or remove spec.updaters",
  );
});

test("a machine of another version than its MachineSet is not up to date", async () => {
  const world = await inPlaceWorld([]);
  const machine = (await machinesIn(world))[0];
  const name = machine?.metadata.name ?? "";
  await patch(world, Machine, name, { spec: { version: "v1.35.0" } });
  await world.advance(MINUTE_MS);
  const upToDate = await upToDateOf(world, name);
  expect(upToDate).toMatchObject({ status: "False", reason: "NotUpToDate" });
  expect(upToDate?.message).toContain(`spec.version is v1.35.0, that of MachineSet`);
});

test("an updater whose registration is deleted during an update is named in a condition, and works once registered", async () => {
  const world = await inPlaceWorld([testUpdater("resizer", ["infraMachine.spec.size"], { rounds: 9 })]);
  await resize(world, "large");
  await world.advance(MINUTE_MS);
  const name = (await machinesIn(world)).find(({ status }) => status?.update)?.metadata.name ?? "";
  await world.run(world.user.delete(ExtensionConfig, { name: "resizer" }));
  await world.advance(MINUTE_MS);
  const upToDate = await upToDateOf(world, name);
  expect(upToDate).toMatchObject({ status: "False", reason: "UpdaterNotRegistered" });
  expect(upToDate?.message).toContain(
    "updater resizer is not registered any more: no discovered ExtensionConfig has this name",
  );
  await register(world, "resizer");
  await world.rest(PATIENCE_MS);
  expect((await machinesIn(world)).filter(isAvailable)).toHaveLength(3);
});

test("with the gate off the server refuses the strategy", async () => {
  const world = await inPlaceWorld([], { features: { ...DEFAULT_FEATURES, InPlaceUpdates: true } });
  const off = await inPlaceWorld([], { features: DEFAULT_FEATURES }).catch((error: unknown) => error);
  expect(String(off)).toContain("needs the feature gate InPlaceUpdates");
  const spec = { rollout: { strategy: { type: "Sideways" as never } } };
  await expect(
    create(world, MachineDeployment, deployment({ metadata: { name: "odd" }, spec })),
  ).rejects.toThrow('Unsupported value: "Sideways"');
  const stuck = {
    rollout: {
      strategy: { type: "InPlace" as const, fallbackRollingUpdate: { maxSurge: 0, maxUnavailable: 0 } },
    },
  };
  await expect(
    create(
      world,
      MachineDeployment,
      deployment({ metadata: { name: "odd", namespace: NAMESPACE }, spec: stuck }),
    ),
  ).rejects.toThrow("cannot both be 0");
});
