/** Extensions that speak Cluster API's hooks, beside updaters of the proposal. */
import { ExtensionConfig, type Frozen, type JsonObject, type Machine, MachineDeployment } from "@capstan/api";
import type { Handler } from "@capstan/env";
import type { Updater } from "@capstan/updater";
import { expect, test } from "vitest";
import { get, patch } from "../../kit/cluster-world.ts";
import {
  createTemplate,
  DEPLOYMENT,
  isAvailable,
  machinesIn,
  PATIENCE_MS,
  referenceTo,
} from "../../kit/deployment-world.ts";
import { inPlaceWorld, noCalls, resize, testUpdater } from "../../kit/in-place-world.ts";
import { TestMachine, TestMachineTemplate } from "../../kit/test-provider.ts";

/** What an extension was sent. */
interface Sent {
  readonly path: string;
  readonly body: JsonObject;
}

/** The updater as Cluster API's controllers discover it. */
function asExtension({ handle, ...updater }: Updater, sent: Sent[] = []): Updater {
  const asked: Handler = (request) => {
    sent.push({ path: request.path, body: request.body as JsonObject });
    return handle({ ...request, headers: { ...request.headers, "user-agent": "Go-http-client/2.0" } });
  };
  return { ...updater, handle: asked };
}

function uidsOf(machines: readonly Frozen<Machine>[]): readonly string[] {
  return machines.map(({ metadata: { uid = "" } }) => uid).toSorted();
}

test("an extension with Cluster API's hooks is asked with whole objects, and updates each machine", async () => {
  const sent: Sent[] = [];
  const calls = noCalls();
  const updater = asExtension(testUpdater("resizer", ["infraMachine.spec.size"], { calls }), sent);
  const world = await inPlaceWorld([updater]);
  const before = uidsOf(await machinesIn(world));
  await resize(world, "large");
  await world.rest(PATIENCE_MS);
  const machines = await machinesIn(world);
  expect(uidsOf(machines)).toEqual(before);
  expect(machines.filter(isAvailable)).toHaveLength(3);
  const infrastructure = await world.run(world.user.list(TestMachine));
  expect(infrastructure.map(({ spec }) => spec?.["size"])).toEqual(["large", "large", "large"]);
  expect(calls.updated.toSorted()).toEqual(
    machines.flatMap(({ metadata: { name } }) => [name, name]).toSorted(),
  );
  const api = "/hooks.runtime.cluster.x-k8s.io/v1alpha1";
  expect([...new Set(sent.map(({ path }) => path))]).toEqual([
    `${api}/discovery`,
    `${api}/canupdatemachineset/can-update-set`,
    `${api}/updatemachine/update`,
  ]);
  const small = { kind: "TestMachineTemplate", spec: { template: { spec: { size: "small" } } } };
  expect(sent.filter(({ path }) => path.includes("canupdate"))).toHaveLength(1);
  expect(sent.find(({ path }) => path.includes("canupdate"))?.body).toMatchObject({
    apiVersion: "hooks.runtime.cluster.x-k8s.io/v1alpha1",
    kind: "CanUpdateMachineSetRequest",
    current: {
      machineSet: { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "MachineSet", spec: { replicas: 3 } },
      infrastructureMachineTemplate: small,
      bootstrapConfigTemplate: { kind: "KubeadmConfigTemplate" },
    },
    desired: { infrastructureMachineTemplate: { spec: { template: { spec: { size: "large" } } } } },
  });
  expect(sent.find(({ path }) => path.includes("/updatemachine/"))?.body).toMatchObject({
    kind: "UpdateMachineRequest",
    desired: { infrastructureMachine: { kind: "TestMachine", spec: { size: "large" } } },
  });
});

test("an extension that makes no change is named as one that covers nothing, and no machine is touched", async () => {
  const world = await inPlaceWorld([asExtension(testUpdater("other", ["machine.spec.version"]))]);
  const before = uidsOf(await machinesIn(world));
  await resize(world, "large");
  await world.rest(PATIENCE_MS);
  expect(uidsOf(await machinesIn(world))).toEqual(before);
  expect((await get(world, MachineDeployment, DEPLOYMENT)).status?.inPlace?.decisions).toMatchObject([
    { result: "Uncovered", uncovered: ["infraMachine.spec.size"] },
  ]);
});

