import { AzureManagedControlPlane, Cluster, MachinePool } from "@capstan/api";
import { endStateOf, type Rehearsal, type World } from "@capstan/sim";
import { find, MINUTE_MS, patch, remove } from "../kit/fleet-world.ts";
import { armWrites } from "../azurecluster/life.ts";
import {
  ADOPT,
  changeControlPlane,
  createAll,
  createCluster,
  createExisting,
  manifestsIn,
  NAME,
  WORLD,
} from "../kit/aks-world.ts";
import { noContest } from "../kit/no-contest.ts";

/** A part of the story. */
export type Chapter = "created" | "patched" | "upgraded" | "scaled" | "deleted";

/** The life of an AKS cluster until its deletion. */
export const LIFE: readonly Chapter[] = ["created", "patched", "upgraded", "scaled"];

/** The life of an AKS cluster, in some of its chapters. */
export function lifeOf(seed: string, chapters: readonly Chapter[]): Rehearsal {
  return {
    world: { ...WORLD, seed, invariants: [noContest] },
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

/** The adoption of an AKS cluster that exists. Its story fails if adoption writes to Azure. */
export function adoptionOf(seed: string): Rehearsal {
  return {
    world: { ...WORLD, seed, invariants: [noContest] },
    story: async (world) => {
      await createExisting(world);
      const before = armWrites(world);
      const objects = manifestsIn("aks-adopt");
      for (const { kind, metadata } of objects)
        if (kind === AzureManagedControlPlane.kind) metadata.annotations = { [ADOPT]: "true" };
      await createAll(world, objects);
      await world.rest(240 * MINUTE_MS);
      await world.advance(2.5 * 60 * MINUTE_MS);
      const written = Object.keys(armWrites(world)).filter(
        (path) => before[path] === undefined && !path.includes("credential"),
      );
      if (written.length > 0) throw new Error(`adoption wrote to Azure: ${written.join(", ")}`);
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
