import { customKinds, KubeadmConfigTemplate, MachineDeployment } from "@capstan/api";
import { builtInKinds, createApiServer } from "@capstan/apiserver";
import { createRealEnv, type Transport } from "@capstan/env";
import { cloudNamed } from "@capstan/azure";
import { Manager } from "@capstan/manager";
import { type Client, createClient, Runner, silentLogger } from "@capstan/runtime";
import { installDefinitions } from "../../packages/cli/src/cluster/install-definitions.ts";
import { create } from "../bench/cluster-objects.ts";
import { definitionOf, foreign } from "../world/kit/foreign-kinds.ts";
import {
  type ProviderLatencies,
  TestMachine,
  TestMachineTemplate,
  testProvider,
} from "../world/kit/test-provider.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { establish } from "./custom-resource-definition.ts";
import { createReadyCluster } from "./quick-cluster.ts";

const CLUSTER = "demo";
/** The MachineDeployment of `createDeployment`. */
export const DEPLOYMENT = { name: "workers", namespace: "default" };
/** The controllers of machines; those of Azure have nothing to do. */
export const CONTROLLERS = [
  "cluster",
  "machinedeployment",
  "machineset",
  "machine",
  "machinehealthcheck",
  "kubeadmconfig",
];

/** Machines of the test provider on a real kube-apiserver; the workload cluster is an embedded API server. */
export interface TestMachines {
  readonly plane: ControlPlane;
  readonly client: Client;
  readonly workload: Client;
  readonly stop: () => Promise<void>;
}

/** Starts a manager and the provider, with a cluster that is ready. */
export async function startTestMachines(latencies?: ProviderLatencies): Promise<TestMachines> {
  const env = createRealEnv();
  const plane = await startControlPlane({ audit: true });
  const server = createApiServer({ env, kinds: builtInKinds });
  const toWorkload = (): Transport => ({
    request: (request) => server.handle(request),
    close: () => Promise.resolve(),
  });
  const client = createClient({ transport: plane.connect(), env, fieldManager: "test" });
  await installDefinitions({ env, transport: plane.connect() }, customKinds);
  for (const kind of [TestMachine, TestMachineTemplate]) await establish(client, definitionOf(kind));
  await createReadyCluster(client, CLUSTER);
  const manager = new Manager({
    env,
    log: silentLogger,
    kube: plane.connect(),
    azure: { cloud: cloudNamed(), connect: () => unreachable() },
    workload: { connect: toWorkload },
    readFile: () => Promise.reject(new Error("there are no files")),
    controllers: CONTROLLERS,
  });
  const provider = new Runner({
    env,
    transport: plane.connect(),
    log: silentLogger,
    name: "test-provider",
    reconcilers: [testProvider({ env, connect: toWorkload }, { latencies })],
  });
  await Promise.all([manager.start(), provider.start()]);
  return {
    plane,
    client,
    workload: createClient({ transport: toWorkload(), env, fieldManager: "test" }),
    stop: async () => {
      await Promise.all([manager.stop(), provider.stop()]);
      await plane.stop();
    },
  };
}

/** The way to Azure, for machines that do not need it. */
export function unreachable(): never {
  throw new Error("these machines need no Azure");
}

/** Creates a MachineDeployment with its templates. */
export async function createDeployment(
  client: Client,
  replicas: number,
  maxSurge: number | string,
): Promise<void> {
  const { namespace, name } = DEPLOYMENT;
  const template = { spec: { size: "small" } };
  await client.create(TestMachineTemplate, foreign(TestMachineTemplate, name, { template }));
  await create(client, KubeadmConfigTemplate, { metadata: DEPLOYMENT, spec: { template: { spec: {} } } });
  const reference = ({ group, kind }: { group: string; kind: string }) => ({
    apiGroup: group,
    kind,
    name,
    namespace,
  });
  const rollingUpdate = { maxSurge, maxUnavailable: 0 };
  await create(client, MachineDeployment, {
    metadata: DEPLOYMENT,
    spec: {
      clusterName: CLUSTER,
      replicas,
      selector: {},
      rollout: { strategy: { type: "RollingUpdate", rollingUpdate } },
      template: {
        spec: {
          clusterName: CLUSTER,
          version: "v1.33.5",
          bootstrap: { configRef: reference(KubeadmConfigTemplate) },
          infrastructureRef: reference(TestMachineTemplate),
        },
      },
    },
  });
}
