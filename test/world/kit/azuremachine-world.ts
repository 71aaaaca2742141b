/** A ready cluster whose Machines the test creates: the controllers of AzureMachines and KubeadmConfigs are the product's own. */
import {
  AzureMachine,
  CLUSTER_NAME_LABEL,
  type Frozen,
  type Kind,
  KubeadmConfig,
  Machine,
  ownerReferenceTo,
} from "@capstan/api";
import { DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import { simulatedControllers } from "@capstan/cli";
import { azureMachine, kubeadmConfig, machine, type Overrides } from "@capstan/runtime/testing/builders";
import { type Controllers, createWorld, type World, type WorldOptions } from "@capstan/sim";
import { find, get, MINUTE_MS, NAMESPACE, patch } from "./fleet-world.ts";
import { CLUSTER, OLD_VERSION, plantCluster } from "./pool-world.ts";

/** The ARM id of the resource group of the cluster. */
export const GROUP = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/${CLUSTER}`;
const NAMES: ReadonlySet<string> = new Set(["kubeadmconfig", "azuremachine"]);

/** The controllers of Machines' infrastructure and bootstrap data, without those of clusters. */
export const controllers: Controllers = (connections) =>
  simulatedControllers(connections).filter(({ name }) => NAMES.has(name));

/** A world without Machines. */
export async function azureMachineWorld(options: Partial<WorldOptions> = {}): Promise<World> {
  const guests = { boot: { p50: 20, p90: 30 } };
  const world = await createWorld({ seed: "1", controllers, guests, ...options });
  world.start();
  await plantCluster(world);
  return world;
}

/** The differences to a worker with default values. */
export interface MachineOptions {
  readonly spec?: Overrides<AzureMachine["spec"]>;
  readonly machine?: Overrides<Machine["spec"]>;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Creates a Machine with its infrastructure and its bootstrap config, as the MachineSet controller leaves them. */
export async function createMachine(world: World, name: string, options: MachineOptions = {}): Promise<void> {
  const { user } = world;
  const reference = (kind: Kind) => ({ apiGroup: kind.group, kind: kind.kind, name });
  const labels = { [CLUSTER_NAME_LABEL]: CLUSTER, ...options.labels };
  const owner = await world.run(
    user.create(
      Machine,
      machine({
        metadata: { name, namespace: NAMESPACE, labels },
        spec: {
          clusterName: CLUSTER,
          version: OLD_VERSION,
          bootstrap: { configRef: reference(KubeadmConfig) },
          infrastructureRef: reference(AzureMachine),
          ...options.machine,
        },
      }),
    ),
  );
  const metadata = { name, namespace: NAMESPACE, labels, ownerReferences: [ownerReferenceTo(owner)] };
  await world.run(user.create(KubeadmConfig, kubeadmConfig({ metadata, spec: {} })));
  await world.run(user.create(AzureMachine, azureMachine({ metadata, spec: options.spec ?? {} })));
}

/** Does the Machine controller's part: takes over the name of the bootstrap data once it exists. */
export async function handOverData(world: World, name: string): Promise<void> {
  for (let minutes = 0; minutes < 30; minutes++) {
    if ((await find(world, KubeadmConfig, name))?.status?.dataSecretName !== undefined) break;
    await world.scheduler.advance(MINUTE_MS);
  }
  const { status } = await get(world, KubeadmConfig, name);
  await patch(world, Machine, name, { spec: { bootstrap: { dataSecretName: status?.dataSecretName } } });
}

/** An AzureMachine as the user sees it. */
export function azureMachineNamed(world: World, name: string): Promise<Frozen<AzureMachine>> {
  return get(world, AzureMachine, name);
}
