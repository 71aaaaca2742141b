import {
  type Frozen,
  isTrue,
  KubeadmConfigTemplate,
  Machine,
  type MachineDeployment,
  MachineSet,
  Node,
  olderConditionsOf,
  Secret,
} from "@capstan/api";
import { clusterReconciler } from "../../../packages/manager/src/reconcilers/cluster/reconciler.ts";
import { kubeadmConfigReconciler } from "../../../packages/manager/src/reconcilers/kubeadmconfig/reconciler.ts";
import { machineReconciler } from "../../../packages/manager/src/reconcilers/machine/reconciler.ts";
import { machineDeploymentReconciler } from "../../../packages/manager/src/reconcilers/machinedeployment/reconciler.ts";
import { machineHealthCheckReconciler } from "../../../packages/manager/src/reconcilers/machinehealthcheck/reconciler.ts";
import { machineSetReconciler } from "../../../packages/manager/src/reconcilers/machineset/reconciler.ts";
import { kubeadmConfigTemplate, machineDeployment, type Overrides } from "@capstan/runtime/testing/builders";
import { createWorld, SIMULATED_AUTHORITY, type World, type WorldOptions } from "@capstan/sim";
import { create, createCluster, find, MINUTE_MS, NAMESPACE, workloadsOf } from "./cluster-world.ts";
import { foreign, install } from "./foreign-kinds.ts";
import { networkProvider } from "./providers.ts";
import { TestMachine, TestMachineTemplate, testProvider } from "./test-provider.ts";

export const CLUSTER = "demo";
export const DEPLOYMENT = "workers";
const VERSION = "v1.31.2";
export const PATIENCE_MS = 15 * MINUTE_MS;

/** The controllers of machines, beside a test provider of infrastructure. */
export const controllers: WorldOptions["controllers"] = (connections) => {
  const workloads = workloadsOf(connections);
  const { clock } = connections.env;
  return [
    clusterReconciler({ workloads }),
    networkProvider,
    machineDeploymentReconciler(),
    machineSetReconciler(),
    machineReconciler({ clock, workloads }),
    machineHealthCheckReconciler({ workloads }),
    kubeadmConfigReconciler({ workloadClient: async (cluster) => (await workloads.get(cluster)).client }),
    testProvider(connections),
  ];
};

/** A world with the CRDs of the test provider; no manager runs yet. */
export async function deploymentWorld(options: Partial<WorldOptions> = {}): Promise<World> {
  const world = await createWorld({ seed: "1", controllers, ...options });
  world.start();
  await prepare(world);
  return world;
}

/** Installs the CRDs and creates a cluster with the templates of machines. */
export async function prepare(world: World): Promise<void> {
  for (const kind of [TestMachine, TestMachineTemplate]) await install(world, kind);
  await createCluster(world, CLUSTER);
  const data = { "tls.crt": Buffer.from(SIMULATED_AUTHORITY).toString("base64") };
  const metadata = { name: `${CLUSTER}-ca`, namespace: NAMESPACE };
  if (!(await find(world, Secret, metadata.name)))
    await world.run(world.user.create(Secret, { metadata, data }));
  await createTemplate(world, "small");
  await create(world, KubeadmConfigTemplate, kubeadmConfigTemplate({ metadata: { name: "join" } }));
}

/** Creates a template of TestMachines. */
export async function createTemplate(world: World, name: string): Promise<void> {
  const template = { spec: { size: name } };
  await create(world, TestMachineTemplate, foreign(TestMachineTemplate, name, { template }));
}

/** A MachineDeployment of TestMachines. */
export function deployment(...overrides: readonly Overrides<MachineDeployment>[]): MachineDeployment {
  return machineDeployment(
    {
      metadata: { name: DEPLOYMENT },
      spec: {
        clusterName: CLUSTER,
        replicas: 3,
        template: {
          spec: {
            clusterName: CLUSTER,
            version: VERSION,
            bootstrap: { configRef: referenceTo(KubeadmConfigTemplate, "join") },
            infrastructureRef: referenceTo(TestMachineTemplate, "small"),
          },
        },
      },
    },
    ...overrides,
  );
}

/** A reference to an object. */
export function referenceTo(
  { group, kind }: { readonly group: string; readonly kind: string },
  name: string,
): { apiGroup: string; kind: string; name: string } {
  return { apiGroup: group, kind, name };
}

/** All machines. */
export function machinesIn(world: World): Promise<readonly Frozen<Machine>[]> {
  return world.run(world.user.list(Machine, { namespace: NAMESPACE }));
}

/** All MachineSets. */
export function setsIn(world: World): Promise<readonly Frozen<MachineSet>[]> {
  return world.run(world.user.list(MachineSet, { namespace: NAMESPACE }));
}

/** The Nodes of the workload cluster. */
export function nodesIn(world: World): Promise<readonly Frozen<Node>[]> {
  const client = world.workload(CLUSTER);
  return client ? world.run(client.list(Node)) : Promise.resolve([]);
}

/** Whether a machine is available. */
export function isAvailable({ status }: Frozen<Machine>): boolean {
  return isTrue(olderConditionsOf({ status }), "Available");
}
