import {
  AzureMachinePool,
  Cluster,
  CLUSTER_NAME_LABEL,
  type Frozen,
  type Kind,
  KubeadmConfig,
  MachinePool,
  Node,
  REPLICAS_MANAGED_BY_ANNOTATION,
} from "@capstan/api";
import { machinePool, node, type Overrides } from "@capstan/runtime/testing/builders";
import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import type { World } from "@capstan/sim";
import { describe, expect, test } from "vitest";
import {
  clusterWorld,
  create,
  createCluster,
  find,
  get,
  MINUTE_MS,
  NAMESPACE,
  patch,
  recorded,
  remove,
} from "../kit/cluster-world.ts";
import { foreign, foreignKind, install, say } from "../kit/foreign-kinds.ts";
import { bootNodes, createPool, setReady } from "../cluster/life.ts";
import { machineIDs } from "../kit/providers.ts";

expect.extend(conditionMatchers);

/** A cluster with a pool whose machines exist, and the given number of Nodes. */
async function poolWorld({
  replicas = 2,
  nodes = replicas,
  pool = {},
}: { replicas?: number; nodes?: number; pool?: Overrides<MachinePool> } = {}): Promise<World> {
  const world = await clusterWorld();
  await createCluster(world, "demo");
  await createPool(world, "pool", "demo", { spec: { replicas }, ...pool });
  await world.settle();
  await bootNodes(world, "demo", machineIDs("pool", nodes));
  await world.settle();
  return world;
}

const poolIn = (world: World, name = "pool"): Promise<Frozen<MachinePool>> => get(world, MachinePool, name);

