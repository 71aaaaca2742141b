import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { MachineDeployment } from "@capstan/api";
import { expect, test } from "vitest";
import { create, MINUTE_MS } from "./kit/cluster-world.ts";
import { deployment, deploymentWorld, machinesIn } from "./kit/deployment-world.ts";

/** Frees all memory that nothing refers to. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

/** A world that is closed in the middle of its work: with open watches, timers and requests on their way. */
async function closedWorld(): Promise<WeakRef<object>> {
  const world = await deploymentWorld();
  await create(world, MachineDeployment, deployment());
  await world.advance(MINUTE_MS / 4);
  expect(await machinesIn(world)).not.toEqual([]);
  const before = world.scheduler.steps;
  world.close();
  await world.advance(MINUTE_MS);
  expect(world.scheduler.steps).toBe(before);
  return new WeakRef(world);
}

test("a closed world does nothing more, and nothing keeps it in memory", async () => {
  const world = await closedWorld();
  // A WeakRef holds its target until the end of the turn in which it was made.
  await nextTurn();
  collectGarbage();
  expect(world.deref()).toBeUndefined();
});
