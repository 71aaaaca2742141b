import { AzureCluster } from "@capstan/api";
import type { AzureSettings } from "@capstan/azure-sim";
import { endStateOf, type Rehearsal, type World } from "@capstan/sim";
import {
  changeCluster,
  controllers,
  createCluster,
  createIdentity,
  deleteCluster,
  idIn,
  LOCATION,
  NAMESPACE,
  portal,
  resourcesIn,
} from "../kit/network-world.ts";

/** The end of the story. */
export type Chapter = "built" | "changed" | "deleted";

const CHAPTERS: readonly Chapter[] = ["built", "changed", "deleted"];

/** The variant of the story. */
export interface LifeOptions {
  readonly seed: string;
  readonly until: Chapter;
  /** `shared` exists before and stays; any other is the cluster's own. */
  readonly group?: string;
  readonly azure?: Partial<AzureSettings>;
}

/** The life of a cluster: it is built, changed and deleted. */
export function lifeOf({ seed, until, group = "shared", azure = {} }: LifeOptions): Rehearsal {
  const current: { world?: World } = {};
  const chapters = CHAPTERS.slice(0, CHAPTERS.indexOf(until) + 1);
  return {
    world: {
      seed,
      azure,
      controllers: controllers(() => {
        if (!current.world) throw new Error("the world has not begun");
        return current.world;
      }),
    },
    story: async (world) => {
      current.world = world;
      await portal(world, "PUT", idIn("shared"), { location: LOCATION, tags: { theirs: "yes" } });
      await createIdentity(world);
      await createCluster(world, "c1", { resourceGroup: group, additionalTags: { team: "a", old: "x" } });
      await world.settle();
      if (chapters.includes("changed")) await change(world);
      if (chapters.includes("deleted")) await remove(world);
    },
    endState: (world) => ({ ...endStateOf(world), inAzure: resourcesIn(world), tags: allTags(world) }),
  };
}

async function change(world: World): Promise<void> {
  await changeCluster(world, "c1", {
    spec: {
      additionalTags: { old: null, team: "b" },
      networkSpec: { additionalAPIServerLBPorts: [{ name: "konnectivity", port: 8132 }] },
    },
  });
  await world.settle();
}

async function remove(world: World): Promise<void> {
  await deleteCluster(world, "c1");
  await world.settle();
  const left = await world.run(world.user.find(AzureCluster, { name: "c1", namespace: NAMESPACE }));
  if (left) throw new Error("the AzureCluster is still there");
}

/** The tags of all resources, without the one that identifies a write. */
function allTags(world: World): readonly unknown[] {
  return [...world.azure.core.world.resources.table.entries()]
    .map(([key, { body }]) => {
      const { "capstan_wanted-hash": _, ...tags } = (body["tags"] ?? {}) as Record<string, unknown>;
      return { key, tags };
    })
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

/** How often each resource was written, as far as Azure executed the write. */
export function armWrites(world: World): Readonly<Record<string, number>> {
  const writes: Record<string, number> = {};
  for (const { method, path, status } of world.azure.control.journal()) {
    if (method === "GET" || status >= 300) continue;
    const key = `${method} ${path.split("?", 1)[0]?.toLowerCase()}`;
    writes[key] = (writes[key] ?? 0) + 1;
  }
  return writes;
}
