import { AzureManagedControlPlane, Cluster, MachinePool } from "@capstan/api";
import { endStateOf, type Rehearsal, type World } from "@capstan/sim";
import { find, MINUTE_MS, patch, remove } from "../fleet/fleet-world.ts";
import { changeControlPlane, createCluster, NAME, WORLD } from "./aks-world.ts";

/** The end of the story. */
export type Chapter = "created" | "patched" | "upgraded" | "scaled" | "deleted";

const CHAPTERS: readonly Chapter[] = ["created", "patched", "upgraded", "scaled", "deleted"];

/** The life of an AKS cluster: it is created, patched, upgraded, scaled and deleted. */
export function lifeOf({ seed, until }: { readonly seed: string; readonly until: Chapter }): Rehearsal {
  const chapters = CHAPTERS.slice(0, CHAPTERS.indexOf(until) + 1);
  return {
    world: { ...WORLD, seed },
    story: async (world) => {
      for (const chapter of chapters) {
        await STEPS[chapter](world);
        await world.rest(240 * MINUTE_MS);
      }
      // Azure Service Operator reads each resource once an hour: until then the status of a network lacks its new subnet.
      await world.advance(2.5 * 60 * MINUTE_MS);
    },
    endState: (world) => ({ ...endStateOf(world), inAzure: resourcesIn(world) }),
  };
}

const STEPS: Readonly<Record<Chapter, (world: World) => Promise<void>>> = {
  created: (world) => createCluster(world),
  patched: (world) =>
    changeControlPlane(world, { asoManagedClusterPatches: ["spec: {supportPlan: AKSLongTermSupport}"] }),
  upgraded: async (world) => {
    await changeControlPlane(world, { version: "v1.34.1" });
    for (const pool of [`${NAME}-system`, `${NAME}-workers`])
      await patch(world, MachinePool, pool, { spec: { template: { spec: { version: "v1.34.1" } } } });
  },
  scaled: (world) => patch(world, MachinePool, `${NAME}-workers`, { spec: { replicas: 3 } }),
  deleted: async (world) => {
    await remove(world, Cluster, NAME);
    await world.rest(240 * MINUTE_MS);
    const left = [await find(world, Cluster, NAME), await find(world, AzureManagedControlPlane, NAME)];
    for (const object of left) if (object) throw new Error(`the ${object.kind} is still there`);
  },
};

/** The types and names of all resources in Azure. */
export function resourcesIn(world: World): readonly string[] {
  return [...world.azure.core.world.resources.table.entries()].map(([key]) => key).toSorted();
}
