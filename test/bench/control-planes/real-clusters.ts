import { setTimeout as sleep } from "node:timers/promises";
import {
  AzureCluster,
  Cluster,
  customKinds,
  type Kind,
  KubeadmConfigTemplate,
  KubeadmControlPlane,
  MachineDeployment,
} from "@capstan/api";
import { createRealEnv } from "@capstan/env";
import { cloudNamed } from "@capstan/azure";
import { Manager } from "@capstan/manager";
import { type Client, createClient, Runner, silentLogger } from "@capstan/runtime";
import { installDefinitions } from "../../../packages/cli/src/cluster/install-definitions.ts";
import { startControlPlane } from "../../kube/control-plane.ts";
import { establish } from "../../kube/custom-resource-definition.ts";
import { CONTROLLERS, unreachable } from "../../kube/test-machines.ts";
import { definitionOf, foreign } from "../../world/kit/foreign-kinds.ts";
import { TestMachine, TestMachineTemplate } from "../../world/kit/test-provider.ts";
import { create } from "../cluster-objects.ts";
import { providerWritesTo, writesTo } from "../machines/real-machines.ts";
import { printTable } from "../table.ts";
import { TestClusters, testControlPlanes } from "./test-control-planes.ts";

const NAMESPACE = "default";
const LOOK_MS = 250;
// The last writes come after the last machine is available.
const QUIET_MS = 5_000;
const UPSTREAM: Readonly<Record<number, string>> = {
  1: "57 s, 301 writes",
  10: "67 s, 294 writes",
  50: "694 s for 49 of them, 347 writes",
};

/** Clusters of one control plane and one worker on a real kube-apiserver, in real time. */
export async function realClusters(counts: readonly number[]): Promise<void> {
  const rows = [];
  const writes: (readonly string[])[] = [];
  for (const count of counts) {
    const measured = await measure(count);
    rows.push(measured.cells);
    writes.push(measured.writes);
  }
  printTable(
    [
      "clusters of 1 + 1",
      "s",
      "writes each",
      "of the provider each",
      "CPU s",
      "upstream (with its provider)",
      "goal, writes",
    ],
    rows,
  );
  console.log();
  const names = [...new Set(writes.flat())].toSorted();
  printTable(
    ["writes each", ...counts.map(String)],
    names.map((name) => [
      name,
      ...writes.map((all, index) =>
        (all.filter((one) => one === name).length / (counts[index] ?? 1)).toFixed(1),
      ),
    ]),
  );
}

async function measure(count: number): Promise<{ cells: string[]; writes: readonly string[] }> {
  const env = createRealEnv();
  const plane = await startControlPlane({ audit: true });
  const clusters = new TestClusters(env);
  const client = createClient({ transport: plane.connect(), env, fieldManager: "test" });
  await installDefinitions({ env, transport: plane.connect() }, customKinds);
  for (const kind of [TestMachine, TestMachineTemplate]) await establish(client, definitionOf(kind));
  const manager = new Manager({
    env,
    log: silentLogger,
    kube: plane.connect(),
    azure: { cloud: cloudNamed(), connect: unreachable },
    workload: { connect: clusters.connect },
    connectEtcd: clusters.connectEtcd,
    readFile: () => Promise.reject(new Error("there are no files")),
    controllers: [...CONTROLLERS, "kubeadmcontrolplane"],
  });
  const provider = new Runner({
    env,
    transport: plane.connect(),
    log: silentLogger,
    name: "test-provider",
    reconcilers: [testControlPlanes(clusters)],
  });
  await Promise.all([manager.start(), provider.start()]);
  try {
    const before = writesTo(plane).length;
    const cpu = process.cpuUsage();
    const startedMs = performance.now();
    for (let number = 0; number < count; number++) await createCluster(client, `c${number}`);
    await allAvailable(client, count);
    const seconds = (performance.now() - startedMs) / 1000;
    await sleep(QUIET_MS);
    const { user, system } = process.cpuUsage(cpu);
    const writes = writesTo(plane).slice(before);
    const each = (number: number): string => (number / count).toFixed(1);
    const cells = [
      String(count),
      seconds.toFixed(0),
      each(writes.length),
      each(providerWritesTo(plane).length),
      ((user + system) / 1e6).toFixed(1),
      UPSTREAM[count] ?? "",
      "80",
    ];
    return { cells, writes };
  } finally {
    await Promise.all([manager.stop(), provider.stop()]);
    await plane.stop();
  }
}

async function allAvailable(client: Client, count: number): Promise<void> {
  for (;;) {
    const controlPlanes = await client.list(KubeadmControlPlane);
    const deployments = await client.list(MachineDeployment);
    const isDone =
      controlPlanes.every(
        ({ status }) =>
          status?.readyReplicas === 1 && status.initialization?.controlPlaneInitialized === true,
      ) &&
      deployments.every(({ status }) => status?.availableReplicas === 1) &&
      deployments.length === count;
    if (isDone) return;
    await sleep(LOOK_MS);
  }
}

async function createCluster(client: Client, name: string): Promise<void> {
  const metadata = { name, namespace: NAMESPACE };
  const reference = ({ apiVersion, kind }: Kind) => ({ apiVersion, kind, name, namespace: NAMESPACE });
  const controlPlaneEndpoint = { host: `${name}.example.com`, port: 6443 };
  const template = { spec: { size: "small" } };
  await client.create(TestMachineTemplate, foreign(TestMachineTemplate, name, { template }));
  const network = { location: "westeurope", subscriptionID: "none", controlPlaneEndpoint };
  await create(client, AzureCluster, { metadata, spec: network });
  const ready = { type: "merge", subresource: "status", body: { status: { ready: true } } } as const;
  await client.patch(AzureCluster, metadata, ready);
  await create(client, KubeadmControlPlane, {
    metadata,
    spec: {
      replicas: 1,
      version: "v1.34.1",
      machineTemplate: { infrastructureRef: reference(TestMachineTemplate) },
      kubeadmConfigSpec: {},
    },
  });
  await create(client, Cluster, {
    metadata,
    spec: {
      controlPlaneEndpoint,
      infrastructureRef: reference(AzureCluster),
      controlPlaneRef: reference(KubeadmControlPlane),
    },
  });
  await create(client, KubeadmConfigTemplate, { metadata, spec: { template: { spec: {} } } });
  await create(client, MachineDeployment, {
    metadata,
    spec: {
      clusterName: name,
      replicas: 1,
      selector: {},
      template: {
        spec: {
          clusterName: name,
          version: "v1.34.1",
          bootstrap: { configRef: reference(KubeadmConfigTemplate) },
          infrastructureRef: reference(TestMachineTemplate),
        },
      },
    },
  });
}
