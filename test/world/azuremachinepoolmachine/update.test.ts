import { type Frozen, getCondition, Node, UPDATE_INSTANCE_ANNOTATION } from "@capstan/api";
import { PodDisruptionBudget } from "@capstan/apiserver";
import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import { describe, expect, test } from "vitest";
import { DRAINED } from "../../../packages/manager/src/pools/machine-conditions.ts";
import { type MachineWorld, machineWorld, MODEL, NAMESPACE } from "./machine-world.ts";

expect.extend(conditionMatchers);

const MINUTE_MS = 60_000;
const NEW = "v1-bb";

const isDone = (machines: MachineWorld, id: string) => async () =>
  (await machines.machine(id)).metadata.annotations?.[UPDATE_INSTANCE_ANNOTATION] === undefined;

const bootOf = ({ status }: Frozen<Node>) => status?.nodeInfo?.bootID;

/** The metadata that users have put on the Node of a machine. */
async function adorn(machines: MachineWorld, id: string): Promise<Frozen<Node>> {
  const node = await machines.node(id);
  const body = {
    metadata: { labels: { "example.com/rack": "7" }, annotations: { "example.com/owner": "alex" } },
    spec: { taints: [{ key: "example.com/gpu", value: "yes", effect: "NoSchedule" }] },
  };
  return machines.world.run(machines.workload.patch(Node, node.metadata, { type: "merge", body }));
}

