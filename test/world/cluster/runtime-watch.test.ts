import { Cluster } from "@capstan/api";
import { cluster } from "@capstan/runtime/testing/builders";
import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import { expect, test } from "vitest";
import { recorded } from "../fleet/recorded.ts";
import { clusterWorld, create, get, MINUTE_MS } from "../kit/cluster-world.ts";
import { foreign, foreignKind, install, say } from "../kit/foreign-kinds.ts";

expect.extend(conditionMatchers);

const SECOND_MS = 1_000;
const RocketCluster = foreignKind("infrastructure.rockets.example.com", "RocketCluster", "rocketclusters");

test("a kind whose CRD is missing is watched by the leader of two managers, installed later, and then seen without polling", async () => {
  const { calls, invariant } = recorded();
  const world = await clusterWorld({ managers: 2, invariants: [invariant] });
  const { group, kind } = RocketCluster;
  await create(
    world,
    Cluster,
    cluster({
      metadata: { name: "demo" },
      spec: { infrastructureRef: { apiGroup: group, kind, name: "demo" } },
    }),
  );
  await world.advance(MINUTE_MS);
  const unready = world.managers.running().flatMap(({ runner }) => runner.unready());
  expect(unready, "both managers are ready without the kind").toEqual([]);
  expect(await get(world, Cluster, "demo")).toHaveCondition("InfrastructureReady", "False");

  await install(world, RocketCluster);
  await create(world, RocketCluster, foreign(RocketCluster, "demo"));
  await world.advance(MINUTE_MS);
  const before = calls.length;
  await world.advance(5 * MINUTE_MS);
  const reads = calls
    .slice(before)
    .filter(({ resource, verb }) => resource === RocketCluster.plural && verb !== "watch");
  expect(
    reads.map(({ verb, name }) => `${verb} ${name}`),
    "a watched object is not polled",
  ).toEqual([]);

  await say(world, RocketCluster, "demo", { ready: true });
  await world.advance(SECOND_MS);
  expect((await get(world, Cluster, "demo")).status).toMatchObject({
    initialization: { infrastructureProvisioned: true },
  });

  const leader = world.managers.running().findIndex(({ isWorking }) => isWorking);
  world.managers.crash(leader + 1, 60 * MINUTE_MS);
  await world.advance(MINUTE_MS);
  await say(world, RocketCluster, "demo", { failureReason: "Sunk", failureMessage: "no fuel" });
  await world.advance(SECOND_MS);
  expect((await get(world, Cluster, "demo")).status).toMatchObject({
    phase: "Failed",
    deprecated: { v1beta1: { failureReason: "Sunk" } },
  });
});
