import {
  AzureCluster,
  AzureMachinePool,
  AzureMachinePoolMachine,
  CLUSTER_NAME_LABEL,
  MachineHealthCheck,
  MachinePool,
  Node,
  POOL_NAME_LABEL,
} from "@capstan/api";
import { DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import type { HttpRequest } from "@capstan/env";
import { machineHealthCheck } from "@capstan/runtime/testing/builders";
import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import type { World, WorldOptions } from "@capstan/sim";
import { describe, expect, test } from "vitest";
import { everyNth } from "../../sample.ts";
import { status as statusAnswer } from "../../../packages/runtime/src/answers.fixture.ts";
import { get, MINUTE_MS, NAMESPACE, patch, remove } from "../kit/fleet-world.ts";
import { poolControllers } from "../kit/pool-controllers.ts";
import {
  armCalls,
  CLUSTER,
  clusterWorld,
  createPool,
  machinesOf,
  namesOf,
  NEW_VERSION,
  nodesOf,
  onSet,
  poolOf,
  poolWorld,
  readyMachines,
  setBody,
  settled,
} from "../kit/pool-world.ts";
import { machinesIn } from "./stories.ts";

expect.extend(conditionMatchers);

// Ten hours for each.
const HANGING_DELETES = { azure: { latencies: { "instance.delete": { p50: 36_000, p90: 36_001 } } } };
const EXTERNAL = { "cluster.x-k8s.io/replicas-managed-by": "cluster-autoscaler" };

/** A world whose workload cluster refuses some requests of the controllers. */
function refusing(isRefused: (request: HttpRequest) => boolean): Partial<WorldOptions> {
  return {
    controllers: (connections) => {
      const connect: typeof connections.connect = (server) => {
        const way = connections.connect(server);
        const forbidden = statusAnswer(403, { reason: "Forbidden", message: "that is forbidden" });
        return { ...way, request: async (sent) => (isRefused(sent) ? forbidden : way.request(sent)) };
      };
      return poolControllers({ ...connections, connect });
    },
  };
}

/** The instances that an autoscaler would delete to reach a number, as Azure counts them. */
function toBeLeftOut(world: World, desired: number): readonly string[] {
  const live = [...world.azure.core.world.scaleSets.instances.entries()].filter(
    ([, { state }]) => state !== "Deleting",
  );
  return live.slice(desired).map(([, { id }]) => String(id));
}

describe("a pool", () => {
  test("whose spec cannot be built still deletes machines that users delete, and reports its state", async () => {
    const world = await poolWorld();
    await createPool(world, "mp", { replicas: 2 });
    await settled(world);
    const puts = (): number => armCalls(world).filter((call) => call.startsWith("PUT")).length;
    const before = puts();
    await patch(world, MachinePool, "mp", { spec: { template: { spec: { version: null } } } });
    await world.advance(MINUTE_MS);
    await remove(world, AzureMachinePoolMachine, "mp-0");
    await settled(world);
    const { pool } = await poolOf(world, "mp");
    expect(pool).toHaveCondition("ScaleSetRunning", "False", "InvalidSpec");
    expect(pool.status?.replicas).toBe(1);
    expect(await namesOf(world, "mp")).toEqual(["mp-1"]);
    expect(puts()).toBe(before);
    await patch(world, MachinePool, "mp", { spec: { template: { spec: { version: NEW_VERSION } } } });
    await settled(world);
    expect(await readyMachines(world, "mp")).toHaveLength(2);
  });

  test("decides again about a machine that it had picked and could not delete", async () => {
    const world = await poolWorld();
    await createPool(world, "mp", { replicas: 5, strategy: { maxSurge: 0, maxUnavailable: 1 } });
    await settled(world);
    world.addFault({
      fault: "kube-unavailable",
      when: { trigger: { verb: "delete", resource: "azuremachinepoolmachines", probability: 1 } },
    });
    await patch(world, MachinePool, "mp", { spec: { template: { spec: { version: NEW_VERSION } } } });
    await world.advance(3 * MINUTE_MS);
    expect((await poolOf(world, "mp")).pool.status?.pickedForDeletion).toEqual(["mp-0"]);
    const [, ...others] = await nodesOf(world);
    const cordon = async (unschedulable: boolean): Promise<void> => {
      for (const { metadata } of others.slice(0, 3)) {
        const client = world.workload(CLUSTER) ?? world.user;
        await world.run(client.patch(Node, metadata, { type: "merge", body: { spec: { unschedulable } } }));
      }
    };
    await cordon(true);
    await world.advance(2 * MINUTE_MS);
    await world.heal();
    await world.advance(4 * MINUTE_MS);
    expect(await namesOf(world, "mp")).toEqual(["mp-0", "mp-1", "mp-2", "mp-3", "mp-4"]);
    expect((await poolOf(world, "mp")).pool.status?.pickedForDeletion).toBeUndefined();
    await cordon(false);
    await settled(world);
    const versions = (await machinesOf(world, "mp")).map(({ status }) => status?.version);
    expect(new Set(versions)).toEqual(new Set([NEW_VERSION]));
  });

  test("grows with a new join token when the old one has expired", async () => {
    const world = await clusterWorld();
    await createPool(world, "mp", { replicas: 1 });
    await settled(world);
    await world.advance(5 * 60 * MINUTE_MS);
    await patch(world, MachinePool, "mp", { spec: { replicas: 2 } });
    await settled(world);
    expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1"]);
  });

  test("waits for its turn when many pools are created at once, because Azure counts the machines of a write", async () => {
    const world = await clusterWorld();
    const names = Array.from({ length: 7 }, (_, index) => `mp-${index}`);
    for (const name of names) await createPool(world, name, { replicas: 1000 });
    const answers = (): readonly number[] =>
      world.azure.control
        .journal()
        .filter(({ operation }) => operation === "PUT virtualMachineScaleSets")
        .map(({ status }) => status);
    await world.until(() => answers().length > 0, 10 * MINUTE_MS);
    await world.advance(5_000);
    expect(new Set(answers())).toEqual(new Set([201]));
    expect(answers().length).toBeLessThan(names.length);
  });

  test("never counts a machine that is back as one to update, however far its clock is ahead of Azure's", async () => {
    const world = await clusterWorld();
    await createPool(world, "mp", {
      replicas: 2,
      strategy: { maxUnavailable: 1, maxSurge: 0, instanceUpdate: "InPlace" },
    });
    await settled(world);
    world.managers.running()[0]?.process.jumpWallClock(60 * MINUTE_MS);
    await patch(world, MachinePool, "mp", { spec: { template: { spec: { version: NEW_VERSION } } } });
    // The invariant drains-first checks each write to Azure.
    await settled(world);
    const versions = (await machinesOf(world, "mp")).map(({ status }) => status?.version);
    expect(versions).toEqual([NEW_VERSION, NEW_VERSION]);
    expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1"]);
  });

  test("with many machines sends the delete of one although another one hangs", async () => {
    const world = await clusterWorld(HANGING_DELETES);
    await createPool(world, "mp", { replicas: 120 });
    await settled(world);
    await remove(world, AzureMachinePoolMachine, "mp-0");
    await world.until(() => deletionsOf(world) === 1, 5 * MINUTE_MS);
    await remove(world, AzureMachinePoolMachine, "mp-1");
    await world.advance(10 * MINUTE_MS);
    expect(deletionsOf(world)).toBe(2);
  });

  test("sends further deletes beside hanging ones, up to the limit of its status", async () => {
    const world = await clusterWorld(HANGING_DELETES);
    await createPool(world, "mp", { replicas: 22 });
    await settled(world);
    for (let id = 0; id < 22; id++) {
      await remove(world, AzureMachinePoolMachine, `mp-${id}`);
      await world.advance(6 * MINUTE_MS);
    }
    expect(deletionsOf(world)).toBe(20);
    const { pool } = await poolOf(world, "mp");
    expect(pool.status?.instanceOperations).toHaveLength(20);
  });

  test("gives machines that keep their image a new disk when they are updated in place", async () => {
    const world = await clusterWorld();
    await createPool(world, "mp", {
      replicas: 2,
      strategy: { maxUnavailable: 1, maxSurge: 0, instanceUpdate: "InPlace" },
    });
    await settled(world);
    const before = (await machinesOf(world, "mp")).map(({ status }) => status?.modelHash);
    await patch(world, AzureMachinePool, "mp", {
      spec: { template: { terminateNotificationTimeout: 7 } },
    });
    await settled(world);
    expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1"]);
    const after = (await machinesOf(world, "mp")).map(({ status }) => status?.modelHash);
    expect(after).not.toContain(before[0]);
    expect(armCalls(world).filter((call) => call.endsWith("/reimage"))).toHaveLength(2);
    await patch(world, AzureMachinePool, "mp", {
      metadata: { annotations: { "capstan.dev/restarted-at": "2026-01-02T00:00:00Z" } },
    });
    await settled(world);
    expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1"]);
    expect((await machinesOf(world, "mp")).map(({ status }) => status?.modelHash)).not.toContain(after[0]);
  });

  test.each([
    [0, 1],
    [1, 0],
  ])(
    "is rolled although a user has cordoned a Node of it, maxSurge %i and maxUnavailable %i",
    async (maxSurge, maxUnavailable) => {
      const world = await clusterWorld();
      await createPool(world, "mp", { strategy: { maxSurge, maxUnavailable } });
      await settled(world);
      const [node] = await nodesOf(world);
      const workload = world.workload(`${NAMESPACE}-${CLUSTER}`) ?? world.workload(CLUSTER);
      const body = { spec: { unschedulable: true } };
      await world.run(
        workload?.patch(Node, node?.metadata ?? { name: "" }, { type: "merge", body }) ?? Promise.reject(),
      );
      await world.advance(MINUTE_MS);
      const cordoned = (await machinesOf(world, "mp")).find(
        ({ status }) => status?.nodeRef?.name === node?.metadata.name,
      );
      expect(cordoned).toHaveCondition("NodeSchedulable", "False", "NodeCordoned");
      await patch(world, MachinePool, "mp", { spec: { template: { spec: { version: NEW_VERSION } } } });
      await settled(world);
      const versions = (await machinesOf(world, "mp")).map(({ status }) => status?.version);
      expect(versions).toEqual([NEW_VERSION, NEW_VERSION, NEW_VERSION]);
    },
  );

  test("reports a block when Azure refuses the desired state permanently, and continues when the spec changes", async () => {
    const world = await clusterWorld();
    await createPool(world, "mp", { replicas: 2 });
    await settled(world);
    const versioned = (version: string) => ({ spec: { template: { spec: { version } } } });
    await patch(world, MachinePool, "mp", versioned("v1.99.0"));
    await world.advance(5 * MINUTE_MS);
    const { pool } = await poolOf(world, "mp");
    expect(pool).toHaveCondition("RolloutProgressing", "False", "ScaleSetProvisionFailed");
    expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1"]);
    await patch(world, MachinePool, "mp", versioned(NEW_VERSION));
    await settled(world);
    const rolled = await poolOf(world, "mp");
    expect(rolled.pool).toHaveCondition("RolloutProgressing", "True", "Complete");
    expect(rolled.machinePool.status).toMatchObject({ upToDateReplicas: 2, readyReplicas: 2 });
  });

  describe("retries a permanently refused write at once", () => {
    const restartedAt = { "capstan.dev/restarted-at": "2026-01-02T00:00:00Z" };
    test.each([
      [
        "its AzureCluster has another tag",
        AzureCluster,
        CLUSTER,
        { spec: { additionalTags: { cost: "7" } } },
      ],
      ["it is restarted", AzureMachinePool, "mp", { metadata: { annotations: restartedAt } }],
    ] as const)("when %s", async (_, kind, name, change) => {
      const world = await poolWorld();
      await createPool(world, "mp", { replicas: 1 });
      await settled(world);
      const scope = `/subscriptions/${DEFAULT_SUBSCRIPTION}`;
      const type = "Microsoft.Compute/virtualMachineScaleSets";
      world.azure.control.forbid({ name: "no-sets", scope, kind: "DenyByPolicy", type });
      await patch(world, MachinePool, "mp", { spec: { replicas: 2 } });
      await world.advance(MINUTE_MS);
      const reason = "ScaleSetProvisionFailed";
      expect((await poolOf(world, "mp")).pool).toHaveCondition("ScaleSetRunning", "False", reason);
      world.azure.control.allow("no-sets");
      await world.advance(MINUTE_MS);
      expect(
        await namesOf(world, "mp"),
        "the pool controller has not noticed the permission yet",
      ).toHaveLength(1);
      await patch(world, kind, name, change);
      await world.advance(2 * MINUTE_MS);
      expect((await namesOf(world, "mp")).length).toBeGreaterThan(1);
    });
  });

  test("is ignored by a MachineHealthCheck, which reports it as long as it selects the pool", async () => {
    const world = await clusterWorld();
    await createPool(world, "mp", { replicas: 1 });
    const selector = { matchLabels: { [POOL_NAME_LABEL]: "mp", [CLUSTER_NAME_LABEL]: CLUSTER } };
    const check = machineHealthCheck({ metadata: { name: "mhc" }, spec: { clusterName: CLUSTER, selector } });
    await world.run(world.user.create(MachineHealthCheck, check));
    await settled(world);
    const type = "MatchesNoMachinePool";
    expect(await get(world, MachineHealthCheck, "mhc")).toHaveCondition(type, "False", "MachinePoolMatched");
    await remove(world, MachinePool, "mp");
    await settled(world);
    expect(await get(world, MachineHealthCheck, "mhc")).toHaveCondition(type, "True");
  });

  test("is deleted although a write of its scale set ran when the manager crashed", async () => {
    const world = await clusterWorld();
    await createPool(world, "mp", { replicas: 1 });
    await settled(world);
    await patch(world, MachinePool, "mp", { spec: { replicas: 2 } });
    await world.until(() => world.azure.control.state().runningOperations.length > 0, 5 * MINUTE_MS);
    await world.advance(1000);
    world.managers.crash(1, MINUTE_MS);
    await remove(world, MachinePool, "mp");
    await settled(world);
    expect(await world.run(world.user.list(AzureMachinePool))).toEqual([]);
    expect([...world.azure.core.world.scaleSets.sets.entries()]).toEqual([]);
  });

  test("leaves its size to an autoscaler and adopts the machines that it creates", async () => {
    const world = await clusterWorld();
    await createPool(world, "mp", { replicas: 2, annotations: EXTERNAL });
    await settled(world);
    await onSet(world, "PATCH", "mp", { sku: { capacity: 4 } });
    await settled(world);
    expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1", "mp-2", "mp-3"]);
    expect((await get(world, MachinePool, "mp")).spec.replicas).toBe(4);
    await onSet(world, "POST", "mp/delete", { instanceIds: ["1"] });
    await settled(world);
    expect(await namesOf(world, "mp")).toEqual(["mp-0", "mp-2", "mp-3"]);
    expect((await get(world, MachinePool, "mp")).spec.replicas).toBe(3);
  });

  test.each([
    [1, 0],
    [0, 1],
  ])(
    "whose size an autoscaler decides has that size after it was rolled, maxSurge %i and maxUnavailable %i",
    async (maxSurge, maxUnavailable) => {
      const world = await clusterWorld();
      const strategy = { maxSurge, maxUnavailable };
      await createPool(world, "mp", { replicas: 2, annotations: EXTERNAL, strategy });
      await settled(world);
      await onSet(world, "PATCH", "mp", { sku: { capacity: 4 } });
      await settled(world);
      await patch(world, MachinePool, "mp", { spec: { template: { spec: { version: NEW_VERSION } } } });
      await settled(world);
      const { pool } = await poolOf(world, "mp");
      expect(await readyMachines(world, "mp")).toEqual(["mp-4", "mp-5", "mp-6", "mp-7"]);
      expect(pool.status?.externalReplicas).toBeUndefined();
      await remove(world, AzureMachinePoolMachine, "mp-5");
      await settled(world);
      expect(await readyMachines(world, "mp")).toEqual(["mp-4", "mp-6", "mp-7", "mp-8"]);
      await onSet(world, "POST", "mp/delete", { instanceIds: ["6"] });
      await settled(world);
      expect(await readyMachines(world, "mp")).toEqual(["mp-4", "mp-7", "mp-8"]);
    },
  );

  // During a write, without one, a moment before a machine is deleted, and during its deletion.
  const moments = [20, 60, 100, 160, 200, 245, 260, 300].flatMap((seconds) => [
    [seconds, 9] as const,
    [seconds, 2] as const,
  ]);
  test.each(everyNth("sizes that an autoscaler changes in a rollout", moments, 3))(
    "whose size an autoscaler changes %i seconds into a rollout ends with its number: %i",
    async (seconds, capacity) => {
      const world = await clusterWorld();
      await createPool(world, "mp", { replicas: 4, annotations: EXTERNAL });
      await settled(world);
      await patch(world, MachinePool, "mp", { spec: { template: { spec: { version: NEW_VERSION } } } });
      await world.advance(seconds * 1000);
      if (capacity === 9) await onSet(world, "PATCH", "mp", { sku: { capacity } });
      else await onSet(world, "POST", "mp/delete", { instanceIds: toBeLeftOut(world, capacity) });
      await settled(world);
      expect(await readyMachines(world, "mp")).toHaveLength(capacity);
      const { machinePool, pool } = await poolOf(world, "mp");
      expect(machinePool.spec.replicas).toBe(capacity);
      expect(pool.status).not.toHaveProperty("externalCapacity");
      expect(pool).toHaveCondition("ScaleSetModelUpdated", "True");
    },
  );

  test.each([
    "azure:///foo",
    "azure:///subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachineScaleSets/other",
  ])(
    "whose providerID a user has changed to %s gets its own again, and loses no machine",
    async (providerID) => {
      const world = await clusterWorld();
      await createPool(world, "mp", { replicas: 2 });
      await settled(world);
      const before = (await poolOf(world, "mp")).pool.spec.providerID;
      await patch(world, AzureMachinePool, "mp", { spec: { providerID } });
      await settled(world);
      expect((await poolOf(world, "mp")).pool.spec.providerID).toBe(before);
      expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1"]);
    },
  );

  test("replaces its machine although that of another pool has been switched off, too", async () => {
    const world = await clusterWorld();
    for (const name of ["mp", "mq"]) await createPool(world, name, { replicas: 1 });
    await settled(world);
    for (const name of ["mp", "mq"]) await onSet(world, "POST", `${name}/deallocate`, { instanceIds: ["0"] });
    await settled(world);
    expect(await readyMachines(world, "mp")).toEqual(["mp-1"]);
    expect(await readyMachines(world, "mq")).toEqual(["mq-1"]);
  });

  test("replaces a machine that a user has switched off", async () => {
    const world = await clusterWorld();
    await createPool(world, "mp");
    await settled(world);
    await onSet(world, "POST", "mp/deallocate", { instanceIds: ["1"] });
    await settled(world);
    expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-2", "mp-3"]);
    expect(await namesOf(world, "mp")).toEqual(["mp-0", "mp-2", "mp-3"]);
  });

  test("keeps no resource of a deleted machine, although a server answered NotFound to the removal of its finalizer", async () => {
    const world = await poolWorld();
    await createPool(world, "mp", { replicas: 2 });
    await settled(world);
    await patch(world, MachinePool, "mp", { spec: { replicas: 1 } });
    await world.until(() => machinesIn(world) === 1, 5 * MINUTE_MS);
    const by = "azuremachinepoolmachine";
    // More often than the deletion of its Node enqueues the machine.
    const trigger = { verb: "patch", resource: `${by}s`, by, times: 5 };
    world.addFault({ fault: "kube-not-found", when: { trigger } });
    await world.advance(5 * MINUTE_MS);
    expect(world.reached().get("fault kube-not-found")).toBe(5);
    expect(await namesOf(world, "mp")).toHaveLength(1);
  });

  test("does not stay failed when the failed write is no longer desired", async () => {
    const world = await poolWorld();
    await createPool(world, "mp", { replicas: 2 });
    await settled(world);
    const trigger = { verb: "PUT", resource: "virtualMachineScaleSets", times: 1 };
    world.addFault({ fault: "operation-fails", when: { trigger } });
    await patch(world, MachinePool, "mp", { spec: { replicas: 3 } });
    const failed = "condition ScaleSetRunning False ScaleSetProvisionFailed";
    await world.until(() => world.reached().has(failed), 30 * MINUTE_MS);
    await patch(world, MachinePool, "mp", { spec: { replicas: 2 } });
    await settled(world);
    expect(await get(world, AzureMachinePool, "mp")).toHaveCondition("ScaleSetRunning", "True");
    expect(await namesOf(world, "mp")).toHaveLength(2);
    expect(world.reached().get("fault operation-fails")).toBe(1);
  });

  test("accepts the loss of many machines only after more lists, and reports it", async () => {
    const world = await clusterWorld();
    await createPool(world, "mp", { replicas: 5 });
    await settled(world);
    await onSet(world, "POST", "mp/delete", { instanceIds: ["0", "1", "2"] });
    await world.advance(3 * MINUTE_MS);
    const { pool } = await poolOf(world, "mp");
    expect(pool).toHaveCondition("RemovalBlocked", "True");
    expect(await namesOf(world, "mp")).toHaveLength(5);
    await settled(world);
    expect(await readyMachines(world, "mp")).toEqual(["mp-3", "mp-4", "mp-5", "mp-6", "mp-7"]);
    expect((await poolOf(world, "mp")).pool).toHaveCondition("RemovalBlocked", "False");
  });

  test("accepts it at once when a user allows the number, and once only", async () => {
    const world = await clusterWorld();
    await createPool(world, "mp", { replicas: 5 });
    await settled(world);
    await patch(world, AzureMachinePool, "mp", {
      metadata: { annotations: { "capstan.dev/allow-removal": "3" } },
    });
    await onSet(world, "POST", "mp/delete", { instanceIds: ["0", "1", "2"] });
    await world.advance(10 * MINUTE_MS);
    expect(await readyMachines(world, "mp")).toEqual(["mp-3", "mp-4", "mp-5", "mp-6", "mp-7"]);
    await settled(world);
    await onSet(world, "POST", "mp/delete", { instanceIds: ["3", "4", "5"] });
    await world.advance(10 * MINUTE_MS);
    const { pool } = await poolOf(world, "mp");
    expect(pool).toHaveCondition("RemovalBlocked", "True");
    expect(pool.status?.conditions?.find(({ type }) => type === "RemovalBlocked")?.message).toContain(
      'capstan.dev/allow-removal: "3"',
    );
  });

  test("reports Azure's message about an image, keeps its machines, and continues when the image is corrected", async () => {
    const world = await clusterWorld();
    await createPool(world, "mp", { replicas: 2 });
    await settled(world);
    await patch(world, MachinePool, "mp", { spec: { template: { spec: { version: "v1.99.0" } } } });
    await world.advance(30 * MINUTE_MS);
    const { pool } = await poolOf(world, "mp");
    expect(pool).toHaveCondition("ScaleSetRunning", "False", "ScaleSetProvisionFailed");
    expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1"]);
    await patch(world, MachinePool, "mp", { spec: { template: { spec: { version: "v1.33.5" } } } });
    await settled(world);
    expect((await poolOf(world, "mp")).pool).toHaveCondition("Ready", "True");
    expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1"]);
  });

  test("writes tags without touching a machine, and removes only its own", async () => {
    const world = await clusterWorld();
    await createPool(world, "mp", { replicas: 1, spec: { additionalTags: { team: "a", old: "x" } } });
    await settled(world);
    await onSet(world, "PATCH", "mp", { tags: { ...tagsOf(setBody(world, "mp")), theirs: "1" } });
    await patch(world, AzureMachinePool, "mp", { spec: { additionalTags: { team: "b", old: null } } });
    await settled(world);
    const tags = tagsOf(setBody(world, "mp"));
    expect(tags).toMatchObject({ team: "b", theirs: "1", capstan_pool: "default/mp" });
    expect(tags).not.toHaveProperty("old");
    expect(await readyMachines(world, "mp")).toEqual(["mp-0"]);
  });

  test("disrupts nothing on an old state of its Nodes while they cannot be read, and continues when they can", async () => {
    const state = { isBlind: false };
    const world = await poolWorld(
      refusing(
        ({ method, path }) => state.isBlind && method === "GET" && /\/api\/v1\/nodes(\?|$)/.test(path),
      ),
    );
    await createPool(world, "mp", { strategy: { maxSurge: 0, maxUnavailable: 1 } });
    await settled(world);
    state.isBlind = true;
    // An open watch lives for ten minutes at most.
    await world.advance(20 * MINUTE_MS);
    await patch(world, MachinePool, "mp", { spec: { template: { spec: { version: NEW_VERSION } } } });
    await world.advance(30 * MINUTE_MS);
    const leaving = (await machinesOf(world, "mp")).filter(({ metadata }) => metadata.deletionTimestamp);
    expect(leaving).toEqual([]);
    const { machinePool } = await poolOf(world, "mp");
    expect(machinePool).toHaveCondition("ReplicasReady", "Unknown", "WaitingForNodes");
    state.isBlind = false;
    await settled(world);
    const versions = (await machinesOf(world, "mp")).map(({ status }) => status?.version);
    expect(versions).toEqual([NEW_VERSION, NEW_VERSION, NEW_VERSION]);
  });

  test("that shrinks while its cluster does not answer loses the machine that was last known not to work", async () => {
    const state = { isAway: false };
    const world = await poolWorld(refusing(({ path }) => state.isAway && path.endsWith("/kube-system")));
    await createPool(world, "mp");
    await settled(world);
    const nodes = world.workload(CLUSTER);
    if (!nodes) throw new Error("the cluster has no API server");
    const body = { spec: { unschedulable: true } };
    await world.run(nodes.patch(Node, { name: "mp000002" }, { type: "merge", body }));
    await settled(world);
    state.isAway = true;
    // The cluster is probed once a minute.
    await world.advance(3 * MINUTE_MS);
    await patch(world, MachinePool, "mp", { spec: { replicas: 2 } });
    await world.advance(MINUTE_MS);
    const leaving = (await machinesOf(world, "mp")).filter(({ metadata }) => metadata.deletionTimestamp);
    expect(leaving.map(({ metadata }) => metadata.name)).toEqual(["mp-2"]);
    state.isAway = false;
    await settled(world);
    expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1"]);
  });

  test("never takes a scale set of another owner", async () => {
    const world = await clusterWorld();
    await createPool(world, "mp", { replicas: 1 });
    await settled(world);
    const { capstan_pool: _, ...tags } = tagsOf(setBody(world, "mp"));
    await onSet(world, "PATCH", "mp", { tags: { ...tags, capstan_pool: "other/mp" } });
    await patch(world, MachinePool, "mp", { spec: { replicas: 3 } });
    await world.advance(60 * MINUTE_MS);
    expect((await poolOf(world, "mp")).pool).toHaveCondition("ScaleSetRunning", "False", "ScaleSetForeign");
    expect(await world.run(world.user.list(AzureMachinePoolMachine))).toHaveLength(1);
  });
});

function deletionsOf(world: World): number {
  return armCalls(world).filter((call) => /^POST .*\/mp\/delete\b/.test(call)).length;
}

function tagsOf(body: object): Record<string, string> {
  return { ...(body as { tags?: Record<string, string> }).tags };
}
