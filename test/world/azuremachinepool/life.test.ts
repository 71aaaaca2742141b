import {
  AzureCluster,
  AzureClusterIdentity,
  AzureMachinePool,
  AzureMachinePoolMachine,
  Cluster,
  EXCLUDE_NODE_DRAINING_ANNOTATION,
  type Frozen,
  KubeadmConfig,
  type KubernetesObject,
  MachinePool,
  PAUSED_ANNOTATION,
  Secret,
} from "@capstan/api";
import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import { describe, expect, test } from "vitest";
import { UNUSED_SSH_KEY } from "../../../packages/manager/src/virtual-machine/unused-ssh-key.ts";
import { get, MINUTE_MS, patch, remove } from "../kit/fleet-world.ts";
import {
  armCalls,
  CLUSTER,
  clusterWorld,
  createPool,
  machinesOf,
  namesOf,
  NEW_VERSION,
  nodesOf,
  poolOf,
  readyMachines,
  setBody,
  settled,
} from "../kit/pool-world.ts";

expect.extend(conditionMatchers);

const REPLICAS = (replicas: number) => ({ spec: { replicas } });
const VERSION = { spec: { template: { spec: { version: NEW_VERSION } } } };

describe("a pool", () => {
  test("of three becomes three Ready Nodes, and then no controller writes for an hour", async () => {
    const world = await clusterWorld();
    await createPool(world, "mp");
    await settled(world);
    const { pool, machinePool } = await poolOf(world, "mp");
    expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1", "mp-2"]);
    const provisioned = { ready: true, initialization: { provisioned: true } };
    expect(pool.status).toMatchObject({ ...provisioned, replicas: 3, provisioningState: "Succeeded" });
    expect(pool).toHaveCondition("Ready", "True");
    for (const machine of await machinesOf(world, "mp")) expect(machine.status).toMatchObject(provisioned);
    for (const object of [pool, ...(await machinesOf(world, "mp"))])
      expect(object).toHaveCondition("Paused", "False", "NotPaused");
    expect(machinePool.status).toMatchObject({ phase: "Running", readyReplicas: 3 });
    const before = world.testedWrites;
    const calls = armCalls(world).length;
    await world.advance(60 * MINUTE_MS);
    expect(world.testedWrites - before).toBe(0);
    expect(
      armCalls(world)
        .slice(calls)
        .filter((call) => /scale/i.test(call)).length,
    ).toBeLessThanOrEqual(8);
  });

  test("without an SSH key gets an unusable one, which does not change its model", async () => {
    const world = await clusterWorld();
    await createPool(world, "mp", { replicas: 1 });
    await settled(world);
    expect(JSON.stringify(setBody(world, "mp"))).toContain(`"keyData":"${UNUSED_SSH_KEY}"`);
    const before = armCalls(world).filter((call) => call.startsWith("PUT ")).length;
    await patch(world, AzureMachinePool, "mp", { spec: { template: { sshPublicKey: "" } } });
    await settled(world);
    expect(armCalls(world).filter((call) => call.startsWith("PUT "))).toHaveLength(before);
    expect(await readyMachines(world, "mp")).toEqual(["mp-0"]);
  });

  test("grows and shrinks with its replicas, and drains the deleted machines", async () => {
    const world = await clusterWorld();
    await createPool(world, "mp");
    await settled(world);
    await patch(world, MachinePool, "mp", REPLICAS(5));
    await settled(world);
    expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1", "mp-2", "mp-3", "mp-4"]);
    await patch(world, MachinePool, "mp", REPLICAS(2));
    await settled(world);
    expect(await readyMachines(world, "mp")).toEqual(["mp-3", "mp-4"]);
    expect(await namesOf(world, "mp")).toEqual(["mp-3", "mp-4"]);
    expect((await nodesOf(world)).length).toBe(2);
    await patch(world, MachinePool, "mp", REPLICAS(0));
    await settled(world);
    expect(await namesOf(world, "mp")).toEqual([]);
  });

  test("reports at once that its machines no longer have the latest model", async () => {
    const world = await clusterWorld();
    await createPool(world, "mp");
    await settled(world);
    const latest = async (): Promise<readonly unknown[]> =>
      (await machinesOf(world, "mp")).map(({ metadata, status }) => [
        metadata.name,
        status?.latestModelApplied,
      ]);
    const all = ["mp-0", "mp-1", "mp-2"];
    expect(await latest()).toEqual(all.map((name) => [name, true]));
    await patch(world, MachinePool, "mp", VERSION);
    await world.advance(MINUTE_MS);
    expect(await latest()).toEqual(expect.arrayContaining(all.map((name) => [name, false])));
  });

  test("removes a machine soon after Azure has deleted it, although its last list is recent", async () => {
    const world = await clusterWorld({ azure: { latencies: "none" } });
    await createPool(world, "mp");
    await settled(world);
    await patch(world, MachinePool, "mp", REPLICAS(2));
    await world.advance(27_000);
    expect(await namesOf(world, "mp")).toEqual(["mp-1", "mp-2"]);
  });

  test("replaces every machine for a new version, one after the other", async () => {
    const world = await clusterWorld();
    await createPool(world, "mp");
    await settled(world);
    await patch(world, MachinePool, "mp", VERSION);
    await settled(world);
    expect(await readyMachines(world, "mp")).toEqual(["mp-3", "mp-4", "mp-5"]);
    const versions = (await machinesOf(world, "mp")).map(({ status }) => status?.version);
    expect(versions).toEqual([NEW_VERSION, NEW_VERSION, NEW_VERSION]);
    expect((await get(world, AzureMachinePool, "mp")).status).toMatchObject({ version: NEW_VERSION });
  });

  test("updates every machine in place for a new version, and keeps its instances", async () => {
    const world = await clusterWorld();
    await createPool(world, "mp", {
      strategy: { maxUnavailable: 1, maxSurge: 0, instanceUpdate: "InPlace" },
    });
    await settled(world);
    await patch(world, MachinePool, "mp", VERSION);
    await settled(world);
    expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1", "mp-2"]);
    const versions = (await machinesOf(world, "mp")).map(({ status }) => status?.version);
    expect(versions).toEqual([NEW_VERSION, NEW_VERSION, NEW_VERSION]);
  });

  test("updates in place without a gap: with one surge machine, which is deleted afterwards", async () => {
    const world = await clusterWorld();
    await createPool(world, "mp", {
      strategy: { maxUnavailable: 0, maxSurge: 1, instanceUpdate: "InPlace" },
    });
    await settled(world);
    await patch(world, MachinePool, "mp", VERSION);
    await settled(world);
    expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1", "mp-2"]);
    const versions = (await machinesOf(world, "mp")).map(({ status }) => status?.version);
    expect(versions).toEqual([NEW_VERSION, NEW_VERSION, NEW_VERSION]);
    const made = armCalls(world).filter((call) => /PUT .*virtualMachineScaleSets\/mp/.test(call));
    expect(made.length).toBeGreaterThan(1);
  });

  test("keeps its surge machine as a normal one when another machine is deleted meanwhile", async () => {
    const world = await clusterWorld();
    await createPool(world, "mp", {
      strategy: { maxUnavailable: 0, maxSurge: 1, instanceUpdate: "InPlace" },
    });
    await settled(world);
    await patch(world, MachinePool, "mp", VERSION);
    const isNew = ({ status }: Frozen<AzureMachinePoolMachine>) => status?.version === NEW_VERSION;
    const isAdded = ({ metadata }: Frozen<AzureMachinePoolMachine>) =>
      metadata.annotations?.["capstan.dev/surge"] !== undefined;
    while ((await machinesOf(world, "mp")).filter(isNew).length < 3) await world.advance(5_000);
    const [updated] = (await machinesOf(world, "mp")).filter(
      (machine) => isNew(machine) && !isAdded(machine),
    );
    await remove(world, AzureMachinePoolMachine, updated?.metadata.name ?? "");
    await settled(world);
    expect(await readyMachines(world, "mp")).toContain("mp-3");
    expect((await machinesOf(world, "mp")).filter(isAdded)).toEqual([]);
  });

  test("with many machines deletes them together, and starts no further operation beside the running ones", async () => {
    const world = await clusterWorld();
    await createPool(world, "mp", { replicas: 120 });
    await settled(world);
    const deletions = () => armCalls(world).filter((call) => /^POST .*\/mp\/delete\b/.test(call)).length;
    await remove(world, AzureMachinePoolMachine, "mp-0");
    await world.until(() => deletions() === 1, MINUTE_MS);
    await remove(world, AzureMachinePoolMachine, "mp-1");
    await world.advance(5_000);
    expect(deletions()).toBe(1);
    for (const name of ["mp-2", "mp-3"]) await remove(world, AzureMachinePoolMachine, name);
    await world.advance(5_000);
    expect(deletions()).toBe(2);
    const { instanceOperations = [] } = (await poolOf(world, "mp")).pool.status ?? {};
    expect(instanceOperations.map(({ instanceIDs = [] }) => instanceIDs.toSorted())).toEqual([
      ["0"],
      ["1", "2", "3"],
    ]);
  });

  test("whose MachinePool is paused starts nothing in Azure, polls running operations, and continues afterwards", async () => {
    const world = await clusterWorld();
    await createPool(world, "mp", { replicas: 2 });
    await settled(world);
    await patch(world, MachinePool, "mp", REPLICAS(3));
    const operationOf = async () => (await poolOf(world, "mp")).pool.status?.operation;
    while (!(await operationOf())) await world.advance(1_000);
    const statesOf = async () => (await poolOf(world, "mp")).pool.status?.longRunningOperationStates;
    expect(await statesOf()).toEqual([
      expect.objectContaining({ serviceName: "virtualMachineScaleSets", name: "mp" }),
    ]);
    const paused = (value: string | null) => ({ metadata: { annotations: { [PAUSED_ANNOTATION]: value } } });
    await patch(world, MachinePool, "mp", paused(""));
    await world.advance(5_000);
    const calls = armCalls(world).length;
    const writes = () =>
      armCalls(world)
        .slice(calls)
        .flatMap((call) => /^(?:PUT|PATCH|POST) .*\/(\w+)/.exec(call)?.[1] ?? []);
    await patch(world, AzureMachinePool, "mp", { spec: { additionalTags: { team: "b" } } });
    await patch(world, AzureMachinePoolMachine, "mp-0", {
      metadata: { annotations: { [EXCLUDE_NODE_DRAINING_ANNOTATION]: "" } },
    });
    await remove(world, AzureMachinePoolMachine, "mp-0");
    await world.advance(30 * MINUTE_MS);
    expect(writes()).toEqual([]);
    expect(await operationOf()).toBeUndefined();
    expect(await statesOf()).toBeUndefined();
    await patch(world, MachinePool, "mp", paused(null));
    await settled(world);
    // The tags are sent with the write that creates the next machine.
    expect(writes().toSorted()).toEqual(["delete", "mp"]);
    expect(await readyMachines(world, "mp")).toEqual(["mp-1", "mp-2", "mp-3"]);
  });

  test("replaces a machine that a user deletes", async () => {
    const world = await clusterWorld();
    await createPool(world, "mp");
    await settled(world);
    await remove(world, AzureMachinePoolMachine, "mp-1");
    await settled(world);
    expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-2", "mp-3"]);
  });

  test("leaves nothing behind", async () => {
    const world = await clusterWorld();
    await createPool(world, "mp");
    await settled(world);
    await remove(world, MachinePool, "mp");
    await settled(world);
    expect(await namesOf(world, "mp")).toEqual([]);
    expect(await world.run(world.user.list(AzureMachinePool))).toEqual([]);
    expect(await world.run(world.user.list(MachinePool))).toEqual([]);
    expect([...world.azure.core.world.scaleSets.sets.entries()]).toEqual([]);
    expect(await nodesOf(world)).toEqual([]);
  });

  test("is deleted together with all other objects at once, the identity first", async () => {
    const world = await clusterWorld();
    await createPool(world, "mp");
    await settled(world);
    const [identity] = await world.run(world.user.list(AzureClusterIdentity));
    const name = identity?.metadata.name ?? "";
    await remove(world, Secret, identity?.spec.clientSecret?.name ?? "");
    await remove(world, AzureClusterIdentity, name);
    await remove(world, Cluster, CLUSTER);
    await remove(world, AzureCluster, CLUSTER);
    for (const kind of [KubeadmConfig, AzureMachinePool, MachinePool]) await remove(world, kind, "mp");
    await world.advance(5_000);
    expect(await get(world, AzureClusterIdentity, name)).toHaveCondition("Ready", "False", "IdentityInUse");
    const waits = ["Ready", "False", "WaitingForMachinePools"] as const;
    expect(await get(world, AzureCluster, CLUSTER)).toHaveCondition(...waits);
    await settled(world);
    const kinds = [AzureClusterIdentity, Cluster, AzureCluster, MachinePool, AzureMachinePool];
    for (const kind of kinds) expect(await world.run(world.user.list<KubernetesObject>(kind))).toEqual([]);
    expect([...world.azure.core.world.resources.table.entries()]).toEqual([]);
  });

  test("never touches a pool with the same name prefix", async () => {
    const world = await clusterWorld();
    await createPool(world, "mp-1", { replicas: 2 });
    await createPool(world, "mp-10", { replicas: 2 });
    await settled(world);
    await patch(world, MachinePool, "mp-1", REPLICAS(1));
    await patch(world, MachinePool, "mp-10", VERSION);
    await settled(world);
    expect(await readyMachines(world, "mp-1")).toEqual(["mp-1-1"]);
    expect(await readyMachines(world, "mp-10")).toEqual(["mp-10-2", "mp-10-3"]);
    await remove(world, MachinePool, "mp-1");
    await settled(world);
    expect(await readyMachines(world, "mp-10")).toEqual(["mp-10-2", "mp-10-3"]);
  });
});
