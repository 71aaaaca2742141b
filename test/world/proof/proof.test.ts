import { Cluster, Event, type Frozen, Machine, MachineSet, olderConditionsOf } from "@capstan/api";
import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import { describe, expect, test } from "vitest";
import { createDepot } from "./depot.ts";
import { FINALIZER, MISBEHAVE } from "./proof-controller.ts";
import { createProofWorld, machineSet, type ProofWorld } from "./proof-world.ts";

expect.extend(conditionMatchers);

const fleet = { name: "fleet", namespace: "default" };
const MINUTE_MS = 60_000;

async function started(...sets: MachineSet[]): Promise<ProofWorld> {
  const proof = createProofWorld();
  for (const set of sets) await proof.world.apply(MachineSet, set);
  proof.world.start();
  return proof;
}

const machinesIn = ({ world }: ProofWorld): Promise<readonly Frozen<Machine>[]> =>
  world.run(world.client.list(Machine));
const fleetIn = ({ world }: ProofWorld): Promise<Frozen<MachineSet>> => world.get(MachineSet, fleet);
const annotate = ({ world }: ProofWorld, annotations: Record<string, string | null>): Promise<unknown> =>
  world.run(world.client.patch(MachineSet, fleet, { type: "merge", body: { metadata: { annotations } } }));

const staleWaits = ({ world }: ProofWorld): number =>
  world.runner.metrics.value("capi_reconcile_stale_cache_skips_total", { controller: "proof" });

describe("the runner, driven by the proof controller", () => {
  test("brings an object to its desired state and reports it", async () => {
    const proof = await started(machineSet("fleet", 3));
    await proof.world.settle();
    const set = await fleetIn(proof);
    expect(set).toHaveCondition("Ready", "True", "Reconciled");
    expect(set.status).toMatchObject({ replicas: 3, observedGeneration: 1 });
    expect(set.metadata.finalizers).toEqual([FINALIZER]);
    expect(await machinesIn(proof)).toHaveLength(3);
  });

  test("reports that it is waiting while a blocking phase holds the later ones back", async () => {
    const proof = await started(machineSet("fleet", 3));
    await proof.world.scheduler.advance(5_000);
    expect(await fleetIn(proof)).toHaveCondition("Ready", "False", "ReservingSlot");
    expect(await machinesIn(proof)).toEqual([]);
  });

  test("follows a change of the spec up and down", async () => {
    const proof = await started(machineSet("fleet", 2));
    await proof.world.settle();
    await proof.world.apply(MachineSet, machineSet("fleet", 5));
    await proof.world.settle();
    expect(await machinesIn(proof)).toHaveLength(5);
    await proof.world.apply(MachineSet, machineSet("fleet", 1));
    await proof.world.settle();
    expect(await machinesIn(proof)).toHaveLength(1);
    expect((await fleetIn(proof)).status).toMatchObject({ replicas: 1, observedGeneration: 3 });
  });

  test("replaces an owned object that a user deletes", async () => {
    const proof = await started(machineSet("fleet", 2));
    await proof.world.settle();
    const [victim] = await machinesIn(proof);
    await proof.world.run(proof.world.client.delete(Machine, victim?.metadata ?? fleet));
    await proof.world.settle();
    const names = (await machinesIn(proof)).map(({ metadata }) => metadata.name);
    expect(names).toHaveLength(2);
    expect(names).not.toContain(victim?.metadata.name);
  });

  test("cleans up before it removes the finalizer", async () => {
    const proof = await started(machineSet("fleet", 3));
    await proof.world.settle();
    await proof.world.run(proof.world.client.delete(MachineSet, fleet));
    expect((await fleetIn(proof)).metadata.deletionTimestamp).toBeDefined();
    await proof.world.settle();
    expect(await proof.world.run(proof.world.client.find(MachineSet, fleet))).toBeUndefined();
    expect(await machinesIn(proof)).toEqual([]);
    expect(proof.depot.slots.size).toBe(0);
  });

  test("writes nothing once everything is as desired, not even at a resync", async () => {
    const proof = await started(machineSet("fleet", 3), machineSet("second", 2));
    await proof.world.settle();
    const before = proof.world.writes.length;
    await proof.world.scheduler.advance(25 * MINUTE_MS);
    expect(proof.world.writes.slice(before)).toEqual([]);
    expect(
      proof.world.runner.metrics.value("controller_runtime_reconcile_total", {
        controller: "proof",
        result: "success",
      }),
    ).toBeGreaterThan(4);
  });

  test.each([
    ["a little", 700],
    ["by more than the limit, so that it reads from the server", 40_000],
  ])("never makes one too many, although its watches lag %s", async (_, watchLagMs) => {
    const proof = createProofWorld({ watchLagMs });
    await proof.world.apply(MachineSet, machineSet("fleet", 4));
    proof.world.start();
    await proof.world.settle({ quietMs: 10 * MINUTE_MS, limitMs: 120 * MINUTE_MS });
    const created = proof.world.writes.filter((write) => /^POST .*\/machines$/.test(write));
    expect(created).toHaveLength(4);
    expect(await machinesIn(proof)).toHaveLength(4);
    expect(staleWaits(proof)).toBeGreaterThan(0);
  });

  test("does nothing while the object is paused by annotation, and reports it", async () => {
    const proof = await started(machineSet("fleet", 2, { "cluster.x-k8s.io/paused": "" }));
    await proof.world.settle();
    expect(await fleetIn(proof)).toHaveCondition("Paused", "True", "Paused");
    expect(await machinesIn(proof)).toEqual([]);
    await annotate(proof, { "cluster.x-k8s.io/paused": null });
    await proof.world.settle();
    expect(await fleetIn(proof)).toHaveCondition("Paused", "False", "NotPaused");
    expect(await machinesIn(proof)).toHaveLength(2);
  });

  test("does nothing while the Cluster is paused, and continues when it is resumed", async () => {
    const proof = createProofWorld();
    const cluster = {
      apiVersion: Cluster.apiVersion,
      kind: Cluster.kind,
      metadata: { name: "harbour", namespace: "default" },
      spec: {
        paused: true,
        infrastructureRef: {
          apiGroup: "infrastructure.cluster.x-k8s.io",
          kind: "AzureCluster",
          name: "harbour",
        },
      },
    };
    await proof.world.apply(Cluster, cluster);
    await proof.world.apply(MachineSet, machineSet("fleet", 1));
    proof.world.start();
    await proof.world.settle();
    expect(await machinesIn(proof)).toEqual([]);
    await proof.world.apply(Cluster, { ...cluster, spec: { ...cluster.spec, paused: false } });
    await proof.world.settle();
    expect(await machinesIn(proof)).toHaveLength(1);
  });
});