describe("a MachinePool", () => {
  test("runs when its Nodes are Ready: counts, node references, conditions", async () => {
    const world = await poolWorld();
    const pool = await poolIn(world);
    expect(pool.spec.providerIDList).toEqual(["sim://pool/0", "sim://pool/1"]);
    expect(pool.spec.template.spec.bootstrap.dataSecretName).toBe("pool-data");
    expect(pool.status).toMatchObject({
      phase: "Running",
      initialization: { bootstrapDataSecretCreated: true, infrastructureProvisioned: true },
      replicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      deprecated: { v1beta1: { unavailableReplicas: 0 } },
      observedGeneration: pool.metadata.generation,
      nodeRefs: [
        { apiVersion: "v1", kind: "Node", name: "pool-0" },
        { apiVersion: "v1", kind: "Node", name: "pool-1" },
      ],
    });
    for (const type of ["Ready", "BootstrapReady", "InfrastructureReady", "ReplicasReady"]) {
      expect(pool).toHaveCondition(type, "True");
    }
  });

  test("has the label of its Cluster, and owns the objects that it refers to", async () => {
    const world = await poolWorld();
    const { metadata } = await poolIn(world);
    expect(metadata.labels).toMatchObject({ [CLUSTER_NAME_LABEL]: "demo" });
    const { uid } = (await get(world, Cluster, "demo")).metadata;
    expect(metadata.ownerReferences).toEqual([
      { apiVersion: Cluster.apiVersion, kind: "Cluster", name: "demo", uid },
    ]);
    for (const kind of [KubeadmConfig, AzureMachinePool] as Kind[]) {
      const found = await get(world, kind, "pool");
      expect(found.metadata.ownerReferences).toMatchObject([
        { kind: "MachinePool", uid: metadata.uid, controller: true },
      ]);
      expect(found.metadata.labels).toMatchObject({ [CLUSTER_NAME_LABEL]: "demo" });
    }
  });

  test("goes through Pending, Provisioning, ScalingUp, Running, ScalingDown", async () => {
    const world = await clusterWorld();
    await createCluster(world, "demo");
    await createPool(world, "pool", "demo", { spec: { replicas: 2 } });
    await world.advance(5_000);
    expect((await poolIn(world)).status?.phase).toBe("Pending");
    await world.advance(MINUTE_MS);
    const growing = await poolIn(world);
    expect(growing.status).toMatchObject({
      phase: "ScalingUp",
      deprecated: { v1beta1: { unavailableReplicas: 2 } },
    });
    expect(growing).toHaveCondition("ReplicasReady", "False", "WaitingForReplicasReady");
    await bootNodes(world, "demo", machineIDs("pool", 2));
    await world.settle();
    expect((await poolIn(world)).status?.phase).toBe("Running");
    await patch(world, AzureMachinePool, "pool", {
      metadata: { annotations: { "cluster.x-k8s.io/paused": "" } },
    });
    await patch(world, MachinePool, "pool", { spec: { replicas: 1 } });
    await world.settle();
    expect((await poolIn(world)).status?.phase).toBe("ScalingDown");
    await patch(world, AzureMachinePool, "pool", { metadata: { annotations: null } });
    await world.settle();
    expect((await poolIn(world)).status).toMatchObject({
      phase: "Running",
      replicas: 1,
      nodeRefs: [{ name: "pool-0" }],
    });
  });

  test("writes nothing once it is settled, and watches Nodes without another list", async () => {
    const { calls, invariant } = recorded();
    const world = await clusterWorld({ invariants: [invariant] });
    await createCluster(world, "demo");
    for (const name of ["a", "b", "c"]) await createPool(world, name, "demo");
    await world.settle();
    for (const name of ["a", "b", "c"]) await bootNodes(world, "demo", machineIDs(name, 1));
    await world.settle({ quietMs: 15 * MINUTE_MS });
    for (const name of ["a", "b", "c"]) expect((await poolIn(world, name)).status?.phase).toBe("Running");
    const before = { writes: world.testedWrites, calls: calls.length };
    await world.advance(60 * MINUTE_MS);
    expect(world.testedWrites - before.writes).toBe(0);
    const toNodes = calls.filter(({ server, resource }) => server === "demo" && resource === "nodes");
    expect(
      toNodes.filter(({ verb }) => verb === "list"),
      "one list for three pools",
    ).toHaveLength(1);
    const asked = calls.slice(before.calls).filter(({ verb }) => verb === "get");
    // A minute passes between two probes of the server, five between two reads of the kubeconfig.
    expect(asked.filter(({ server }) => server === "demo").length).toBeLessThanOrEqual(60);
    expect(asked.filter(({ resource }) => resource === "secrets").length).toBeLessThanOrEqual(12);
  });

  test("waits for its Cluster, and for the control plane to answer", async () => {
    const world = await clusterWorld();
    await create(
      world,
      MachinePool,
      machinePool({ spec: { clusterName: "demo", template: { spec: { clusterName: "demo" } } } }),
    );
    await world.settle();
    expect(await poolIn(world)).toHaveCondition("Ready", "False", "WaitingForCluster");
    await createCluster(world, "demo");
    await world.advance(5_000);
    expect(await poolIn(world)).toHaveCondition("ReplicasReady", "Unknown", "WaitingForControlPlane");
  });

  test("follows the number of machines when an autoscaler scales it", async () => {
    const annotations = { [REPLICAS_MANAGED_BY_ANNOTATION]: "autoscaler" };
    const world = await poolWorld({
      replicas: 2,
      pool: { metadata: { annotations }, spec: { replicas: 2 } },
    });
    await patch(world, AzureMachinePool, "pool", {
      metadata: { annotations: { "cluster.x-k8s.io/paused": "" } },
      spec: { providerIDList: machineIDs("pool", 4) },
    });
    const body = { status: { replicas: 4 } };
    await world.run(
      world.user.patch(
        AzureMachinePool,
        { name: "pool", namespace: NAMESPACE },
        { type: "merge", subresource: "status", body },
      ),
    );
    await world.settle();
    const pool = await poolIn(world);
    expect(pool.spec.replicas).toBe(4);
    expect(pool.status?.phase).toBe("Scaling");
  });

  test("does not shrink because a machine is unhealthy when an autoscaler scales it", async () => {
    const annotations = { [REPLICAS_MANAGED_BY_ANNOTATION]: "autoscaler" };
    const world = await poolWorld({
      replicas: 3,
      pool: { metadata: { annotations }, spec: { replicas: 3 } },
    });
    await patch(world, AzureMachinePool, "pool", {
      metadata: { annotations: { "cluster.x-k8s.io/paused": "" } },
    });
    const body = { status: { replicas: 2 } };
    await world.run(
      world.user.patch(
        AzureMachinePool,
        { name: "pool", namespace: NAMESPACE },
        { type: "merge", subresource: "status", body },
      ),
    );
    await world.settle();
    expect((await poolIn(world)).spec.replicas).toBe(3);
  });

  test("with a Secret instead of a config has its bootstrap data", async () => {
    const world = await clusterWorld();
    await createCluster(world, "demo");
    const bootstrap = { configRef: undefined, dataSecretName: "given" };
    await createPool(world, "pool", "demo", { spec: { template: { spec: { bootstrap } } } });
    await world.settle();
    const pool = await poolIn(world);
    expect(pool.status?.initialization?.bootstrapDataSecretCreated).toBe(true);
    expect(pool).toHaveCondition("BootstrapReady", "True", "DataSecretGiven");
  });

  test("counts a Node as available only after minReadySeconds, and requeues for it", async () => {
    const world = await poolWorld({
      nodes: 0,
      pool: { spec: { replicas: 2, template: { spec: { minReadySeconds: 90 } } } },
    });
    await bootNodes(world, "demo", machineIDs("pool", 2));
    await world.advance(MINUTE_MS);
    expect((await poolIn(world)).status).toMatchObject({
      readyReplicas: 2,
      availableReplicas: 0,
      deprecated: { v1beta1: { unavailableReplicas: 2 } },
    });
    await world.advance(MINUTE_MS);
    expect((await poolIn(world)).status).toMatchObject({
      readyReplicas: 2,
      availableReplicas: 2,
      deprecated: { v1beta1: { unavailableReplicas: 0 } },
    });
  });

  test("notices at once that a Node is not Ready any more, and that it is again", async () => {
    const world = await clusterWorld();
    await createCluster(world, "demo");
    await createPool(world, "pool", "demo", { spec: { replicas: 2 } });
    await world.settle();
    await bootNodes(world, "demo", machineIDs("pool", 2));
    await world.settle();
    for (const [status, readyReplicas] of [
      ["False", 1],
      ["True", 2],
    ] as const) {
      await setReady(world, "demo", "pool-1", status);
      await world.advance(200);
      expect((await poolIn(world)).status).toMatchObject({ readyReplicas });
    }
  });

  test("ignores two Nodes with the same provider id", async () => {
    const world = await poolWorld();
    const workload = world.workload("demo");
    if (!workload) throw new Error("no workload cluster");
    await world.run(
      workload.create(Node, node({ metadata: { name: "impostor" }, spec: { providerID: "sim://pool/1" } })),
    );
    await world.settle();
    const pool = await poolIn(world);
    expect(pool).toHaveCondition("ReplicasReady", "False", "ProviderIDNotUnique");
    expect(pool.status?.nodeRefs?.map(({ name }) => name)).toEqual(["pool-0"]);
  });
});

