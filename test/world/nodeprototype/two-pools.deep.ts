import { AzureMachinePool, PROTOTYPE_NOW_ANNOTATION } from "@capstan/api";
import { createRng } from "@capstan/env";
import { faultsOf, rehearse, type World } from "@capstan/sim";
import { expect, test } from "vitest";
import { numbersFrom, stormSeeds } from "../../sample.ts";
import { MINUTE_MS, patch } from "../kit/fleet-world.ts";
import { plantCluster } from "../kit/pool-world.ts";
import {
  createPrototypePool,
  HOUR_MS,
  INVARIANTS,
  leftovers,
  POOL,
  prototypeControllers,
  stored,
} from "../kit/prototype-world.ts";
import { nodesIn } from "./renewal-story.ts";

const POOLS = [POOL, "mq"];

async function ask(world: World, name: string, value: string): Promise<void> {
  const metadata = { annotations: { [PROTOTYPE_NOW_ANNOTATION]: value } };
  await patch(world, AzureMachinePool, name, { metadata });
}

function isOver(world: World, name: string): boolean {
  const record = stored(world, name)?.status?.nodePrototyping;
  return record?.phase === "Idle" && record.observedTrigger === "end";
}

const { seeds } = stormSeeds("storms of renewals of two pools", { sample: [1], all: numbersFrom(1, 60) });

test.each(seeds)(
  "two pools of a Cluster renew among faults, and no helper, disk or canary is left: seed %i",
  { timeout: 300_000 },
  async (seed) => {
    const rng = createRng(String(seed), "two pools");
    const faults = faultsOf("swarm", String(seed));
    const run = await rehearse(
      {
        world: { seed: String(seed), controllers: prototypeControllers(), invariants: INVARIANTS },
        story: async (world) => {
          await plantCluster(world);
          for (const name of POOLS)
            await createPrototypePool(world, { name, replicas: 2, interval: "8000h" });
          await world.advance(20 * MINUTE_MS);
          for (let count = 0; count < 4; count++) {
            for (const name of POOLS) await ask(world, name, String(count));
            await world.advance(Math.round(rng.next() * 60 * MINUTE_MS));
          }
          await world.heal();
          for (const name of POOLS) await ask(world, name, "end");
          await world.until(() => POOLS.every((name) => isOver(world, name)), 16 * HOUR_MS);
        },
        endState: (world) => ({
          leftovers: leftovers(world),
          phases: POOLS.map((name) => stored(world, name)?.status?.nodePrototyping?.phase),
          cordoned: nodesIn(world).filter(({ spec }) => spec?.unschedulable === true).length,
        }),
      },
      faults,
    );
    const names = faults.map(({ fault }) => fault).join(", ");
    expect(run.failure, `seed ${seed}, faults: ${names}`).toBeUndefined();
    expect(run.end, `seed ${seed}, faults: ${names}`).toEqual({
      leftovers: [],
      phases: ["Idle", "Idle"],
      cordoned: 0,
    });
  },
);
