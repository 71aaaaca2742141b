import { AzureCluster, AzureClusterIdentity, Secret } from "@capstan/api";
import { DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import { simulatedControllers } from "@capstan/cli";
import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import { createWorld } from "@capstan/sim";
import { expect, test } from "vitest";
import { LOCATION } from "../kit/network-world.ts";
import {
  createCluster,
  createIdentity,
  createPool,
  find,
  get,
  MINUTE_MS,
  NAMESPACE,
  remove,
} from "../kit/fleet-world.ts";

expect.extend(conditionMatchers);

const IDENTITY = "demo-identity";
// More requests about one object in a minute than the invariant no-hot-loop allows.
const CLUSTERS = 70;

test("an identity of many clusters is not reconciled for each of them, and is deleted after the last one", async () => {
  const world = await createWorld({ seed: "1", controllers: simulatedControllers });
  world.start();
  await createIdentity(world);
  // Without a Cluster they wait, and no resource is created for them.
  const names = Array.from({ length: CLUSTERS }, (_, number) => `c${number}`);
  for (const name of names) {
    const identityRef = { kind: AzureClusterIdentity.kind, name: IDENTITY };
    const spec = {
      location: LOCATION,
      subscriptionID: DEFAULT_SUBSCRIPTION,
      resourceGroup: name,
      identityRef,
    };
    await world.run(world.user.create(AzureCluster, { metadata: { name, namespace: NAMESPACE }, spec }));
  }
  await world.advance(MINUTE_MS);
  await remove(world, AzureClusterIdentity, IDENTITY);
  await world.advance(MINUTE_MS);
  const inUse = ["Ready", "False", "IdentityInUse"] as const;
  expect(await get(world, AzureClusterIdentity, IDENTITY)).toHaveCondition(...inUse);
  for (const name of names) await remove(world, AzureCluster, name);
  await world.advance(MINUTE_MS);
  expect(await find(world, AzureClusterIdentity, IDENTITY)).toBeUndefined();
});

test("the Secret of an identity is not read for each of the pools that pass it to their machines", async () => {
  const world = await createWorld({ seed: "1", controllers: simulatedControllers });
  world.start();
  await createIdentity(world);
  for (const name of ["c0", "c1", "c2", "c3"]) await createCluster(world, name);
  for (let number = 0; number < CLUSTERS; number++)
    await createPool(world, `c${number % 4}`, { name: `p${number}` });
  await world.advance(MINUTE_MS);
  expect(await find(world, Secret, `p${CLUSTERS - 1}-azure-json`)).toBeDefined();
});
