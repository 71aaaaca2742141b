import { AzureError, ScaleSetInstances } from "@capstan/azure";
import { expect, test } from "vitest";
import { ClientWorld, LOCATION, model, scaleSetID } from "./client-world.ts";

const SETS = Array.from({ length: 100 }, (_, index) => scaleSetID(`pool-${index}`));
const ROUNDS = 30;
const PERIOD_MS = 5000;

/** A hundred scale sets at rest, and a network that is never equally fast. */
async function hundredSets(): Promise<ClientWorld> {
  const world = new ClientWorld({
    settings: { latencies: "none" },
    link: { latencyMs: (rng) => 1 + rng.below(200) },
  });
  await world.prepare();
  for (const resourceID of SETS) await world.perform({ verb: "PUT", resourceID, body: model(2) });
  await world.rest();
  return world;
}

function refusals(world: ClientWorld, since: number): number {
  return world.sim.control.journal(since).filter(({ status }) => status === 429).length;
}

test("a hundred scale sets that a client reads every five seconds without a budget are throttled", async () => {
  const world = await hundredSets();
  const since = world.sim.control.journal().length;
  const transport = world.process.connect(world.sim.handle);
  const ask = async (id: string): Promise<void> => {
    const headers = { authorization: `Bearer ${world.sim.issueToken().token}` };
    for (let round = 0; round < ROUNDS; round++) {
      await transport.request({ method: "GET", path: `${id}?api-version=2024-07-01`, headers });
      await transport.request({
        method: "GET",
        path: `${id}/virtualMachines?api-version=2024-07-01`,
        headers,
      });
      await world.process.clock.sleep(PERIOD_MS);
    }
  };
  await world.run(Promise.all(SETS.map(ask)));
  expect(refusals(world, since)).toBeGreaterThan(100);
});

test("our client does the same work and is never throttled", async () => {
  const world = await hundredSets();
  const since = world.sim.control.journal().length;
  const arm = world.arm();
  const { clock } = world.process;
  const instances = new ScaleSetInstances(arm, clock);
  const heldThenSent = async (call: () => Promise<unknown>): Promise<void> => {
    for (;;) {
      try {
        await call();
        return;
      } catch (error) {
        if (!(error instanceof AzureError) || error.code !== "RequestBudgetUsedUp") throw error;
        await clock.sleep(error.retryAfterMs ?? 0);
      }
    }
  };
  const ask = async (id: string): Promise<void> => {
    for (let round = 0; round < ROUNDS; round++) {
      await heldThenSent(() => arm.get(id, { location: LOCATION }));
      await heldThenSent(() => instances.list(id, { maxAgeMs: 0, location: LOCATION, expected: 2 }));
      await clock.sleep(PERIOD_MS);
    }
  };
  await world.run(Promise.all(SETS.map(ask)));
  const journal = world.sim.control.journal(since);
  expect(refusals(world, since)).toBe(0);
  expect(journal.filter(({ status }) => status === 200)).toHaveLength(SETS.length * ROUNDS * 2);
  expect(world.azure.meter.counts().some(({ outcome }) => outcome === "held")).toBe(true);
});