describe("an update in place", () => {
  test("drains, comes back with a new boot and model, and keeps the users' metadata of the Node", async () => {
    const machines = await machineWorld({ capacity: 2 });
    await machines.deploy("web", 2);
    await machines.live(3 * MINUTE_MS);
    const before = await adorn(machines, "0");
    await machines.update("0", NEW);
    await machines.until(isDone(machines, "0"), 40 * MINUTE_MS);
    const machine = await machines.machine("0");
    expect(machine.status).toMatchObject({ modelHash: NEW, ready: true });
    expect(machine.status).not.toHaveProperty("instanceUpdate");
    expect(getCondition(machine.status?.conditions, DRAINED)).toBeUndefined();
    expect(machine).toHaveCondition("Ready", "True");
    const after = await machines.node("0");
    expect(bootOf(after)).not.toBe(bootOf(before));
    expect(after.metadata).toMatchObject({
      name: before.metadata.name,
      labels: { "example.com/rack": "7" },
      annotations: { "example.com/owner": "alex" },
    });
    expect(machine.status).toMatchObject({ nodeRef: { uid: after.metadata.uid } });
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    expect(after.spec).toMatchObject({ taints: [{ key: "example.com/gpu", value: "yes" }] });
    expect(after.spec).not.toHaveProperty("unschedulable");
    expect((await machines.machine("1")).status?.modelHash).toBe(MODEL);
    expect(await machines.events()).toEqual(expect.arrayContaining(["Draining", "UpdatedInPlace"]));
    const writes = machines.writes().length;
    await machines.live(60 * MINUTE_MS);
    expect(machines.writes()).toHaveLength(writes);
  });

  test("reports its start, the deletion of its Node and its end, and no usual states in between", async () => {
    const machines = await machineWorld({ capacity: 1 });
    const before = machines.writes().length;
    await machines.update("0", NEW);
    await machines.until(isDone(machines, "0"), 40 * MINUTE_MS);
    const reported = machines
      .writes()
      .slice(before)
      .filter((write) => write.includes("azuremachinepoolmachines"));
    expect(reported).toEqual([
      "patch azuremachinepoolmachines/status",
      "patch azuremachinepoolmachines/status",
      "patch azuremachinepoolmachines/status",
      "patch azuremachinepoolmachines",
    ]);
  });

  test("is blocked by a budget, and cancelled when the annotation is removed", async () => {
    const machines = await machineWorld({ capacity: 1 });
    await machines.deploy("web", 1, { minAvailable: 1 });
    await machines.live(3 * MINUTE_MS);
    await machines.update("0", NEW);
    await machines.live(3 * MINUTE_MS);
    expect(await machines.machine("0")).toHaveCondition(DRAINED, "False", "DrainBlocked");
    expect((await machines.node("0")).spec?.unschedulable).toBe(true);
    await machines.annotate("0", { [UPDATE_INSTANCE_ANNOTATION]: null });
    await machines.live(3 * MINUTE_MS);
    const machine = await machines.machine("0");
    expect(getCondition(machine.status?.conditions, DRAINED)).toBeUndefined();
    expect(machine.status?.nodeDrainStartTime).toBeUndefined();
    expect(machine).toHaveCondition("Ready", "True");
    const node = await machines.node("0");
    expect(node.spec?.unschedulable).toBeUndefined();
    expect(node.metadata.annotations ?? {}).toEqual({});
  });

  test("continues when the budget allows it", async () => {
    const machines = await machineWorld({ capacity: 1 });
    await machines.deploy("web", 1, { minAvailable: 1 });
    await machines.live(3 * MINUTE_MS);
    await machines.update("0", NEW);
    await machines.live(10 * MINUTE_MS);
    expect((await machines.machine("0")).status?.modelHash).toBe(MODEL);
    await machines.world.run(
      machines.workload.delete(PodDisruptionBudget, { name: "web", namespace: NAMESPACE }),
    );
    await machines.until(isDone(machines, "0"), 40 * MINUTE_MS);
    expect((await machines.machine("0")).status?.modelHash).toBe(NEW);
  });

  test("that has started is finished, even if a user removes the annotation", async () => {
    const machines = await machineWorld({ capacity: 1 });
    await machines.update("0", NEW);
    await machines.world.advance(10_000);
    expect((await machines.machine("0")).status?.instanceUpdate).toMatchObject({ modelHash: NEW });
    await machines.annotate("0", { [UPDATE_INSTANCE_ANNOTATION]: null });
    await machines.until(async () => (await machines.machine("0")).status?.modelHash === NEW, 40 * MINUTE_MS);
    await machines.until(isDone(machines, "0"), MINUTE_MS);
  });

  test.each(["true", "now", "v1-xyz", ""])("is not started by the annotation %j", async (value) => {
    const machines = await machineWorld({ capacity: 1 });
    const writes = machines.writes().length;
    await machines.annotate("0", { [UPDATE_INSTANCE_ANNOTATION]: value });
    await machines.live(5 * MINUTE_MS);
    expect(machines.writes()).toHaveLength(writes);
    expect(await machines.machine("0")).toHaveCondition("Ready", "True");
  });

  test("keeps the Node of a user who cordoned it cordoned", async () => {
    const machines = await machineWorld({ capacity: 1 });
    const { metadata } = await machines.node("0");
    const body = { spec: { unschedulable: true } };
    await machines.world.run(machines.workload.patch(Node, metadata, { type: "merge", body }));
    await machines.update("0", NEW);
    await machines.until(isDone(machines, "0"), 40 * MINUTE_MS);
    expect((await machines.node("0")).spec?.unschedulable).toBe(true);
  });

  test("is cancelled by a deletion", async () => {
    const machines = await machineWorld({ capacity: 2 });
    await machines.update("0", NEW);
    await machines.live(MINUTE_MS);
    await machines.delete("0");
    await machines.until(async () => (await machines.find("0")) === undefined, 30 * MINUTE_MS);
  });

  test("survives a crash at any moment", async () => {
    for (const crashMs of [100, 1_000, 3_000, 30_000, 120_000]) {
      const machines = await machineWorld({ capacity: 1 });
      await adorn(machines, "0");
      await machines.update("0", NEW);
      await machines.world.advance(crashMs);
      machines.world.managers.crash(1, 20_000);
      await machines.until(isDone(machines, "0"), 60 * MINUTE_MS);
      const node = await machines.node("0");
      expect(node.metadata.labels, `${crashMs} ms`).toMatchObject({ "example.com/rack": "7" });
      expect((await machines.machine("0")).status?.modelHash).toBe(NEW);
    }
  });
});
