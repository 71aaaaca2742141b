/** An update in place on a real kube-apiserver: its server-side apply, its dry run and its owner references. */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import {
  Cluster,
  controllerOf,
  ExtensionConfig,
  getCondition,
  Machine,
  MachineDeployment,
  MachineSet,
  Node,
  withDefaults,
} from "@capstan/api";
import { createRealEnv, type Transport } from "@capstan/env";
import { updaterPorts } from "@capstan/manager";
import { extensionConfigReconciler } from "../../packages/manager/src/reconcilers/extensionconfig/reconciler.ts";
import { machineReconciler } from "../../packages/manager/src/reconcilers/machine/reconciler.ts";
import { machineDeploymentReconciler } from "../../packages/manager/src/reconcilers/machinedeployment/reconciler.ts";
import { machineSetReconciler } from "../../packages/manager/src/reconcilers/machineset/reconciler.ts";
import {
  type Client,
  type Context,
  createClient,
  defineReconciler,
  isAlreadyExists,
  next,
  on,
  Runner,
  silentLogger,
} from "@capstan/runtime";
import { cluster, machineDeployment, node } from "@capstan/runtime/testing/builders";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { WorkloadNodes } from "../../packages/manager/src/workload/nodes.ts";
import { definitionOf, type Foreign, foreign } from "../world/kit/foreign-kinds.ts";
import { FEATURES, noCalls, testUpdater } from "../world/kit/in-place-world.ts";
import { TestMachine, TestMachineTemplate } from "../world/kit/test-provider.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { type CustomResourceDefinition, establish } from "./custom-resource-definition.ts";

const env = createRealEnv();
const namespace = "default";
const calls = noCalls();
const updater = testUpdater("resizer", ["infraMachine.spec.size"], { calls, rounds: 1 });
const updaterTransport: Transport = { request: updater.handle, close: () => Promise.resolve() };
const closing = new AbortController();

let plane: ControlPlane;
let client: Client;
let runner: Runner;

/** Machines that are Nodes at once. */
const provider = defineReconciler<Foreign, Context<Foreign>>({
  name: "testmachine",
  for: TestMachine,
  watches: [on(Machine, ({ metadata: { name } }) => [{ name, namespace }])],
  scope: (context) => context,
  normal: [
    async ({ object }) => {
      const { name } = object.metadata;
      const providerID = `test:///${name}`;
      object.spec = { ...object.spec, providerID };
      object.status = { ...object.status, ready: true };
      try {
        await client.create(Node, node({ metadata: { name }, spec: { providerID } }));
        const conditions = [{ type: "Ready", status: "True", lastTransitionTime: new Date().toISOString() }];
        await client.patch(
          Node,
          { name },
          { type: "merge", subresource: "status", body: { status: { conditions } } },
        );
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
      return next;
    },
  ],
});

function createRunner(): Runner {
  const { updaters } = updaterPorts({
    env,
    client,
    assertMayWrite: () => undefined,
    updaters: { connect: () => updaterTransport },
  });
  const nodes = new WorkloadNodes(
    { client, env, log: silentLogger, onChange: () => undefined },
    closing.signal,
  );
  const workloads = {
    get: () =>
      Promise.resolve({
        client,
        facts: { server: "https://nodes.example" },
        nodes: () => Promise.resolve(nodes),
      }),
    onNodeChange: () => undefined,
  };
  return new Runner({
    env,
    transport: plane.connect(),
    log: silentLogger,
    name: "capstan",
    reconcilers: [
      machineDeploymentReconciler({ features: FEATURES, updaters }),
      machineSetReconciler(),
      machineReconciler({ clock: env.clock, workloads, updaters }),
      extensionConfigReconciler({ updaters, readSecret: () => Promise.resolve(undefined) }),
      provider,
    ],
  });
}

beforeAll(async () => {
  plane = await startControlPlane();
  client = createClient({ transport: plane.connect(), env, fieldManager: "test" });
  const core = [
    "clusters",
    "machines",
    "machinesets",
    "machinedeployments",
    "machinedrainrules",
    "machinehealthchecks",
  ];
  const files = [
    ...core.map((plural) => `cluster.x-k8s.io_${plural}`),
    "runtime.cluster.x-k8s.io_extensionconfigs",
    ...["kubeadmconfigs", "kubeadmconfigtemplates"].map((plural) => `bootstrap.cluster.x-k8s.io_${plural}`),
    ...["azuremachines", "azuremachinetemplates"].map(
      (plural) => `infrastructure.cluster.x-k8s.io_${plural}`,
    ),
  ];
  await Promise.all([
    ...files.map((file) =>
      establish(
        client,
        parse(readFileSync(`packages/api/crds/${file}.yaml`, "utf8")) as CustomResourceDefinition,
      ),
    ),
    ...[TestMachine, TestMachineTemplate].map((kind) => establish(client, definitionOf(kind))),
  ]);
  await client.create(Cluster, cluster({ metadata: { name: "demo" } }));
  const conditions = [
    {
      type: "ControlPlaneInitialized",
      status: "True",
      reason: "Because",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    },
  ];
  const status = {
    initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true },
    deprecated: { v1beta1: { conditions } },
  };
  await client.patch(
    Cluster,
    { name: "demo", namespace },
    { type: "merge", subresource: "status", body: { status } },
  );
  const { apiVersion, kind } = ExtensionConfig;
  const spec = { clientConfig: { url: "https://resizer.invalid" } };
  await client.create(ExtensionConfig, { apiVersion, kind, metadata: { name: "resizer" }, spec });
  for (const size of ["small", "large"])
    await client.create(
      TestMachineTemplate,
      foreign(TestMachineTemplate, size, { template: { spec: { size } } }),
    );
  runner = createRunner();
  await runner.start();
});

