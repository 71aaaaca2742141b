/** Worlds whose KubeadmControlPlane is updated in place by the reference updater. */
import { type Frozen, isJsonObject, KubeadmControlPlane, Machine } from "@capstan/api";
import type { Handler } from "@capstan/env";
import { simulatedControllers } from "@capstan/cli";
import type { Overrides } from "@capstan/runtime/testing/builders";
import { CONTROL_PLANE_INVARIANTS, createWorld, type World, type WorldOptions } from "@capstan/sim";
import { kubeadmUpgrade, type UpgradedMachine } from "@capstan/updater";
import { createControlPlane, GUESTS } from "./control-plane-world.ts";
import { FEATURES, hostOf, register } from "./in-place-world.ts";

export const UPDATER = "kubeadm-upgrade";

/** The options of a world with the reference updater; `current` returns the world once it exists. */
export function optionsWith(current: () => World | undefined): Omit<WorldOptions, "seed"> {
  return {
    controllers: (connections) => simulatedControllers(connections, FEATURES),
    yieldTo: [KubeadmControlPlane],
    guests: GUESTS,
    features: FEATURES,
    invariants: CONTROL_PLANE_INVARIANTS,
    servers: { [hostOf(UPDATER)]: () => referenceUpdater(current) },
  };
}

/** The reference updater, connected to the guests and the management cluster of a world. */
function referenceUpdater(current: () => World | undefined): Handler {
  const { handle } = kubeadmUpgrade({
    readMachine: (namespace, name) => Promise.resolve(machineIn(current(), namespace, name)),
    runScript: (providerID, script) => {
      const result = current()?.guests.run(providerID, script);
      return Promise.resolve(result ?? { exitCode: 1, output: "", error: "there is no such machine" });
    },
  });
  return handle;
}

/** A Machine as the reference updater reads it. */
export function machineIn(
  world: World | undefined,
  namespace: string,
  name: string,
): UpgradedMachine | undefined {
  const { group, plural } = Machine;
  const objects = [...(world?.management.storage.list({ resource: `${group}/${plural}` }) ?? [])];
  const machine = objects.filter(isMachine).find(({ metadata }) => metadata.name === name);
  if (machine?.metadata.namespace !== namespace) return undefined;
  const { spec, status } = machine;
  return {
    providerID: spec.providerID,
    version: spec.version,
    kubeletVersion: status?.nodeInfo?.kubeletVersion,
  };
}

function isMachine(object: unknown): object is Frozen<Machine> {
  return isJsonObject(object) && object["kind"] === Machine.kind;
}

type Spec = Overrides<KubeadmControlPlane["spec"]>;

/** A control plane whose strategy is an update in place, unless given. */
export async function prepareInPlace(world: World, spec: Spec = {}): Promise<void> {
  await createControlPlane(world, { rollout: { strategy: { type: "InPlace" } }, ...spec });
}

/** A world with a control plane that is updated in place, and the updater registered. */
export async function inPlaceControlPlane(
  spec: Spec = {},
  options: Partial<WorldOptions> = {},
): Promise<World> {
  const made: { world?: World } = {};
  const world = await createWorld({ seed: "1", ...optionsWith(() => made.world), ...options });
  made.world = world;
  world.start();
  await register(world, UPDATER);
  await prepareInPlace(world, spec);
  return world;
}
