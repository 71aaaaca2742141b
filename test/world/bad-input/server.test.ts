import { type Frozen, Machine, MachineSet } from "@capstan/api";
import { TransportError } from "@capstan/env";
import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import { describe, expect, test } from "vitest";
import { machineSet } from "../proof/proof-world.ts";
import { createTroubledWorld, isWatch, refusal, type TroubledWorld } from "./troubled-world.ts";
import { BERTH } from "../proof/proof-controller.ts";

expect.extend(conditionMatchers);

const MINUTE = 60_000;
const fleet = { name: "fleet", namespace: "default" };

const machinesIn = ({ world }: TroubledWorld): Promise<readonly Frozen<Machine>[]> =>
  world.run(world.client.list(Machine));
const created = ({ world }: TroubledWorld): number =>
  world.writes.filter((write) => /^POST .*\/machines$/.test(write)).length;

async function settled(replicas: number, troubled = createTroubledWorld()): Promise<TroubledWorld> {
  await troubled.world.apply(MachineSet, machineSet("fleet", replicas));
  troubled.world.start();
  await troubled.world.settle();
  return troubled;
}

describe("a server in trouble", () => {
  test.each([
    ["401, the token has expired", () => Promise.resolve(refusal(401, { reason: "Unauthorized" }))],
    ["403, the role is missing", () => Promise.resolve(refusal(403, { reason: "Forbidden" }))],
    [
      "404, the CustomResourceDefinition is missing",
      () => Promise.resolve(refusal(404, "404 page not found\n")),
    ],
    ["500", () => Promise.resolve(refusal(500, { reason: "InternalError" }))],
    ["a page of a proxy", () => Promise.resolve(refusal(503, "<html>No healthy upstream</html>"))],
    ["broken connections", () => Promise.reject(new TransportError("reset", "the connection broke"))],
    ["no connections", () => Promise.reject(new TransportError("refused", "no server answers"))],
  ])("for an hour is survived, and the work is done when it is over: %s", async (_, answer) => {
    const troubled = await settled(3);
    const { world } = troubled;
    await world.apply(MachineSet, machineSet("fleet", 5));
    troubled.trouble(answer);
    await world.scheduler.advance(60 * MINUTE);
    troubled.trouble(undefined);
    await world.scheduler.advance(6 * MINUTE);
    await world.settle();
    expect(await machinesIn(troubled)).toHaveLength(5);
    expect(await world.get(MachineSet, fleet)).toHaveCondition("Ready", "True", "Reconciled");
  });

  test("from the start keeps the manager unready, which reports the missing kinds, without any write", async () => {
    const troubled = createTroubledWorld();
    const { world } = troubled;
    await world.apply(MachineSet, machineSet("fleet", 2));
    troubled.trouble((request, server) =>
      request.path.includes("/machinesets")
        ? Promise.resolve(refusal(404, "404 page not found\n"))
        : server(request),
    );
    world.start();
    await world.scheduler.advance(10 * MINUTE);
    expect(world.runner.unready()).toEqual([
      "waiting for the first list of MachineSet",
      expect.stringContaining(
        "MachineSet cannot be listed: GET /apis/cluster.x-k8s.io/v1beta2/machinesets: 404",
      ),
    ]);
    expect(world.writes).toEqual([]);
    troubled.trouble(undefined);
    await world.settle();
    expect(await machinesIn(troubled)).toHaveLength(2);
  });

  test("whose watches fail every second still lets controllers finish, with a limited number of requests", async () => {
    const troubled = createTroubledWorld();
    const { world } = troubled;
    let requests = 0;
    troubled.trouble(async (request, server) => {
      requests++;
      const response = await server(request);
      if (!isWatch(request.path)) return response;
      const diesAtMs = world.scheduler.monotonicMs + 1000;
      return {
        ...response,
        lines: async function* () {
          for await (const line of response.lines()) {
            if (world.scheduler.monotonicMs >= diesAtMs)
              throw new TransportError("reset", "the connection broke");
            yield line;
          }
        },
      };
    });
    await world.apply(MachineSet, machineSet("fleet", 3));
    world.start();
    await world.settle({ quietMs: 5 * MINUTE, limitMs: 240 * MINUTE });
    expect(await machinesIn(troubled)).toHaveLength(3);
    expect(created(troubled)).toBe(3);
    expect(requests).toBeLessThan(1000);
  });

  test("that expires versions all the time still lets controllers finish, without a repeated write", async () => {
    const troubled = createTroubledWorld();
    const { world, storage } = troubled;
    troubled.trouble(async (request, server) => {
      if (isWatch(request.path)) storage.compact(storage.resourceVersion);
      return server(request);
    });
    await world.apply(MachineSet, machineSet("fleet", 3));
    world.start();
    await world.settle({ quietMs: 5 * MINUTE, limitMs: 240 * MINUTE });
    expect(await machinesIn(troubled)).toHaveLength(3);
    expect(created(troubled)).toBe(3);
  });

  test("that breaks each second page of a list is read in the end, and no object counts as deleted", async () => {
    const troubled = createTroubledWorld();
    const { world } = troubled;
    await world.apply(MachineSet, machineSet("fleet", 2));
    for (let index = 0; index < 1100; index++) {
      await world.run(
        world.client.create(Machine, {
          metadata: { name: `other-${index}`, namespace: "default" },
          spec: { clusterName: "harbour", bootstrap: { dataSecretName: "" }, infrastructureRef: BERTH },
        }),
      );
    }
    let pages = 0;
    troubled.trouble(async (request, server) => {
      if (!request.path.includes("continue=")) return server(request);
      pages++;
      if (pages % 2 === 0) throw new TransportError("reset", "the connection broke");
      return server(request);
    });
    world.start();
    await world.scheduler.advance(10 * MINUTE);
    troubled.trouble(undefined);
    await world.settle();
    expect(await machinesIn(troubled)).toHaveLength(1102);
    expect(pages).toBeGreaterThanOrEqual(2);
  });

  test("that refuses an object over 1.5 MiB makes the failure Terminal, and the others continue", async () => {
    const troubled = createTroubledWorld();
    const { world } = troubled;
    await world.apply(MachineSet, machineSet("fleet", 1));
    await world.apply(MachineSet, machineSet("second", 1));
    troubled.trouble((request, server) =>
      request.method === "POST" &&
      request.path.endsWith("/machines") &&
      JSON.stringify(request.body).includes('"fleet-')
        ? Promise.resolve(refusal(500, { message: "etcdserver: request is too large" }))
        : server(request),
    );
    world.start();
    await world.scheduler.advance(5 * MINUTE);
    const set = await world.get(MachineSet, fleet);
    expect(set).toHaveCondition("Ready", "False", "RequestEntityTooLarge");
    expect(created(troubled), "no retry before the slow probe").toBeLessThanOrEqual(3);
    expect(await world.get(MachineSet, { ...fleet, name: "second" })).toHaveCondition(
      "Ready",
      "True",
      "Reconciled",
    );
  });
});