afterAll(async () => {
  closing.abort(new Error("the test is over"));
  await runner.stop();
  await plane.stop();
});

async function eventually(assertion: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await assertion();
    } catch {
      await sleep(100);
    }
  }
}

const referenceTo = (name: string): object => ({
  apiGroup: TestMachineTemplate.group,
  kind: TestMachineTemplate.kind,
  name,
  namespace,
});

const identities = async (): Promise<readonly string[]> =>
  (await Promise.all([client.list(Machine), client.list(TestMachine), client.list(Node)]))
    .flat()
    .map(({ metadata: { name, uid } }) => `${name} ${uid}`)
    .toSorted();

test("machines keep names and UIDs while they move to another MachineSet and are updated", async () => {
  const deployment = machineDeployment({
    metadata: { name: "workers" },
    spec: {
      clusterName: "demo",
      replicas: 2,
      rollout: { strategy: { type: "InPlace" } },
      template: {
        spec: {
          clusterName: "demo",
          bootstrap: { configRef: undefined, dataSecretName: "data" },
          infrastructureRef: referenceTo("small"),
        },
      },
    },
  });
  await client.create(MachineDeployment, withDefaults(MachineDeployment, deployment));
  const isComplete = async (size: string): Promise<void> => {
    const { status } = await client.get(MachineDeployment, { name: "workers", namespace });
    expect(status).toMatchObject({ upToDateReplicas: 2, availableReplicas: 2 });
    expect(getCondition(status?.conditions, "RollingOut")?.status).toBe("False");
    expect((await client.list(TestMachine)).map(({ spec }) => spec?.["size"])).toEqual([size, size]);
  };
  await eventually(() => isComplete("small"));
  const before = await identities();
  const body = { spec: { template: { spec: { infrastructureRef: referenceTo("large") } } } };
  await client.patch(MachineDeployment, { name: "workers", namespace }, { type: "merge", body });
  await eventually(() => isComplete("large"));
  expect(await identities()).toEqual(before);
  await eventually(async () => expect(await client.list(MachineSet)).toHaveLength(1));
  const [set] = await client.list(MachineSet);
  for (const machine of await client.list(Machine)) {
    expect(controllerOf(machine)?.uid).toBe(set?.metadata.uid);
    expect(machine.metadata.ownerReferences).toHaveLength(1);
    expect(machine.spec.updaters).toBeUndefined();
    expect(Object.keys(machine.metadata.annotations ?? {})).toEqual([]);
  }
  expect(calls.asked).toEqual([["infraMachine.spec.size"]]);
  expect(calls.updated).toHaveLength(2);
});
