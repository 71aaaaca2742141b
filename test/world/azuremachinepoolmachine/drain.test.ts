import {
  AzureMachinePool,
  Cluster,
  EXCLUDE_NODE_DRAINING_ANNOTATION,
  EXCLUDE_VOLUME_DETACH_ANNOTATION,
  getCondition,
  isTrue,
  MachinePool,
  Node,
  PAUSED_ANNOTATION,
  Pod,
  PRE_DRAIN_HOOK_PREFIX,
  PRE_TERMINATE_HOOK_PREFIX,
} from "@capstan/api";
import { PodDisruptionBudget } from "@capstan/apiserver";
import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import { describe, expect, test } from "vitest";
import { DRAINED } from "../../../packages/manager/src/pools/machine-conditions.ts";
import { VolumeAttachment } from "../../../packages/manager/src/workload/drain/kinds.ts";
import { DaemonSet } from "../../../packages/sim/src/workloads/workload-kinds.ts";
import { CLUSTER, type MachineWorld, machineWorld, NAMESPACE, POOL, SET } from "./machine-world.ts";

expect.extend(conditionMatchers);

const MINUTE_MS = 60_000;

/** The one machine whose Node runs the pod, and that Node. */
async function hostOf(machines: MachineWorld, app: string): Promise<{ id: string; node: string }> {
  for (const { spec, status } of await machines.machines()) {
    const node = status?.nodeRef?.name ?? "";
    const pods = await machines.podsOn(node);
    if (pods.some((name) => name.startsWith(app))) return { id: spec.instanceID ?? "", node };
  }
  throw new Error(`no Node runs ${app}`);
}

const isGone = (machines: MachineWorld, id: string) => async () => (await machines.find(id)) === undefined;

async function deletedByUser(machines: MachineWorld, id: string): Promise<void> {
  await machines.delete(id);
  await machines.until(isGone(machines, id), 30 * MINUTE_MS);
}

const pause = (machines: MachineWorld, kind: typeof AzureMachinePool, value: string | null) =>
  machines.world.run(
    machines.user.patch(
      kind,
      { name: POOL, namespace: NAMESPACE },
      { type: "merge", body: { metadata: { annotations: { [PAUSED_ANNOTATION]: value } } } },
    ),
  );

const drainedOf = async (machines: MachineWorld, id: string) =>
  getCondition((await machines.machine(id)).status?.conditions, DRAINED);

describe("a machine that a user deletes", () => {
  test("is drained before its instance is deleted, and its Node is deleted", async () => {
    const machines = await machineWorld();
    await machines.deploy("web", 4);
    await machines.live(5 * MINUTE_MS);
    const { id, node } = await hostOf(machines, "web");
    await machines.delete(id);
    await machines.until(async () => {
      const machine = await machines.find(id);
      // Whenever the pool may delete the instance, no pod is left on the Node.
      if (machine && isTrue(machine.status?.conditions, DRAINED))
        expect(await machines.podsOn(node)).toEqual([]);
      return machine === undefined;
    }, 30 * MINUTE_MS);
    expect((await machines.nodes()).map(({ metadata }) => metadata.name)).not.toContain(node);
    expect(await machines.events()).toEqual(expect.arrayContaining(["Draining", "Drained", "NodeDeleted"]));
    const pods = await machines.world.run(machines.workload.list(Pod));
    expect(pods.filter(({ status }) => status?.phase === "Running")).toHaveLength(4);
  });

  test("costs four writes and its evictions", async () => {
    const machines = await machineWorld();
    await machines.deploy("web", 4);
    await machines.live(5 * MINUTE_MS);
    const before = machines.writes().length;
    await deletedByUser(machines, (await hostOf(machines, "web")).id);
    const writes = machines
      .writes()
      .slice(before)
      .filter((write) => !write.endsWith("eviction"));
    expect(writes).toEqual([
      "patch nodes",
      "patch azuremachinepoolmachines/status",
      "delete nodes",
      "patch azuremachinepoolmachines",
    ]);
  });

  test("does not evict DaemonSet pods, mirror pods and finished pods", async () => {
    const machines = await machineWorld({ capacity: 1 });
    const { world, workload } = machines;
    const labels = { app: "agent" };
    const template = {
      metadata: { labels },
      spec: { containers: [{ name: "a", image: "agent:1" }], tolerations: [{ operator: "Exists" as const }] },
    };
    await world.run(
      workload.create(DaemonSet, {
        metadata: { name: "agent", namespace: NAMESPACE },
        spec: { selector: { matchLabels: labels }, template },
      }),
    );
    await machines.live(3 * MINUTE_MS);
    const { id, node } = await hostOf(machines, "agent");
    const pod = (name: string, annotations: Record<string, string>) => ({
      metadata: { name, namespace: NAMESPACE, annotations },
      spec: { nodeName: node, containers: [{ name: "a", image: "b" }] },
    });
    await world.run(workload.create(Pod, pod("mirror", { "kubernetes.io/config.mirror": "x" })));
    await world.run(workload.create(Pod, pod("done", {})));
    const body = { status: { phase: "Succeeded" } };
    await world.run(
      workload.patch(
        Pod,
        { name: "done", namespace: NAMESPACE },
        { type: "merge", subresource: "status", body },
      ),
    );
    await machines.delete(id);
    await machines.until(async () => (await drainedOf(machines, id))?.status === "True", 5 * MINUTE_MS);
    const left = (await machines.podsOn(node)).map((name) => name.replace(/^agent-.*/, "agent"));
    expect([...left].sort()).toEqual(["agent", "done", "mirror"]);
  });
});

