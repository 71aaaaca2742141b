/** Stories of what renewals decide by themselves, for crashes at any write: nothing is new, and an image that is rolled back. */
import { AzureMachinePool, AzureMachinePoolMachine, PROTOTYPE_NOW_ANNOTATION } from "@capstan/api";
import type { Rehearsal, World } from "@capstan/sim";
import { listed } from "../azuremachinepool/stories.ts";
import { MINUTE_MS, patch } from "../kit/fleet-world.ts";
import { plantCluster } from "../kit/pool-world.ts";
import {
  createPrototypePool,
  diskOf,
  INVARIANTS,
  leftovers,
  POOL,
  prototypeControllers,
  resourcesOf,
  scaleTo,
  stored,
} from "../kit/prototype-world.ts";
import { nodesIn, type StoryOptions } from "./renewal-story.ts";

const PATIENCE_MS = 30 * 60 * MINUTE_MS;

const recordIn = (world: World) => stored(world)?.status?.nodePrototyping;

/** Renews the image of a new pool. */
async function renewedPool(world: World, options: Parameters<typeof createPrototypePool>[1]): Promise<void> {
  await plantCluster(world);
  await createPrototypePool(world, options);
  await world.until(() => readyIn(world).length === 3, PATIENCE_MS);
}

async function ask(world: World): Promise<void> {
  const annotations = { [PROTOTYPE_NOW_ANNOTATION]: "1" };
  await patch(world, AzureMachinePool, POOL, { metadata: { annotations } });
  await world.until(() => recordIn(world)?.history?.length === 1 && isIdle(world), PATIENCE_MS);
}

function isIdle(world: World): boolean {
  return recordIn(world)?.phase === "Idle";
}

function readyIn(world: World): readonly string[] {
  return listed<AzureMachinePoolMachine>(world, AzureMachinePoolMachine)
    .filter(({ status }) => status?.ready === true)
    .map(({ metadata }) => metadata.name);
}

function endOf(world: World): unknown {
  const { spec, metadata } = stored(world) ?? {};
  return {
    phase: recordIn(world)?.phase,
    leftovers: leftovers(world),
    versions: resourcesOf(world, "galleries/images/versions").length,
    history: recordIn(world)?.history?.map(({ state }) => state),
    rolledBack: recordIn(world)?.rolledBack !== undefined,
    error: recordIn(world)?.lastError,
    image: spec?.template.image,
    annotations: Object.keys(metadata?.annotations ?? {}).sort(),
    // The machines of before are the same, and serve.
    ready: readyIn(world).slice(0, 3),
    cordoned: nodesIn(world).filter((node) => node.spec?.unschedulable === true).length,
  };
}

/** An image from a donor without kubeadm is promoted into the spec, three machines fail to join, and it is rolled back. */
export function rollbackStory(seed: string, { world: options, begins, ends }: StoryOptions = {}): Rehearsal {
  return {
    world: { seed, controllers: prototypeControllers(), invariants: INVARIANTS, ...options },
    story: async (world) => {
      await renewedPool(world, { interval: "8000h", more: { canary: "Disabled", promotion: "Spec" } });
      diskOf(world, 0).remove("/usr/bin/kubeadm");
      await ask(world);
      await begins?.(world);
      await scaleTo(world, 6);
      await world.until(() => recordIn(world)?.rolledBack !== undefined && isIdle(world), PATIENCE_MS);
      await world.advance(30 * MINUTE_MS);
      ends?.(world);
    },
    endState: endOf,
  };
}

/** The interval passes, and the donor says that nothing was installed. */
export function unchangedStory(seed: string, { world: options, begins, ends }: StoryOptions = {}): Rehearsal {
  return {
    world: { seed, controllers: prototypeControllers(), invariants: INVARIANTS, ...options },
    story: async (world) => {
      await renewedPool(world, { interval: "24h" });
      await world.until(() => recordIn(world)?.history?.length === 1 && isIdle(world), PATIENCE_MS);
      await world.advance(22 * 60 * MINUTE_MS);
      await begins?.(world);
      await world.until(() => recordIn(world)?.nextAttemptTime !== undefined && isIdle(world), PATIENCE_MS);
      await world.advance(30 * MINUTE_MS);
      ends?.(world);
    },
    endState: endOf,
  };
}
