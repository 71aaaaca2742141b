import {
  AzureMachinePool,
  customKinds,
  DEFAULT_FEATURES,
  type Kind,
  KubeadmConfig,
  MachinePool,
  Node,
  PROTOTYPE_NOW_ANNOTATION,
} from "@capstan/api";
import { builtInKinds, createApiServer } from "@capstan/apiserver";
import { type Azure, serveAzure } from "@capstan/azure-sim";
import { AdjustableClock, createRealEnv, type Transport, withClock } from "@capstan/env";
import { cloudNamed, createNetwork, type Network } from "@capstan/azure";
import { Manager } from "@capstan/manager";
import { HELPER_LUN } from "@capstan/plan";
import { type Client, createClient, Sensitive, silentLogger } from "@capstan/runtime";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installDefinitions } from "../../packages/cli/src/cluster/install-definitions.ts";
import { create, createIdentity } from "../bench/cluster-objects.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { startKubelets } from "./kubelets.ts";
import { eventually } from "./management.ts";
import { createQuickAzure, runningIn } from "./quick-azure.ts";
import { createCluster } from "./quick-cluster.ts";

const POOL = { name: "mp", namespace: "default" };

let plane: ControlPlane;
let azure: Azure;
let network: Network;
let client: Client;
let workload: Client;
const stops: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const real = createRealEnv();
  const clock = new AdjustableClock(real.clock);
  // Azure says how long to wait between two polls, which is most of the time.
  clock.setSpeed(120);
  const env = withClock(real, clock);
  plane = await startControlPlane();
  azure = createQuickAzure(env);
  // No guests run here: what the scrub on a helper VM does at its end is done for it.
  azure.core.onMachine(({ kind, machineId }) => {
    const isHelper = azure.core.machine(machineId)?.luns?.includes(HELPER_LUN) === true;
    if (kind === "booted" && isHelper) azure.core.powerOffFromInside(machineId);
  });
  const server = await serveAzure(azure);
  network = createNetwork();
  const workloadServer = createApiServer({ env, kinds: builtInKinds });
  const toWorkload = (): Transport => ({
    request: (request) => workloadServer.handle(request),
    close: () => Promise.resolve(),
  });
  client = createClient({ transport: plane.connect(), env: real, fieldManager: "test" });
  workload = createClient({ transport: toWorkload(), env, fieldManager: "test" });
  await installDefinitions({ env: real, transport: plane.connect() }, customKinds);
  await createIdentity(client);
  await createCluster(client, "demo");
  await createPool();
  const manager = new Manager({
    env,
    log: silentLogger,
    kube: plane.connect(),
    azure: {
      // Azure's library requires HTTPS; the simulated cloud issues a token without it.
      acquire: () =>
        Promise.resolve({ token: new Sensitive(azure.issueToken().token), lifetimeMs: 3_600_000 }),
      cloud: { ...cloudNamed(), resourceManager: `http://127.0.0.1:${server.port}` },
      connect: network.connect,
    },
    workload: { connect: toWorkload },
    readFile: () => Promise.reject(new Error("there are no files")),
    features: { ...DEFAULT_FEATURES, NodePrototyping: true },
  });
  await manager.start();
  const kubelets = startKubelets(client, { machines: () => runningIn(azure) }, workload);
  stops.push(
    () => kubelets.stop(),
    () => manager.stop(),
    () => server.close(),
  );
});
afterAll(async () => {
  for (const stop of stops) await stop();
  azure.close();
  await network.close();
  await plane.stop();
});

/** Two machines with an image of a gallery, which renew it. */
async function createPool(): Promise<void> {
  const reference = ({ group, kind }: Kind) => ({ apiGroup: group, kind, name: POOL.name });
  const image = {
    computeGallery: {
      gallery: "ClusterAPI-f72ceb4f-5159-4c26-a0fe-2ea738f0d019",
      name: "capi-ubun2-2404",
      version: "1.33.5",
    },
    nodePrototyping: { interval: "24h", canary: "Disabled" },
  };
  await create(client, KubeadmConfig, { metadata: POOL, spec: {} });
  await create(client, AzureMachinePool, {
    metadata: POOL,
    spec: {
      location: "westeurope",
      template: { vmSize: "Standard_D2s_v3", image, osDisk: { osType: "Linux" } },
    },
  });
  await create(client, MachinePool, {
    metadata: POOL,
    spec: {
      clusterName: "demo",
      replicas: 2,
      template: {
        spec: {
          clusterName: "demo",
          version: "v1.33.5",
          bootstrap: { configRef: reference(KubeadmConfig) },
          infrastructureRef: reference(AzureMachinePool),
        },
      },
    },
  });
}

test("a pool on a real kube-apiserver renews its image, and its donor is back in service", async () => {
  await eventually(async () =>
    expect((await client.get(MachinePool, POOL)).status).toMatchObject({ readyReplicas: 2 }),
  );
  const body = { metadata: { annotations: { [PROTOTYPE_NOW_ANNOTATION]: "1" } } };
  await client.patch(AzureMachinePool, POOL, { type: "merge", body });
  await eventually(async () => {
    const { status } = await client.get(AzureMachinePool, POOL);
    expect(status?.lastImagePrototype).toBeDefined();
    expect(status?.nodePrototyping).toMatchObject({ phase: "Idle" });
  });
  const resources = azure.control.state().resources.map(({ type }) => type);
  expect(resources).toContain("Microsoft.Compute/galleries/images/versions");
  expect(resources).not.toContain("Microsoft.Compute/snapshots");
  expect((await workload.list(Node)).map(({ spec }) => spec?.unschedulable ?? false)).toEqual([false, false]);
});