describe("a budget that allows no disruption", () => {
  const BLOCKED = { minAvailable: 1 };

  async function blocked(options: Parameters<typeof machineWorld>[0] = {}) {
    const machines = await machineWorld(options);
    await machines.deploy("web", 1, BLOCKED);
    await machines.live(5 * MINUTE_MS);
    const { id, node } = await hostOf(machines, "web");
    const [podName = ""] = (await machines.podsOn(node)).filter((name) => name.startsWith("web"));
    await machines.delete(id);
    await machines.live(2 * MINUTE_MS);
    return { machines, id, node, podName };
  }

  test("blocks the drain, which names pod and budget; relaxing it continues the drain", async () => {
    const { machines, id, node, podName } = await blocked();
    expect(await drainedOf(machines, id)).toMatchObject({
      status: "False",
      severity: "Warning",
      reason: "DrainBlocked",
      message: `Draining Node ${node}; pod default/${podName} is not evicted: PodDisruptionBudget default/web allows no disruption now`,
    });
    expect(await machines.machine(id)).toHaveCondition("Ready", "False", "DrainBlocked");
    expect(await machines.events()).toContain("DrainBlocked");
    const before = machines.writes().filter((write) => !write.endsWith("eviction")).length;
    await machines.live(60 * MINUTE_MS);
    expect(
      machines.writes().filter((write) => !write.endsWith("eviction")).length,
      "nothing is written while nothing changes",
    ).toBe(before);
    expect(await machines.podsOn(node)).toContain(podName);
    await machines.world.run(
      machines.workload.delete(PodDisruptionBudget, { name: "web", namespace: NAMESPACE }),
    );
    await machines.until(isGone(machines, id), 15 * MINUTE_MS);
  });

  test.each([
    ["of the pool", { pool: { spec: { nodeDrainTimeout: "10m" } } }],
    [
      "of the MachinePool",
      { machinePool: { spec: { template: { spec: { deletion: { nodeDrainTimeoutSeconds: 600 } } } } } },
    ],
  ])("holds the drain until the timeout %s, through a crash", async (_, options) => {
    const { machines, id } = await blocked(options);
    const startedAt = (await machines.machine(id)).status?.nodeDrainStartTime ?? "";
    await machines.live(5 * MINUTE_MS);
    machines.world.managers.crash(1, 30_000);
    await machines.live(2 * MINUTE_MS);
    expect((await machines.machine(id)).status?.nodeDrainStartTime).toBe(startedAt);
    expect(await drainedOf(machines, id)).toMatchObject({ status: "False", reason: "DrainBlocked" });
    await machines.until(async () => (await drainedOf(machines, id))?.status === "True", 5 * MINUTE_MS);
    const drained = await drainedOf(machines, id);
    expect(drained).toMatchObject({ reason: "DrainTimedOut" });
    const tookMs = Date.parse(drained?.lastTransitionTime ?? "") - Date.parse(startedAt);
    expect(tookMs / MINUTE_MS).toBeCloseTo(10, 0);
    await machines.until(isGone(machines, id), 15 * MINUTE_MS);
  });

  test("does not count a pause towards its timeout", async () => {
    const { machines, id } = await blocked({ pool: { spec: { nodeDrainTimeout: "10m" } } });
    await pause(machines, AzureMachinePool, "");
    await machines.live(15 * MINUTE_MS);
    expect(await drainedOf(machines, id)).toMatchObject({ reason: "PoolPaused" });
    await pause(machines, AzureMachinePool, null);
    await machines.live(5 * MINUTE_MS);
    expect(await drainedOf(machines, id)).toMatchObject({ status: "False", reason: "DrainBlocked" });
    await machines.until(isGone(machines, id), 25 * MINUTE_MS);
  });

  test("a timeout of 0 means no limit", async () => {
    const { machines, id } = await blocked({
      pool: { spec: { nodeDrainTimeout: "0s" } },
      machinePool: { spec: { template: { spec: { deletion: { nodeDrainTimeoutSeconds: 60 } } } } },
    });
    await machines.live(30 * MINUTE_MS);
    expect(await drainedOf(machines, id)).toMatchObject({ status: "False", reason: "DrainBlocked" });
  });

  test("does not block a machine that is excluded from draining", async () => {
    const { machines, id } = await blocked();
    await machines.annotate(id, { [EXCLUDE_NODE_DRAINING_ANNOTATION]: "" });
    await machines.until(isGone(machines, id), 15 * MINUTE_MS);
  });

  test("does not block a machine whose Cluster is deleted", async () => {
    const { machines, id } = await blocked();
    const name = { name: CLUSTER, namespace: NAMESPACE };
    const body = { metadata: { finalizers: ["example.com/wait"] } };
    await machines.world.run(machines.user.patch(Cluster, name, { type: "merge", body }));
    await machines.world.run(machines.user.delete(Cluster, name));
    await machines.until(isGone(machines, id), 15 * MINUTE_MS);
  });

  test("does not block the deletion of other machines", async () => {
    const { machines, id } = await blocked({ capacity: 3 });
    const others = (await machines.machines()).filter(({ spec }) => spec.instanceID !== id);
    const other = others[0]?.spec.instanceID ?? "";
    await deletedByUser(machines, other);
    expect(await drainedOf(machines, id)).toMatchObject({ reason: "DrainBlocked" });
  });
});

