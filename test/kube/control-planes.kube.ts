import {
  AzureCluster,
  AzureClusterIdentity,
  AzureMachine,
  AzureMachineTemplate,
  Cluster,
  customKinds,
  type Kind,
  KubeadmConfig,
  KubeadmControlPlane,
  Machine,
  Node,
  Pod,
} from "@capstan/api";
import { type Azure, DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import { AdjustableClock, createRealEnv, withClock } from "@capstan/env";
import { cloudNamed } from "@capstan/azure";
import { Manager } from "@capstan/manager";
import { type Client, createClient, Sensitive, silentLogger } from "@capstan/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installDefinitions } from "../../packages/cli/src/cluster/install-definitions.ts";
import { inProcess } from "../../packages/cli/src/cluster/transport.ts";
import { create, createIdentity } from "../bench/cluster-objects.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { eventually } from "./management.ts";
import { createQuickAzure } from "./quick-azure.ts";
import { startSimulatedWorkloads } from "./simulated-workloads.ts";

const NAME = { name: "demo", namespace: "default" };
const GONE: readonly Kind[] = [
  Cluster,
  KubeadmControlPlane,
  Machine,
  KubeadmConfig,
  AzureMachine,
  AzureCluster,
];

let plane: ControlPlane;
let azure: Azure;
let client: Client;
let workload: Client;
const stops: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const real = createRealEnv();
  const clock = new AdjustableClock(real.clock);
  // Azure and kubeadm say how long to wait, which is most of the time.
  clock.setSpeed(80);
  const env = withClock(real, clock);
  plane = await startControlPlane();
  client = createClient({ transport: plane.connect(), env: real, fieldManager: "test" });
  await installDefinitions({ env: real, transport: plane.connect() }, customKinds);
  azure = createQuickAzure(env);
  const workloads = await startSimulatedWorkloads({
    env,
    azure,
    management: plane.connect(),
    settings: { boot: { p50: 10, p90: 15 } },
  });
  workload = createClient({ transport: workloads.transportTo("demo"), env: real, fieldManager: "test" });
  const manager = new Manager({
    env,
    log: silentLogger,
    kube: plane.connect(),
    azure: {
      acquire: () =>
        Promise.resolve({ token: new Sensitive(azure.issueToken().token), lifetimeMs: 3_600_000 }),
      cloud: cloudNamed(),
      connect: () => inProcess(azure.handle),
    },
    ...workloads.access,
    readFile: () => Promise.reject(new Error("there are no files")),
  });
  await manager.start();
  stops.push(
    () => manager.stop(),
    () => workloads.close(),
  );
  await createIdentity(client);
});
afterAll(async () => {
  for (const stop of stops) await stop();
  azure.close();
  await plane.stop();
});

async function createControlPlane(): Promise<void> {
  const reference = ({ group, kind }: Kind) => ({ apiGroup: group, kind, name: NAME.name });
  await create(client, AzureCluster, {
    metadata: NAME,
    spec: {
      location: "westeurope",
      subscriptionID: DEFAULT_SUBSCRIPTION,
      identityRef: { kind: AzureClusterIdentity.kind, name: "bench" },
    },
  });
  await create(client, AzureMachineTemplate, {
    metadata: NAME,
    spec: { template: { spec: { vmSize: "Standard_D2s_v3", osDisk: { osType: "Linux" } } } },
  });
  await create(client, KubeadmControlPlane, {
    metadata: NAME,
    spec: {
      replicas: 1,
      version: "v1.33.5",
      machineTemplate: { spec: { infrastructureRef: reference(AzureMachineTemplate) } },
      kubeadmConfigSpec: { clusterConfiguration: { encryptionAlgorithm: "ECDSA-P256" } },
    },
  });
  await create(client, Cluster, {
    metadata: NAME,
    spec: {
      controlPlaneRef: reference(KubeadmControlPlane),
      infrastructureRef: reference(AzureCluster),
    },
  });
}

/** Waits until all machines are ready at the version, each with its Node and its static pods. Returns the names. */
async function settled(version: string): Promise<readonly string[]> {
  await eventually(async () => {
    const { status, metadata } = await client.get(KubeadmControlPlane, NAME);
    expect(status).toMatchObject({
      observedGeneration: metadata.generation,
      replicas: 1,
      readyReplicas: 1,
      upToDateReplicas: 1,
      version,
    });
    const names = await machineNames();
    const nodes = await workload.list(Node);
    expect(nodes.map((one) => one.metadata.name)).toEqual(names);
    expect(nodes.map((one) => one.status?.nodeInfo?.kubeletVersion)).toEqual([version]);
    const pods = await workload.list(Pod, { namespace: "kube-system" });
    expect(pods.map((one) => one.metadata.name)).toEqual(
      ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"].map(
        (component) => `${component}-${names[0]}`,
      ),
    );
  });
  return machineNames();
}

async function machineNames(): Promise<readonly string[]> {
  return (await client.list(Machine)).map(({ metadata }) => metadata.name);
}

describe("a control plane of one machine on a real kube-apiserver", () => {
  let first: readonly string[];

  test("comes up: its machine is a Node with static pods", async () => {
    await createControlPlane();
    first = await settled("v1.33.5");
    const { status } = await client.get(Cluster, NAME);
    expect(status).toMatchObject({
      initialization: { controlPlaneInitialized: true, infrastructureProvisioned: true },
    });
  });

  test("is upgraded: another machine takes over, and the first one is gone with its Node", async () => {
    const body = { spec: { version: "v1.34.1" } };
    await client.patch(KubeadmControlPlane, NAME, { type: "merge", body });
    expect(await settled("v1.34.1")).not.toEqual(first);
  });

  test("goes with its Cluster, and leaves nothing", async () => {
    await client.delete(Cluster, NAME, {});
    await eventually(async () => {
      for (const kind of GONE) expect(await client.list(kind)).toEqual([]);
      expect(azure.control.state().resources.map(({ id }) => id)).toEqual([]);
    });
  });
});