test("the words of an extension that fails are shown, and it is called again", async () => {
  const failing = { isFailing: true };
  const updater = testUpdater("resizer", ["infraMachine.spec.size"]);
  const handle: Handler = (request) => {
    if (!failing.isFailing || !request.path.includes("/updatemachine/")) return updater.handle(request);
    const text = JSON.stringify({ status: "Failure", message: "no capacity in zone 1" });
    const json = (): Promise<unknown> => Promise.resolve(JSON.parse(text) as unknown);
    return Promise.resolve({
      status: 200,
      headers: {},
      json,
      text: () => Promise.resolve(text),
      lines: none,
    });
  };
  const world = await inPlaceWorld([asExtension({ ...updater, handle })]);
  await resize(world, "large");
  await world.advance(120_000);
  const shown = JSON.stringify((await machinesIn(world)).map(({ status }) => status?.conditions));
  expect(shown).toContain("no capacity in zone 1");
  failing.isFailing = false;
  await world.rest(PATIENCE_MS);
  expect((await get(world, MachineDeployment, DEPLOYMENT)).status).toMatchObject({ upToDateReplicas: 3 });
});

async function* none(): AsyncGenerator {
  yield* [];
}

test("an extension with Cluster API's hooks alone counts as an updater", async () => {
  const world = await inPlaceWorld([asExtension(testUpdater("resizer", ["infraMachine.spec.size"]))]);
  const { status } = await get(world, ExtensionConfig, "resizer");
  expect(status?.conditions).toContainEqual(
    expect.objectContaining({ type: "UpdaterReady", status: "True", reason: "UpdaterReady" }),
  );
});

test("an extension that only knows machines is asked about one machine of the set", async () => {
  const sent: Sent[] = [];
  const updater = withoutHook(asExtension(testUpdater("resizer", ["infraMachine.spec.size"]), sent));
  const world = await inPlaceWorld([updater]);
  await resize(world, "large");
  await world.rest(PATIENCE_MS);
  expect((await get(world, MachineDeployment, DEPLOYMENT)).status).toMatchObject({ upToDateReplicas: 3 });
  expect(sent.filter(({ path }) => path.includes("canupdate")).map(({ body }) => body)).toMatchObject([
    { kind: "CanUpdateMachineRequest", current: { machine: { kind: "Machine" } } },
  ]);
});

/** The extension without its hook about sets. */
function withoutHook({ handle, ...updater }: Updater): Updater {
  const limited: Handler = async (request) => {
    const response = await handle(request);
    if (!request.path.endsWith("/discovery")) return response;
    const body = (await response.json()) as { handlers: { requestHook: { hook: string } }[] };
    const handlers = body.handlers.filter(({ requestHook: { hook } }) => hook !== "CanUpdateMachineSet");
    const text = JSON.stringify({ ...body, handlers });
    return { ...response, text: () => Promise.resolve(text) };
  };
  return { ...updater, handle: limited };
}

test("the second extension sees what the first one has changed, and both update each machine in their order", async () => {
  const [first, second]: [Sent[], Sent[]] = [[], []];
  const calls = noCalls();
  const updaters = [
    asExtension(testUpdater("resizer", ["infraMachine.spec.size"], { calls }), first),
    asExtension(testUpdater("zones", ["machine.spec.failureDomain"], { calls }), second),
  ];
  const world = await inPlaceWorld(updaters);
  await createTemplate(world, "large");
  const infrastructureRef = referenceTo(TestMachineTemplate, "large");
  const spec = { template: { spec: { infrastructureRef, failureDomain: "2" } } };
  await patch(world, MachineDeployment, DEPLOYMENT, { spec });
  await world.rest(2 * PATIENCE_MS);
  expect((await get(world, MachineDeployment, DEPLOYMENT)).status).toMatchObject({ upToDateReplicas: 3 });
  const question = second.find(({ path }) => path.includes("canupdate"))?.body;
  const large = { spec: { template: { spec: { size: "large" } } } };
  expect(question).toMatchObject({ current: { infrastructureMachineTemplate: large } });
  expect(calls.updated).toHaveLength(12);
});
