import { DEFAULT_FEATURES, ExtensionConfig, type Features, MachineDeployment, Secret } from "@capstan/api";
import type { Handler } from "@capstan/env";
import { updaterPorts } from "@capstan/manager";
import { clusterReconciler } from "../../../packages/manager/src/reconcilers/cluster/reconciler.ts";
import { extensionConfigReconciler } from "../../../packages/manager/src/reconcilers/extensionconfig/reconciler.ts";
import { kubeadmConfigReconciler } from "../../../packages/manager/src/reconcilers/kubeadmconfig/reconciler.ts";
import { machineReconciler } from "../../../packages/manager/src/reconcilers/machine/reconciler.ts";
import { machineDeploymentReconciler } from "../../../packages/manager/src/reconcilers/machinedeployment/reconciler.ts";
import { machineHealthCheckReconciler } from "../../../packages/manager/src/reconcilers/machinehealthcheck/reconciler.ts";
import { machineSetReconciler } from "../../../packages/manager/src/reconcilers/machineset/reconciler.ts";
import { createClient } from "@capstan/runtime";
import { createWorld, type ManagerConnections, type World, type WorldOptions } from "@capstan/sim";
import { defineUpdater, done, type FieldPath, inProgress, isBelow, type Updater } from "@capstan/updater";
import { create, patch, workloadsOf } from "./cluster-world.ts";
import { foreignKind } from "./foreign-kinds.ts";
import { networkProvider } from "./providers.ts";
import {
  createTemplate,
  DEPLOYMENT,
  deployment,
  PATIENCE_MS,
  prepare,
  referenceTo,
} from "./deployment-world.ts";
import { type ProviderLatencies, TestMachine, TestMachineTemplate, testProvider } from "./test-provider.ts";

const VSPHERE = "infrastructure.cluster.x-k8s.io";
/** The kinds of the examples of the proposal; the test provider acts on them, too. */
export const VSphereMachine = foreignKind(VSPHERE, "VSphereMachine", "vspheremachines");
export const VSphereMachineTemplate = foreignKind(
  VSPHERE,
  "VSphereMachineTemplate",
  "vspheremachinetemplates",
);

export const FEATURES: Features = { ...DEFAULT_FEATURES, InPlaceUpdates: true };

/** The controllers of machines with updaters, beside a test provider of infrastructure. */
export function controllersWith(
  infrastructure = TestMachine,
  latencies?: ProviderLatencies,
): WorldOptions["controllers"] {
  const features = FEATURES;
  return (connections: ManagerConnections) => {
    const workloads = workloadsOf(connections);
    const { env, kube, connect, assertMayWrite } = connections;
    const client = createClient({ transport: kube, env, fieldManager: "capstan" });
    const { updaters } = updaterPorts({
      env,
      client,
      assertMayWrite,
      updaters: { connect: ({ url }) => connect(url) },
    });
    return [
      clusterReconciler({ workloads }),
      networkProvider,
      machineDeploymentReconciler({ features, updaters }),
      machineSetReconciler(),
      machineReconciler({ clock: env.clock, workloads, updaters }),
      machineHealthCheckReconciler({ workloads }),
      kubeadmConfigReconciler({ workloadClient: async (cluster) => (await workloads.get(cluster)).client }),
      extensionConfigReconciler({
        updaters,
        readSecret: (namespace, name) => client.find(Secret, { namespace, name }),
      }),
      testProvider(connections, { latencies, kind: infrastructure }),
    ];
  };
}

/** The calls that an updater has received. */
export interface UpdaterCalls {
  readonly asked: (readonly string[])[];
  readonly updated: string[];
}

/** An updater that changes some fields and is done with a machine after so many calls. */
export function testUpdater(
  name: string,
  fields: readonly FieldPath[],
  { calls, rounds = 2 }: { readonly calls?: UpdaterCalls; readonly rounds?: number } = {},
): Updater {
  const seen = new Map<string, number>();
  return defineUpdater({
    name,
    canUpdate: ({ changes }) => {
      calls?.asked.push(changes);
      return changes.filter((path) => isBelow(path, ...fields));
    },
    update: ({ machine }) => {
      calls?.updated.push(machine.name);
      const round = (seen.get(machine.name) ?? 0) + 1;
      seen.set(machine.name, round);
      return round >= rounds ? done() : inProgress(20, "half way");
    },
  });
}

export function noCalls(): UpdaterCalls {
  return { asked: [], updated: [] };
}

/** The servers of updaters, as a world has them. */
export function serversOf(updaters: readonly Updater[]): Readonly<Record<string, () => Handler>> {
  return Object.fromEntries(updaters.map((updater) => [hostOf(updater.name), () => updater.handle]));
}

export function hostOf(name: string): string {
  return `${name}.updaters.svc`;
}

/** Registers an updater. */
export async function register(world: World, name: string, overrides: object = {}): Promise<void> {
  const { apiVersion, kind } = ExtensionConfig;
  const clientConfig = { url: `https://${hostOf(name)}` };
  await create(world, ExtensionConfig, {
    apiVersion,
    kind,
    metadata: { name },
    spec: { clientConfig, ...overrides },
  });
}

/** A world with updaters whose machines are updated in place; the deployment has three machines. */
export async function inPlaceWorld(
  updaters: readonly Updater[],
  options: Partial<WorldOptions> = {},
): Promise<World> {
  const world = await createWorld({
    seed: "1",
    controllers: controllersWith(),
    features: FEATURES,
    servers: serversOf(updaters),
    ...options,
  });
  world.start();
  await prepare(world);
  for (const { name } of updaters) await register(world, name);
  await create(
    world,
    MachineDeployment,
    deployment({ spec: { rollout: { strategy: { type: "InPlace" } } } }),
  );
  await world.rest(PATIENCE_MS);
  return world;
}

/** Changes the infrastructure template of the deployment. */
export async function resize(world: World, size: string): Promise<void> {
  await createTemplate(world, size);
  await useTemplate(world, size);
}

export async function useTemplate(world: World, size: string): Promise<void> {
  const infrastructureRef = referenceTo(TestMachineTemplate, size);
  await patch(world, MachineDeployment, DEPLOYMENT, { spec: { template: { spec: { infrastructureRef } } } });
}
