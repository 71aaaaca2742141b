import { AzureMachine, KubeadmConfig, type KubernetesObject, Machine } from "@capstan/api";
import { endStateOf, type Rehearsal, type World } from "@capstan/sim";
import { find, MINUTE_MS, remove } from "../kit/fleet-world.ts";
import { CLUSTER, plantCluster } from "../kit/pool-world.ts";
import { controllers, createMachine, GROUP, handOverData } from "../kit/azuremachine-world.ts";

/** The end of the story. */
export type Chapter = "created" | "deleted";

const NAME = "worker-1";

/** The life of one machine: it is created, becomes a Node, and is deleted. */
export function lifeOf({ seed, until }: { readonly seed: string; readonly until: Chapter }): Rehearsal {
  return {
    world: { seed, controllers, guests: { boot: { p50: 20, p90: 30 } } },
    story: async (world) => {
      await plantCluster(world);
      await createMachine(world, NAME, { spec: { dataDisks: [{ nameSuffix: "data", diskSizeGB: 16 }] } });
      await handOverData(world, NAME);
      await world.rest(60 * MINUTE_MS);
      if (until === "deleted") await removeAll(world);
    },
    endState: (world) => {
      const end = endStateOf(world);
      // A config that is made later has a token that expires later.
      const objects = end.objects.filter((one) => (one as KubernetesObject).kind !== KubeadmConfig.kind);
      return { ...end, objects, inAzure: resourcesIn(world) };
    },
  };
}

async function removeAll(world: World): Promise<void> {
  await remove(world, AzureMachine, NAME);
  await world.rest(60 * MINUTE_MS);
  if (await find(world, AzureMachine, NAME)) throw new Error("the AzureMachine is still there");
  await remove(world, Machine, NAME);
  if (await find(world, KubeadmConfig, NAME)) await remove(world, KubeadmConfig, NAME);
}

/** The types and names of the resources in the group of the cluster, without its network. */
export function resourcesIn(world: World): readonly string[] {
  const resources = [...world.azure.core.world.resources.in(GROUP)];
  return resources
    .map(({ type, name }) => `${type.split("/").at(-1)}/${name}`)
    .filter((one) => one !== `virtualNetworks/${CLUSTER}-vnet`)
    .sort();
}
