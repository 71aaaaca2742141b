/** The worked examples of the proposal for updates in place, with its kinds, names, fields and values. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  CONTROL_PLANE_LABEL,
  controllerOf,
  controllerReferenceTo,
  type Frozen,
  getCondition,
  Machine,
  MachineDeployment,
  olderConditionsOf,
  PENDING_HOOKS_ANNOTATION,
  STARTED_UPDATES_ANNOTATION,
  UPDATE_IN_PROGRESS_ANNOTATION,
  UPDATE_MACHINE_HOOK,
} from "@capstan/api";
import { machine as machineOf } from "@capstan/runtime/testing/builders";
import { createWorld, type World } from "@capstan/sim";
import { defineUpdater, done, inProgress, type Updater, type UpdatedObject } from "@capstan/updater";
import { expect, test } from "vitest";
import { create, find, get, MINUTE_MS, patch } from "../../kit/cluster-world.ts";
import { foreign, foreignKind, install } from "../../kit/foreign-kinds.ts";
import {
  CLUSTER,
  deployment,
  machinesIn,
  PATIENCE_MS,
  prepare,
  referenceTo,
} from "../../kit/deployment-world.ts";
import {
  controllersWith,
  FEATURES,
  hostOf,
  register,
  VSphereMachine,
  VSphereMachineTemplate,
} from "../../kit/in-place-world.ts";

import {
  type Exchange,
  expectPrinted,
  printedQuestion,
  printedUpdate,
  recording,
  shownExchange,
} from "../../kit/printed-exchanges.ts";

const LINUX = "/Datacenter/vm/Templates/kubernetes-1-32-ubuntu";
const WINDOWS = "/Datacenter/vm/Templates/kubernetes-1-32-windows";
const DEPLOYMENT = "m-cluster-vsphere-gaslor-md-0";

const ForeignControlPlane = foreignKind(
  "controlplane.cluster.x-k8s.io",
  "ForeignControlPlane",
  "foreigncontrolplanes",
);

const isControlPlane = ({ metadata }: UpdatedObject): boolean =>
  CONTROL_PLANE_LABEL in (metadata.labels ?? {});

/** Updates a machine in five minutes: the first call starts it, the second one finds it done. */
function fiveMinutes(): Pick<Updater, "update"> {
  const started = new Set<string>();
  return {
    update: ({ machine: { name } }) => {
      if (started.has(name)) return done();
      started.add(name);
      return { ...inProgress(300), tryAgain: "5m0s" };
    },
  };
}

/** The two updaters of the examples. */
const updaters = (): readonly Updater[] => [
  defineUpdater({
    name: "vsphere-vm-memory-update",
    canUpdate: ({ changes }) => changes.filter((path) => path === "infraMachine.spec.memoryMiB"),
    ...fiveMinutes(),
  }),
  defineUpdater({
    name: "kcp-version-upgrade",
    canUpdate: ({ changes, currentMachine }) =>
      isControlPlane(currentMachine)
        ? changes.filter((path) =>
            /^(machine\.spec\.version|bootstrap\.spec\.clusterConfiguration\.kubernetesVersion)$/.test(path),
          )
        : [],
    ...fiveMinutes(),
  }),
];

/** Random names and ids, replaced in the order of their appearance. */
function readable(text: string): string {
  const names = new Map<string, string>();
  return text
    .replaceAll(/"uid": "[^"]*"/g, '"uid": "UID"')
    .replaceAll(/-[a-z0-9]{5}-[a-z0-9]{5}\b/g, (suffix) => {
      if (!names.has(suffix)) names.set(suffix, `-MACHINE-${names.size + 1}`);
      return names.get(suffix) ?? suffix;
    })
    .replaceAll(/(gaslor-md-0)-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, "$1-SET")
    .replaceAll(/("machine-template-hash": )"[^"]*"/g, '$1"HASH"');
}

function expectGolden(name: string, exchanges: readonly Exchange[]): void {
  const path = join(import.meta.dirname, "goldens", `${name}.txt`);
  const text = readable(exchanges.map(shownExchange).join("\n"));
  if (process.env["CAPSTAN_GOLDEN"] === "write") writeFileSync(path, text);
  expect(text).toBe(readFileSync(path, "utf8"));
}

async function exampleWorld(exchanges: Exchange[]): Promise<World> {
  const both = updaters();
  const world = await createWorld({
    seed: "1",
    controllers: controllersWith(VSphereMachine),
    features: FEATURES,
    servers: Object.fromEntries(
      both.map((updater) => [hostOf(updater.name), () => recording(exchanges, updater)]),
    ),
  });
  world.start();
  await prepare(world);
  for (const kind of [VSphereMachine, VSphereMachineTemplate]) await install(world, kind);
  for (const { name } of both) {
    await register(world, name);
    await world.advance(2_000);
  }
  return world;
}

async function vsphereTemplate(world: World, name: string, spec: object): Promise<void> {
  const template = { spec: { numCPUs: 2, ...spec } };
  await create(world, VSphereMachineTemplate, foreign(VSphereMachineTemplate, name, { template }));
}

const useTemplate = (world: World, name: string, strategy: object = {}): Promise<unknown> => {
  const infrastructureRef = referenceTo(VSphereMachineTemplate, name);
  return patch(world, MachineDeployment, DEPLOYMENT, {
    spec: { rollout: { strategy }, template: { spec: { infrastructureRef } } },
  });
};

