/** Three AzureMachines of a MachineDeployment that is updated in place, and the updater for Azure in the process of the manager. */
import {
  AzureMachine,
  AzureMachineTemplate,
  DEFAULT_FEATURES,
  ExtensionConfig,
  type Frozen,
  type Kind,
  KubeadmConfigTemplate,
  Machine,
  MachineDeployment,
} from "@capstan/api";
import { simulatedControllers } from "@capstan/cli";
import {
  azureMachineTemplate,
  kubeadmConfigTemplate,
  machineDeployment,
  type Overrides,
} from "@capstan/runtime/testing/builders";
import { createWorld, type World, type WorldOptions } from "@capstan/sim";
import { MINUTE_MS, NAMESPACE, patch } from "./fleet-world.ts";
import { CLUSTER, OLD_VERSION, plantCluster } from "./pool-world.ts";

export const DEPLOYMENT = "workers";
export const PATIENCE_MS = 60 * MINUTE_MS;
const FEATURES = { ...DEFAULT_FEATURES, InPlaceUpdates: true };

/** The options of a world with all controllers and updates in place. */
export const RESIZE_WORLD = {
  seed: "1",
  controllers: (connections) => simulatedControllers(connections, FEATURES),
  features: FEATURES,
  guests: { boot: { p50: 20, p90: 30 } },
} as const satisfies WorldOptions;

/** The AzureMachineTemplate of a size; further fields make another one of the same size. */
export interface TemplateOptions {
  readonly name?: string;
  readonly spec?: Overrides<AzureMachineTemplate["spec"]["template"]["spec"]>;
}

function reference(kind: Kind, name: string) {
  return { apiGroup: kind.group, kind: kind.kind, name };
}

async function createTemplate(
  world: World,
  size: string,
  { name = nameOf(size), spec = {} }: TemplateOptions,
): Promise<void> {
  const template = { spec: { vmSize: size, ...spec } };
  const metadata = { name, namespace: NAMESPACE };
  await world.run(
    world.user.create(AzureMachineTemplate, azureMachineTemplate({ metadata, spec: { template } })),
  );
}

function nameOf(size: string): string {
  return size.toLowerCase().replaceAll("_", "-");
}

/** Creates the cluster, the updater and the machines, of Standard_D2s_v3 unless given. */
export async function createMachines(
  world: World,
  {
    replicas = 3,
    size = "Standard_D2s_v3",
    ...options
  }: TemplateOptions & { replicas?: number; size?: string } = {},
): Promise<void> {
  const { user } = world;
  await plantCluster(world);
  const clientConfig = { service: { name: "azure", namespace: "capstan-system" } };
  await world.run(user.create(ExtensionConfig, { metadata: { name: "azure" }, spec: { clientConfig } }));
  await createTemplate(world, size, options);
  const metadata = { name: DEPLOYMENT, namespace: NAMESPACE };
  await world.run(user.create(KubeadmConfigTemplate, kubeadmConfigTemplate({ metadata })));
  const template = {
    spec: {
      clusterName: CLUSTER,
      version: OLD_VERSION,
      bootstrap: { configRef: reference(KubeadmConfigTemplate, DEPLOYMENT) },
      infrastructureRef: reference(AzureMachineTemplate, options.name ?? nameOf(size)),
    },
  };
  const rollout = { strategy: { type: "InPlace" as const } };
  await world.run(
    user.create(
      MachineDeployment,
      machineDeployment({ metadata, spec: { clusterName: CLUSTER, replicas, rollout, template } }),
    ),
  );
  await world.rest(PATIENCE_MS);
}

/** A world whose machines are ready. */
export async function resizeWorld(
  options: Partial<WorldOptions> = {},
  machines: Parameters<typeof createMachines>[1] = {},
): Promise<World> {
  const world = await createWorld({ ...RESIZE_WORLD, ...options });
  world.start();
  await createMachines(world, machines);
  return world;
}

/** Gives the machines a template of another size. */
export async function resizeTo(world: World, size: string, options: TemplateOptions = {}): Promise<void> {
  await createTemplate(world, size, options);
  await useTemplate(world, options.name ?? nameOf(size));
}

async function useTemplate(world: World, name: string): Promise<void> {
  const infrastructureRef = reference(AzureMachineTemplate, name);
  await patch(world, MachineDeployment, DEPLOYMENT, { spec: { template: { spec: { infrastructureRef } } } });
}

export function machinesIn(world: World): Promise<readonly Frozen<Machine>[]> {
  return world.run(world.user.list(Machine, { namespace: NAMESPACE }));
}

/** Names, UIDs and provider ids of the machines and their infrastructure: what an update in place keeps. */
export async function identities(world: World): Promise<readonly string[]> {
  const infrastructure = await world.run(world.user.list(AzureMachine, { namespace: NAMESPACE }));
  return [...(await machinesIn(world)), ...infrastructure]
    .map(({ kind, metadata, spec }) => `${kind} ${metadata.name} ${metadata.uid} ${spec.providerID}`)
    .toSorted();
}

/** The sizes, power states and tags of our own of the virtual machines. */
export function virtualMachinesIn({ azure }: Pick<World, "azure">): readonly string[] {
  const { world } = azure.core;
  return [...world.virtualMachines.table.entries()].map(([, { id, size, power, state }]) => {
    const tags = Object.keys(world.resources.get(id)?.body["tags"] ?? {});
    return [size, power, state, ...tags.filter((name) => name.startsWith("capstan_resize"))].join(" ");
  });
}

/** How often each kind of write went to virtual machines that exist. */
export function writesTo(world: Pick<World, "azure">): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { method, path, status } of world.azure.control.journal()) {
    const [, action] = /\/virtualMachines\/[^/?]+(?:\/(\w+))?(?:\?|$)/i.exec(path) ?? [];
    const isWrite = method === "PATCH" || (method === "POST" && action !== undefined);
    if (!isWrite || !/\/virtualMachines\//i.test(path) || status >= 300) continue;
    const name = action ?? method;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