describe("a Node that does not answer", () => {
  test("is drained after the grace period of its pods", async () => {
    const machines = await machineWorld();
    await machines.deploy("web", 2);
    await machines.live(5 * MINUTE_MS);
    const { id, node } = await hostOf(machines, "web");
    await machines.touch(id, "powerOff");
    await machines.live(3 * MINUTE_MS);
    expect(await machines.machine(id)).toHaveCondition("VMRunning", "False", "VMStopped");
    expect(await machines.machine(id)).toHaveCondition("NodeHealthy", "False", "NodeConditionsFailed");
    await machines.delete(id);
    await machines.until(async () => (await drainedOf(machines, id))?.status === "True", 2 * MINUTE_MS);
    expect(await machines.podsOn(node), "no kubelet stops it").not.toEqual([]);
    await machines.until(isGone(machines, id), 15 * MINUTE_MS);
  });

  test("and whose instance is gone is not drained", async () => {
    const machines = await machineWorld();
    await machines.deploy("web", 2, { minAvailable: 2 });
    await machines.live(5 * MINUTE_MS);
    const { id } = await hostOf(machines, "web");
    await machines.post("delete", id);
    await machines.live(5 * MINUTE_MS);
    expect(await machines.machine(id), "whether it goes, its pool decides").toHaveCondition(
      "VMRunning",
      "False",
    );
    await deletedByUser(machines, id);
  });
});