describe("infrastructure of another provider", () => {
  const RocketPool = foreignKind(
    "infrastructure.cluster.x-k8s.io",
    "RocketMachinePool",
    "rocketmachinepools",
  );

  test("is read by the contract", async () => {
    const world = await clusterWorld();
    await createCluster(world, "demo");
    await install(world, RocketPool);
    await create(world, RocketPool, foreign(RocketPool, "pool", { providerIDList: machineIDs("pool", 1) }));
    const infrastructureRef = { apiGroup: RocketPool.group, kind: RocketPool.kind, name: "pool" };
    const spec = { bootstrap: { configRef: undefined, dataSecretName: "given" }, infrastructureRef };
    await createPool(world, "pool", "demo", { spec: { replicas: 1, template: { spec } } });
    await say(world, RocketPool, "pool", { ready: true, replicas: 1 });
    await world.advance(2 * MINUTE_MS);
    await bootNodes(world, "demo", machineIDs("pool", 1));
    await world.advance(MINUTE_MS);
    expect((await poolIn(world)).status).toMatchObject({ phase: "Running", readyReplicas: 1 });
    await remove(world, MachinePool, "pool");
    await world.settle();
    expect(await find(world, RocketPool, "pool")).toBeUndefined();
    expect(await find(world, MachinePool, "pool")).toBeUndefined();
  });
});

describe("the deletion of a MachinePool", () => {
  test("deletes machines and bootstrap config first, then the Nodes", async () => {
    const world = await poolWorld();
    await remove(world, MachinePool, "pool");
    await world.advance(5_000);
    const going = await poolIn(world);
    expect(going.status?.phase).toBe("Deleting");
    expect(going).toHaveCondition("Ready", "False", "WaitingForInfrastructureDeletion");
    await world.settle();
    expect(await find(world, MachinePool, "pool")).toBeUndefined();
    expect(await find(world, AzureMachinePool, "pool")).toBeUndefined();
    expect(await find(world, KubeadmConfig, "pool")).toBeUndefined();
    const workload = world.workload("demo");
    expect(await world.run(workload?.list(Node) ?? Promise.resolve(undefined))).toEqual([]);
  });

  test("does not need its Cluster", async () => {
    const world = await poolWorld();
    await patch(world, Cluster, "demo", { metadata: { finalizers: null } });
    await world.run(
      world.user.delete(Cluster, { name: "demo", namespace: NAMESPACE }, { propagationPolicy: "Orphan" }),
    );
    await remove(world, MachinePool, "pool").catch(() => undefined);
    await world.settle();
    expect(await find(world, MachinePool, "pool")).toBeUndefined();
  });

  test("does not touch the pools of clusters with similar names", async () => {
    const world = await clusterWorld();
    for (const name of ["demo", "demo-1"]) {
      await createCluster(world, name);
      await createPool(world, `${name}-pool`, name);
    }
    await world.settle();
    for (const name of ["demo", "demo-1"]) await bootNodes(world, name, machineIDs(`${name}-pool`, 1));
    await world.settle();
    await remove(world, MachinePool, "demo-pool");
    await world.settle();
    expect((await poolIn(world, "demo-1-pool")).status?.phase).toBe("Running");
    const nodes = await world.run(world.workload("demo-1")?.list(Node) ?? Promise.resolve([]));
    expect(nodes).toHaveLength(1);
  });
});
