import { AzureMachinePool, AzureMachinePoolMachine, Cluster, type Frozen, Node } from "@capstan/api";
import { node } from "@capstan/runtime/testing/builders";
import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import { describe, expect, test } from "vitest";
import { MACHINE_FINALIZER } from "../../../packages/manager/src/pools/well-known.ts";
import { CLUSTER, type MachineWorld, machineWorld, MODEL, NAMESPACE, POOL } from "./machine-world.ts";

expect.extend(conditionMatchers);

const MINUTE_MS = 60_000;
const INITIALIZED = {
  type: "ControlPlaneInitialized",
  reason: "Initialized",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};
const ALL = ["Ready", "VMRunning", "BootstrapSucceeded", "NodeHealthy"];

describe("a machine", () => {
  test("becomes Ready with its Node, in three writes", async () => {
    const machines = await machineWorld({ capacity: 3 });
    for (const machine of await machines.machines()) {
      expect(machine.status).toMatchObject({
        ready: true,
        provisioningState: "Succeeded",
        instanceID: machine.spec.instanceID,
        version: "v1.34.1",
        modelHash: MODEL,
        latestModelApplied: true,
        nodeRef: { kind: "Node", name: expect.stringMatching(/^pool/) as string },
      });
      for (const type of ALL) expect(machine).toHaveCondition(type, "True");
    }
    const writes = machines.writes();
    expect(new Set(writes)).toEqual(new Set(["patch azuremachinepoolmachines/status"]));
    expect(writes.length).toBeLessThanOrEqual(9);
    await machines.live(60 * MINUTE_MS);
    expect(machines.writes().length, "settled for an hour").toBe(writes.length);
  });

  test("changes nothing before its instances have been listed, however often it starts", async () => {
    const machines = await machineWorld();
    const writes = machines.writes().length;
    machines.world.managers.crash(1, 10_000);
    await machines.world.advance(30 * MINUTE_MS);
    expect(machines.writes()).toHaveLength(writes);
    await machines.delete("0");
    await machines.world.advance(30 * MINUTE_MS);
    expect(machines.writes(), "a deletion waits for the list too").toHaveLength(writes);
    await machines.until(async () => (await machines.find("0")) === undefined, 15 * MINUTE_MS);
  });

  test("reports that its Node is gone, and finds the next one", async () => {
    const machines = await machineWorld();
    const before = await machines.node("0");
    await machines.world.run(machines.workload.delete(Node, { name: before.metadata.name }));
    await machines.world.advance(10_000);
    const machine = await machines.machine("0");
    expect(machine).toHaveCondition("NodeHealthy", "False", "NodeNotFound");
    expect(machine.status?.ready).toBe(false);
    await machines.touch("0", "restart");
    await machines.until(async () => (await machines.machine("0")).status?.ready === true, 20 * MINUTE_MS);
    const { status } = await machines.machine("0");
    expect(status?.nodeRef?.uid).not.toBe(before.metadata.uid);
  });

  test("whose status was lost in a move finds its Node as soon as its Cluster is initialized again", async () => {
    const machines = await machineWorld();
    const { user, world } = machines;
    const setCluster = (status: string) =>
      world.run(
        user.patch(
          Cluster,
          { name: CLUSTER, namespace: NAMESPACE },
          {
            type: "merge",
            subresource: "status",
            body: { status: { deprecated: { v1beta1: { conditions: [{ ...INITIALIZED, status }] } } } },
          },
        ),
      );
    await setCluster("False");
    const { name } = (await machines.machine("0")).metadata;
    const body = { status: null };
    await world.run(
      user.patch(
        AzureMachinePoolMachine,
        { name, namespace: NAMESPACE },
        { type: "merge", subresource: "status", body },
      ),
    );
    await world.advance(15 * MINUTE_MS);
    expect(await machines.machine("0")).toHaveCondition("Ready", "False", "NodeNotJoined");
    await setCluster("True");
    await world.advance(10_000);
    expect((await machines.machine("0")).status?.ready).toBe(true);
  });

  test("ignores a Node that only claims to be its own", async () => {
    const machines = await machineWorld({ capacity: 1 });
    const { providerID } = (await machines.machine("0")).spec;
    const before = (await machines.machine("0")).status;
    const impostor = node({ metadata: { name: "impostor" }, spec: { providerID } });
    await machines.world.run(machines.workload.create(Node, impostor));
    await machines.live(5 * MINUTE_MS);
    expect((await machines.machine("0")).status, "its own is known").toEqual(before);
    await machines.world.run(machines.workload.delete(Node, { name: before?.nodeRef?.name ?? "" }));
    await machines.live(MINUTE_MS);
    const machine = await machines.machine("0");
    expect(machine).toHaveCondition("NodeHealthy", "False", "NodeDisputed");
    expect(machine.status?.ready).toBe(false);
    await machines.delete("0");
    await machines.until(async () => (await machines.find("0")) === undefined, 30 * MINUTE_MS);
    const left = await machines.nodes();
    expect(left.map(({ metadata, spec }) => [metadata.name, spec?.unschedulable])).toEqual([
      ["impostor", undefined],
    ]);
  });

  test("of a VM that is stopped reports it, and is Ready again when it runs", async () => {
    const machines = await machineWorld({ capacity: 1 });
    await machines.touch("0", "powerOff");
    await machines.live(5 * MINUTE_MS);
    expect(await machines.machine("0")).toHaveCondition("Ready", "False", "VMStopped");
    expect((await machines.machine("0")).status?.ready).toBe(false);
    await machines.touch("0", "start");
    await machines.live(20 * MINUTE_MS);
    for (const type of ALL) expect(await machines.machine("0")).toHaveCondition(type, "True");
  });
});