async function workers(world: World): Promise<void> {
  await vsphereTemplate(world, "md-1-1", { memoryMiB: 4096, template: LINUX });
  const template = { spec: { infrastructureRef: referenceTo(VSphereMachineTemplate, "md-1-1") } };
  const spec = { replicas: 1, rollout: { strategy: { type: "InPlace" as const } }, template };
  await create(world, MachineDeployment, deployment({ metadata: { name: DEPLOYMENT }, spec }));
  await world.rest(PATIENCE_MS);
}

test("update worker node memory: the machine moves, is updated by one updater, and keeps its references", async () => {
  const exchanges: Exchange[] = [];
  const world = await exampleWorld(exchanges);
  await workers(world);
  const [before] = await machinesIn(world);
  await vsphereTemplate(world, "md-1-2", { memoryMiB: 8192, template: LINUX });
  await useTemplate(world, "md-1-2");
  await world.advance(MINUTE_MS);
  const [during] = await machinesIn(world);
  expect(during?.spec).toEqual({ ...before?.spec, updaters: ["vsphere-vm-memory-update"] });
  expect(owner(during)).not.toBe(owner(before));
  expect(upToDate(during)).toMatchObject({ status: "False" });
  await world.advance(5 * MINUTE_MS);
  await world.rest(PATIENCE_MS);
  const [after] = await machinesIn(world);
  expect(after?.spec).toEqual(before?.spec);
  expect(upToDate(after)).toMatchObject({ status: "True" });
  const { spec } = (await world.run(world.user.list(VSphereMachine)))[0] ?? {};
  expect(spec).toMatchObject({ memoryMiB: 8192, numCPUs: 2, template: LINUX });
  const [updater, changes] = ["vsphere-vm-memory-update", ["infraMachine.spec.memoryMiB"]] as const;
  const { name = "" } = before?.metadata ?? {};
  expectPrinted(exchanges, [printedQuestion(updater, changes, changes), ...printedUpdate(updater, name)]);
  expectGolden("update-worker-node-memory", exchanges);
});

const owner = (machine: Frozen<Machine> | undefined): string | undefined =>
  machine && controllerOf(machine)?.name;
const upToDate = (machine: Frozen<Machine> | undefined): unknown =>
  getCondition(olderConditionsOf(machine), "UpToDate");

test("update worker nodes from Linux to Windows: no updater covers it, and the fallback replaces the machine", async () => {
  const exchanges: Exchange[] = [];
  const world = await exampleWorld(exchanges);
  await workers(world);
  const [before] = await machinesIn(world);
  await vsphereTemplate(world, "md-1-3", { memoryMiB: 4096, template: WINDOWS });
  await useTemplate(world, "md-1-3", { type: "InPlace", fallbackRollingUpdate: { maxUnavailable: 1 } });
  await world.rest(PATIENCE_MS);
  const machines = await machinesIn(world);
  expect(machines).toHaveLength(1);
  expect(machines[0]?.metadata.name).not.toBe(before?.metadata.name);
  expect(await find(world, Machine, before?.metadata.name ?? "")).toBeUndefined();
  const changes = ["infraMachine.spec.template"];
  const asked = ["vsphere-vm-memory-update", "kcp-version-upgrade"];
  expectPrinted(
    exchanges,
    asked.map((updater) => printedQuestion(updater, changes, [])),
  );
  expectGolden("update-from-linux-to-windows", exchanges);
});

test("a control plane of another kind writes the plan of an update itself, and the plan is removed", async () => {
  const exchanges: Exchange[] = [];
  const world = await exampleWorld(exchanges);
  const name = "kcp-1-hfg374h";
  await install(world, ForeignControlPlane);
  const controlPlane = await create(world, ForeignControlPlane, foreign(ForeignControlPlane, "kcp-1"));
  await create(world, VSphereMachine, foreign(VSphereMachine, name, { memoryMiB: 4096 }));
  await create(
    world,
    Machine,
    machineOf({
      metadata: {
        name,
        labels: { [CONTROL_PLANE_LABEL]: "" },
        ownerReferences: [controllerReferenceTo(controlPlane)],
      },
      spec: {
        clusterName: CLUSTER,
        version: "v1.30.0",
        bootstrap: { configRef: undefined, dataSecretName: "data" },
        infrastructureRef: referenceTo(VSphereMachine, name),
      },
    }),
  );
  await world.rest(PATIENCE_MS);
  const before = await get(world, Machine, name);
  // The control plane records the update on itself; without the record no updater would run.
  const record = { [name]: { updaters: ["kcp-version-upgrade"], version: "v1.31.0", key: "" } };
  const recorded = { [STARTED_UPDATES_ANNOTATION]: JSON.stringify(record) };
  await patch(world, ForeignControlPlane, "kcp-1", { metadata: { annotations: recorded } });
  // Then it writes the desired state and the plan in one write.
  const annotations = {
    [UPDATE_IN_PROGRESS_ANNOTATION]: "",
    [PENDING_HOOKS_ANNOTATION]: UPDATE_MACHINE_HOOK,
  };
  await patch(world, Machine, name, {
    metadata: { annotations },
    spec: { version: "v1.31.0", updaters: ["kcp-version-upgrade"] },
  });
  await world.advance(MINUTE_MS);
  const during = await get(world, Machine, name);
  expect(during.spec).toEqual({ ...before.spec, version: "v1.31.0", updaters: ["kcp-version-upgrade"] });
  expect(upToDate(during)).toMatchObject({ status: "False" });
  await world.advance(5 * MINUTE_MS);
  await world.rest(PATIENCE_MS);
  const after = await get(world, Machine, name);
  expect(after.spec).toEqual({ ...before.spec, version: "v1.31.0" });
  expect(upToDate(after)).toMatchObject({ status: "True" });
  expectGolden("kcp-version-update", exchanges);
});
