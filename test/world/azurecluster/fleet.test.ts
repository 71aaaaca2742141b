import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import { expect, test } from "vitest";
import { armCalls, clusterIn, createCluster, createIdentity, networkWorld } from "../kit/network-world.ts";

expect.extend(conditionMatchers);

const HOUR_MS = 60 * 60_000;
const CLUSTERS = 60;

test(`${CLUSTERS} clusters at once stay within Azure's budget, and settled they write nothing`, async () => {
  const world = await networkWorld();
  await createIdentity(world);
  for (let number = 1; number <= CLUSTERS; number++) await createCluster(world, `c${number}`);
  world.start();
  await world.settle();
  for (let number = 1; number <= CLUSTERS; number++) {
    expect(await clusterIn(world, `c${number}`)).toHaveCondition("Ready", "True");
  }
  const calls = Object.values(armCalls(world)).reduce((sum, count) => sum + count, 0);
  expect(calls / CLUSTERS, "requests a cluster").toBeLessThan(30);
  expect(world.testedWrites / CLUSTERS, "writes a cluster, eleven of them to Azure").toBeLessThan(30);
  const writes = world.testedWrites;
  await world.advance(HOUR_MS);
  expect(world.testedWrites).toBe(writes);
  expect(world.azure.control.journal().filter(({ status }) => status === 429)).toEqual([]);
});