describe("a machine that a user created", () => {
  async function made(machines: MachineWorld, providerID: string): Promise<Frozen<AzureMachinePoolMachine>> {
    const [like] = await machines.machines();
    const { labels = {}, ownerReferences = [] } = like?.metadata ?? {};
    return machines.world.run(
      machines.user.create(AzureMachinePoolMachine, {
        metadata: {
          name: "by-hand",
          namespace: NAMESPACE,
          labels: { ...labels },
          ownerReferences: ownerReferences.map((one) => ({ ...one })),
          finalizers: [MACHINE_FINALIZER],
        },
        spec: { providerID },
      }),
    );
  }
  const NAME = { name: "by-hand", namespace: NAMESPACE };

  test("for a VM of another scale set reports it, touches nothing, and can be deleted", async () => {
    const machines = await machineWorld({ capacity: 1 });
    const [machine] = await machines.machines();
    const other = (machine?.spec.providerID ?? "").replace("/pool/", "/pool-1/");
    await made(machines, other);
    await machines.live(2 * MINUTE_MS);
    const byHand = await machines.world.run(machines.user.get(AzureMachinePoolMachine, NAME));
    expect(byHand).toHaveCondition("Ready", "False", "ForeignInstance");
    await machines.world.run(machines.user.delete(AzureMachinePoolMachine, NAME));
    await machines.world.advance(MINUTE_MS);
    expect(await machines.world.run(machines.user.find(AzureMachinePoolMachine, NAME))).toBeUndefined();
    expect((await machines.nodes()).map(({ spec }) => spec?.unschedulable)).toEqual([undefined]);
  });

  test("for a missing instance is left to the pool, and can be deleted", async () => {
    const machines = await machineWorld({ capacity: 1 });
    const [machine] = await machines.machines();
    await made(machines, (machine?.spec.providerID ?? "").replace(/\d+$/, "77"));
    await machines.live(2 * MINUTE_MS);
    await machines.world.run(machines.user.delete(AzureMachinePoolMachine, NAME));
    await machines.live(MINUTE_MS);
    expect(await machines.world.run(machines.user.find(AzureMachinePoolMachine, NAME))).toBeUndefined();
  });
});

describe("a machine whose pool is gone", () => {
  test("is deleted with it", async () => {
    const machines = await machineWorld({ capacity: 1 });
    await machines.world.run(machines.user.delete(AzureMachinePool, { name: POOL, namespace: NAMESPACE }));
    await machines.world.advance(5 * MINUTE_MS);
    expect(await machines.machines()).toEqual([]);
  });

  test("is deleted without any drain", async () => {
    const machines = await machineWorld({ capacity: 1 });
    const pool = { name: POOL, namespace: NAMESPACE };
    const { metadata } = await machines.node("0");
    // One after the other: two watches deliver pool and machine, and the events of a cascade may arrive in any order.
    await machines.world.run(machines.user.delete(AzureMachinePool, pool, { propagationPolicy: "Orphan" }));
    await machines.world.advance(MINUTE_MS);
    await machines.delete("0");
    await machines.world.advance(5 * MINUTE_MS);
    expect(await machines.machines()).toEqual([]);
    const left = await machines.world.run(machines.workload.get(Node, { name: metadata.name }));
    expect(left.spec?.unschedulable).toBeUndefined();
  });
});

describe("a workload cluster that does not answer", () => {
  test("costs no writes, and blocks a drain until it answers again", async () => {
    const machines = await machineWorld();
    const { world } = machines;
    world.addFault({ fault: "workload-unreachable", when: { trigger: {} } });
    const writes = machines.writes().length;
    await machines.live(20 * MINUTE_MS);
    expect(machines.writes()).toHaveLength(writes);
    await machines.delete("0");
    await machines.live(20 * MINUTE_MS);
    expect(await machines.machine("0")).toHaveCondition("Drained", "False", "WorkloadClusterUnreachable");
    await world.heal("workload-unreachable");
    await machines.until(async () => (await machines.find("0")) === undefined, 30 * MINUTE_MS);
  });

  test("blocks a drain no longer than the timeout", async () => {
    const machines = await machineWorld({ pool: { spec: { nodeDrainTimeout: "10m" } } });
    machines.world.addFault({ fault: "workload-unreachable", when: { trigger: {} } });
    await machines.live(5 * MINUTE_MS);
    await machines.delete("0");
    await machines.live(8 * MINUTE_MS);
    expect(await machines.machine("0")).toHaveCondition("Drained", "False");
    await machines.until(async () => (await machines.find("0")) === undefined, 30 * MINUTE_MS);
  });
});
