import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Event, Lease, Machine, MachineSet } from "@capstan/api";
import { createRealEnv, type Transport } from "@capstan/env";
import { type Client, createClient, Runner, silentLogger } from "@capstan/runtime";
import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { createDepot } from "../world/proof/depot.ts";
import { proofController } from "../world/proof/proof-controller.ts";
import { machineSet } from "../world/proof/proof-world.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { type CustomResourceDefinition, establish } from "./custom-resource-definition.ts";

expect.extend(conditionMatchers);

const env = createRealEnv();
const depot = createDepot(() => env.clock.monotonic());
const depotTransport: Transport = {
  request: (request) => depot.handler(request),
  close: () => Promise.resolve(),
};
const fleet = { name: "fleet", namespace: "default" };
const lease = { name: "capstan-proof", namespace: "default" };

let plane: ControlPlane;
let client: Client;
let runner: Runner;

const createRunner = (): Runner =>
  new Runner({
    env,
    transport: plane.connect(),
    log: silentLogger,
    name: "capstan",
    reconcilers: [proofController(depotTransport)],
    lease,
  });

beforeAll(async () => {
  plane = await startControlPlane();
  client = createClient({ transport: plane.connect(), env, fieldManager: "test" });
  for (const plural of ["clusters", "machines", "machinesets"]) {
    const file = `packages/api/crds/cluster.x-k8s.io_${plural}.yaml`;
    await establish(client, parse(readFileSync(file, "utf8")) as CustomResourceDefinition);
  }
  runner = createRunner();
  await runner.start();
});
afterAll(async () => {
  await runner.stop();
  await plane.stop();
});

/** Looks until it holds; the test's time limit ends it otherwise. */
async function eventually(assertion: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await assertion();
    } catch {
      await sleep(100);
    }
  }
}

const countIs = (count: number) => async (): Promise<void> => {
  expect(await client.list(Machine)).toHaveLength(count);
  const set = await client.get(MachineSet, fleet);
  expect(set).toHaveCondition("Ready", "True", "Reconciled");
  expect(set.status).toMatchObject({ replicas: count, observedGeneration: set.metadata.generation });
};

describe("the proof controller on a real kube-apiserver", () => {
  test("reserves its slot once and makes its machines", async () => {
    await client.create(MachineSet, machineSet("fleet", 3));
    await eventually(countIs(3));
    expect([...depot.begun.values()]).toEqual([1]);
  });

  test("tells about it in events that kubectl describe shows", async () => {
    const events = await client.list(Event, { fieldSelector: "involvedObject.name=fleet" });
    expect(new Set(events.map(({ reason }) => reason))).toEqual(new Set(["SuccessfulCreate"]));
  });

  test("follows a change of the spec", async () => {
    await client.patch(MachineSet, fleet, { type: "merge", body: { spec: { replicas: 1 } } });
    await eventually(countIs(1));
  });

  test("writes nothing once everything is as wanted", async () => {
    const version = (await client.get(MachineSet, fleet)).metadata.resourceVersion;
    await client.patch(MachineSet, fleet, {
      type: "merge",
      body: { metadata: { labels: { touched: "yes" } } },
    });
    await eventually(async () => {
      const passes = runner.metrics.value("controller_runtime_reconcile_total", {
        controller: "proof",
        result: "success",
      });
      expect(passes).toBeGreaterThan(2);
    });
    const after = await client.get(MachineSet, fleet);
    expect(after.metadata.resourceVersion).not.toBe(version);
    expect(after.status?.replicas).toBe(1);
  });

  test("hands over to a second manager, which waits for the Lease and repeats nothing", async () => {
    const second = createRunner();
    const started = second.start();
    await runner.stop();
    await started;
    runner = second;
    const holder = (await client.get(Lease, lease)).spec?.holderIdentity;
    expect(holder).toMatch(/^capstan_/);
    await client.patch(MachineSet, fleet, { type: "merge", body: { spec: { replicas: 2 } } });
    await eventually(countIs(2));
    expect([...depot.begun.values()]).toEqual([1]);
  });

  test("cleans up before it lets the object go", async () => {
    await client.delete(MachineSet, fleet);
    await eventually(async () => {
      expect(await client.find(MachineSet, fleet)).toBeUndefined();
      expect(await client.list(Machine)).toEqual([]);
    });
    expect(depot.slots.size).toBe(0);
  });
});