describe("each class of failure", () => {
  test("waiting requeues after its time, without an event", async () => {
    const proof = await started(machineSet("fleet", 1, { [MISBEHAVE]: "wait" }));
    await proof.world.scheduler.advance(5 * MINUTE_MS);
    expect(await fleetIn(proof)).toHaveCondition("Ready", "False", "TideIsLow");
    const passes = proof.world.runner.metrics.value("controller_runtime_reconcile_total", {
      controller: "proof",
      result: "requeue_after",
    });
    expect(passes).toBeGreaterThanOrEqual(10);
    expect(passes).toBeLessThanOrEqual(14);
    expect(await proof.world.run(proof.world.client.list(Event))).toEqual([]);
  });

  test("a transient failure backs off and causes an event at the third time", async () => {
    const proof = await started(machineSet("fleet", 1, { [MISBEHAVE]: "transient" }));
    await proof.world.scheduler.advance(10 * MINUTE_MS);
    expect(await fleetIn(proof)).toHaveCondition("Ready", "False", "StormAhead");
    const tries = proof.world.runner.metrics.value("controller_runtime_reconcile_errors_total", {
      controller: "proof",
    });
    // Doubling from 5 ms to 5 minutes takes 17 steps, which is about ten minutes.
    expect(tries).toBeGreaterThan(12);
    expect(tries).toBeLessThan(24);
    const events = await proof.world.run(proof.world.client.list(Event));
    expect(events.map(({ type, reason }) => `${type} ${reason}`)).toEqual(["Warning StormAhead"]);
  });

  test("a terminal failure is reported once and probed slowly, until a user changes the object", async () => {
    const proof = await started(machineSet("fleet", 1, { [MISBEHAVE]: "terminal" }));
    await proof.world.scheduler.advance(25 * MINUTE_MS);
    const set = await fleetIn(proof);
    expect(set).toHaveCondition("Ready", "False", "NoSuchPort");
    expect(olderConditionsOf(set)?.[0]?.severity).toBe("Error");
    const tries = proof.world.runner.metrics.value("controller_runtime_terminal_reconcile_errors_total", {
      controller: "proof",
    });
    expect(tries).toBeLessThan(10);
    await annotate(proof, { [MISBEHAVE]: null });
    await proof.world.settle();
    expect(await fleetIn(proof)).toHaveCondition("Ready", "True", "Reconciled");
  });

  test("a bug affects only its object and has an id in the log", async () => {
    const proof = await started(machineSet("fleet", 1, { [MISBEHAVE]: "bug" }), machineSet("second", 2));
    await proof.world.scheduler.advance(2 * MINUTE_MS);
    const set = await fleetIn(proof);
    expect(set).toHaveCondition("Ready", "Unknown", "InternalError");
    expect(olderConditionsOf(set)?.[0]?.message).toMatch(/look for [0-9a-f]{8} in its log/);
    expect(await proof.world.get(MachineSet, { ...fleet, name: "second" })).toHaveCondition(
      "Ready",
      "True",
      "Reconciled",
    );
    expect(
      proof.world.runner.metrics.value("controller_runtime_reconcile_panics_total", { controller: "proof" }),
    ).toBeGreaterThan(0);
  });
});

describe("the depot", () => {
  test("counts reservations, so that a repeated one is seen", async () => {
    let nowMs = 0;
    const { handler, begun } = createDepot(() => nowMs);
    const call = async (method: string): Promise<unknown> =>
      (await handler({ method, path: "/a", headers: {} })).json();
    await call("PUT");
    expect(await call("GET")).toEqual({ ready: false });
    nowMs = 20_000;
    expect(await call("GET")).toEqual({ ready: true });
    await call("PUT");
    expect(begun.get("a")).toBe(2);
  });
});
