import { Cluster, customKinds, type KubernetesObject, Secret } from "@capstan/api";
import { simulatedControllers } from "@capstan/cli";
import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import { createWorld, type World } from "@capstan/sim";
import { expect, test } from "vitest";
import {
  createCluster,
  createIdentity,
  createPool,
  find,
  get,
  giveAuthority,
  MINUTE_MS,
  plantForeign,
  remove,
  THEIRS,
} from "../kit/fleet-world.ts";

expect.extend(conditionMatchers);

// Each is a prefix of another one, with and without a suffix that looks like the end of a name.
const NAMES = ["demo", "demo-1", "demo1"];

/** Everything with the name of a cluster, byte for byte: objects, the workload cluster, and Azure. */
function belongingsOf(world: World, name: string): readonly string[] {
  const isIts = new RegExp(`(^|[/-])${name}(-(?!1)|/|$)`);
  const objects = [...customKinds, Secret].flatMap(({ group, plural }) => [
    ...(world.management.storage.list({ resource: `${group}/${plural}` }) as Iterable<KubernetesObject>),
  ]);
  const azure = [...world.azure.core.world.resources.table.entries()];
  return [
    ...objects.filter(({ metadata }) => isIts.test(metadata.name)).map((object) => JSON.stringify(object)),
    ...azure.filter(([key]) => isIts.test(key)).map(([key, { body }]) => `${key} ${JSON.stringify(body)}`),
    `workload cluster: ${world.workload(name) !== undefined}`,
  ].toSorted();
}

function namesIn(belongings: readonly string[]): readonly string[] {
  return belongings
    .flatMap((text) => /"metadata":\{"name":"([^"]*)"/.exec(text)?.[1] ?? (text.startsWith("/") ? text : []))
    .toSorted();
}

async function settledWith(group: (name: string) => string): Promise<World> {
  const world = await createWorld({ seed: "1", controllers: simulatedControllers });
  await plantForeign(world);
  await createIdentity(world);
  for (const name of NAMES) {
    await createCluster(world, name, { resourceGroup: group(name) });
    await giveAuthority(world, name);
    await createPool(world, name);
  }
  world.start();
  await world.settle({ quietMs: 15 * MINUTE_MS });
  for (const name of NAMES) expect(await get(world, Cluster, name)).toHaveCondition("Ready", "True");
  return world;
}

test.each([
  ["in groups of their own", (name: string) => name],
  ["in one group", () => THEIRS],
])(
  "clusters with the same name prefix never touch each other, %s: each is deleted beside the others",
  async (_, group) => {
    for (const gone of NAMES) {
      const world = await settledWith(group);
      const others = NAMES.filter((name) => name !== gone);
      expect(belongingsOf(world, gone).length).toBeGreaterThan(15);
      const before = others.map((name) => belongingsOf(world, name));
      await remove(world, Cluster, gone);
      await world.settle({ quietMs: 15 * MINUTE_MS });
      expect(await find(world, Cluster, gone)).toBeUndefined();
      expect(others.map((name) => belongingsOf(world, name))).toEqual(before);
      expect(namesIn(belongingsOf(world, gone)), "only what the user made stays").toEqual(
        [...(gone === "demo" ? ["demo-identity", "demo-identity"] : []), `${gone}-ca`].toSorted(),
      );
    }
  },
);

test("a network of several clusters is created by one of them and used by the others", async () => {
  const world = await createWorld({ seed: "1", controllers: simulatedControllers });
  await plantForeign(world);
  await createIdentity(world);
  const vnet = { name: "one-for-all", resourceGroup: THEIRS };
  for (const name of NAMES) {
    const subnets = (["control-plane", "node"] as const).map((role) => ({ name: role, role }));
    await createCluster(world, name, { resourceGroup: THEIRS, networkSpec: { vnet, subnets } });
  }
  world.start();
  await world.settle({ quietMs: 15 * MINUTE_MS });
  for (const name of NAMES) expect(await get(world, Cluster, name)).toHaveCondition("Ready", "True");
  const refused = world.azure.control.journal().filter(({ status }) => status === 412);
  expect(refused.length, "all but one come too late, once").toBe(NAMES.length - 1);
});