describe("objects that disappear and return", () => {
  test("under the same name are new ones: nothing of the old one is kept", async () => {
    const troubled = await settled(2);
    const { world, depot } = troubled;
    const old = await world.get(MachineSet, fleet);
    await world.run(world.client.delete(MachineSet, fleet));
    await world.settle();
    await world.apply(MachineSet, machineSet("fleet", 3));
    await world.settle();
    const now = await world.get(MachineSet, fleet);
    expect(now.metadata.uid).not.toBe(old.metadata.uid);
    const machines = await machinesIn(troubled);
    expect(machines.map(({ metadata }) => metadata.ownerReferences?.[0]?.uid)).toEqual(
      Array(3).fill(now.metadata.uid),
    );
    expect([...depot.begun.values()]).toEqual([1, 1]);
    expect(depot.slots.size).toBe(1);
  });

  test("while the manager cannot see it are distinguished by their UID", async () => {
    const troubled = createTroubledWorld();
    const { world, depot } = troubled;
    let isBlind = false;
    // Blocks all watches from the start: an open one would still deliver events.
    troubled.trouble(async (request, server) => {
      const response = await server(request);
      if (!isWatch(request.path)) return response;
      return {
        ...response,
        lines: async function* () {
          for await (const line of response.lines()) {
            if (isBlind) throw new TransportError("reset", "the connection broke");
            yield line;
          }
        },
      };
    });
    await settled(1, troubled);
    const old = await world.get(MachineSet, fleet);
    isBlind = true;
    const finalizers = { metadata: { finalizers: null } };
    await world.run(world.client.patch(MachineSet, fleet, { type: "merge", body: finalizers }));
    await world.run(world.client.delete(MachineSet, fleet));
    const fresh = machineSet("fleet", 2);
    await world.run(world.client.create(MachineSet, fresh));
    troubled.storage.compact(troubled.storage.resourceVersion);
    isBlind = false;
    await world.scheduler.advance(5 * MINUTE);
    await world.settle();
    const now = await world.get(MachineSet, fleet);
    expect(now.metadata.uid).not.toBe(old.metadata.uid);
    expect(now).toHaveCondition("Ready", "True", "Reconciled");
    const owners = (await machinesIn(troubled)).map(({ metadata }) => metadata.ownerReferences?.[0]?.uid);
    expect(owners.filter((uid) => uid === now.metadata.uid)).toHaveLength(2);
    expect([...depot.begun.values()], "one reservation for each of the two").toEqual([1, 1]);
  });
});
