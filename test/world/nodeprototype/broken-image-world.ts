/** A world with an image whose nodes do not join. */
import { AzureMachinePool, PROTOTYPE_NOW_ANNOTATION } from "@capstan/api";
import type { World } from "@capstan/sim";
import { patch } from "../kit/fleet-world.ts";
import { settled } from "../kit/pool-world.ts";
import {
  createPrototypePool,
  diskOf,
  POOL,
  prototypeWorld,
  stored,
  untilRenewed,
} from "../kit/prototype-world.ts";

/** A machine cannot join without it. */
export const KUBEADM = "/usr/bin/kubeadm";

async function renew(world: World, value: string): Promise<void> {
  await patch(world, AzureMachinePool, POOL, {
    metadata: { annotations: { [PROTOTYPE_NOW_ANNOTATION]: value } },
  });
  await untilRenewed(world);
  await settled(world);
}

/** A pool of three with one good image and a newer one whose nodes cannot join: kubeadm is gone. */
export async function brokenWorld(more: object = {}): Promise<World> {
  const world = await prototypeWorld();
  // A canary would find it before it is promoted.
  await createPrototypePool(world, { interval: "8000h", more: { canary: "Disabled", ...more } });
  await settled(world);
  diskOf(world, 0).write("/etc/patch", "good");
  await renew(world, "1");
  diskOf(world, 0).remove(KUBEADM);
  await renew(world, "2");
  return world;
}

/** The record of the renewals of the pool. */
export const recordIn = (world: World) => stored(world)?.status?.nodePrototyping;