describe("a list without the instance", () => {
  test("does not outweigh a Ready Node: it is drained, and a later list decides", async () => {
    const machines = await machineWorld();
    await machines.deploy("web", 4);
    await machines.live(5 * MINUTE_MS);
    const { id, node } = await hostOf(machines, "web");
    machines.instanceCache.record(SET, [], machines.world.scheduler.wallMs);
    await machines.delete(id);
    await machines.world.advance(10 * MINUTE_MS);
    expect(await drainedOf(machines, id)).toMatchObject({ status: "True", reason: "Drained" });
    expect(await machines.podsOn(node)).toEqual([]);
    expect((await machines.node(id)).spec?.unschedulable, "the Node is still there").toBe(true);
    await machines.until(isGone(machines, id), 15 * MINUTE_MS);
  });
});

describe("a machine in deletion waits", () => {
  test("for its volumes, unless an annotation excludes it", async () => {
    const machines = await machineWorld();
    const { world, workload } = machines;
    const [machine] = await machines.machines();
    const id = machine?.spec.instanceID ?? "";
    const nodeName = machine?.status?.nodeRef?.name ?? "";
    await world.run(
      workload.create(VolumeAttachment, {
        metadata: { name: "attachment" },
        spec: { attacher: "disk.csi.azure.com", nodeName, source: { persistentVolumeName: "pv-1" } },
      } as never),
    );
    await machines.delete(id);
    await machines.live(5 * MINUTE_MS);
    expect(await drainedOf(machines, id)).toMatchObject({
      status: "False",
      reason: "WaitingForVolumeDetach",
      message: `Node ${nodeName} is drained; waiting until volume pv-1 is detached`,
    });
    await machines.annotate(id, { [EXCLUDE_VOLUME_DETACH_ANNOTATION]: "" });
    await machines.until(isGone(machines, id), 15 * MINUTE_MS);
  });

  test("for its volumes up to the timeout", async () => {
    const machines = await machineWorld({
      machinePool: { spec: { template: { spec: { deletion: { nodeVolumeDetachTimeoutSeconds: 300 } } } } },
    });
    const [machine] = await machines.machines();
    const id = machine?.spec.instanceID ?? "";
    const name = machine?.status?.nodeRef?.name ?? "";
    const body = { status: { volumesAttached: [{ name: "kubernetes.io/csi/d^v", devicePath: "" }] } };
    await machines.world.run(
      machines.workload.patch(Node, { name }, { type: "merge", subresource: "status", body }),
    );
    await machines.delete(id);
    await machines.live(4 * MINUTE_MS);
    expect(await drainedOf(machines, id)).toMatchObject({ reason: "WaitingForVolumeDetach" });
    await machines.until(isGone(machines, id), 15 * MINUTE_MS);
  });

  test.each([PRE_DRAIN_HOOK_PREFIX, PRE_TERMINATE_HOOK_PREFIX])("for the hook %s", async (prefix) => {
    const machines = await machineWorld();
    const [machine] = await machines.machines();
    const id = machine?.spec.instanceID ?? "";
    await machines.annotate(id, { [`${prefix}/backup`]: "me" });
    await machines.delete(id);
    await machines.live(5 * MINUTE_MS);
    expect(await drainedOf(machines, id)).toMatchObject({ status: "False", reason: "WaitingExternalHook" });
    const node = await machines.node(id);
    expect(node.spec?.unschedulable === true).toBe(prefix === PRE_TERMINATE_HOOK_PREFIX);
    await machines.annotate(id, { [`${prefix}/backup`]: null });
    await machines.until(isGone(machines, id), 15 * MINUTE_MS);
  });

  test.each([
    ["AzureMachinePool", AzureMachinePool],
    ["MachinePool", MachinePool],
  ])("while its %s is paused, and not longer", async (_, kind) => {
    const machines = await machineWorld();
    await pause(machines, kind as typeof AzureMachinePool, "");
    await machines.delete("0");
    await machines.live(5 * MINUTE_MS);
    expect(await drainedOf(machines, "0")).toMatchObject({ status: "False", reason: "PoolPaused" });
    expect((await machines.node("0")).spec).not.toHaveProperty("unschedulable");
    await pause(machines, kind as typeof AzureMachinePool, null);
    await machines.until(isGone(machines, "0"), 2 * MINUTE_MS);
  });
});
