import {
  AzureCluster,
  Cluster,
  CLUSTER_NAME_LABEL,
  Event,
  type Kind,
  KubeadmControlPlane,
  Machine,
  MachineDeployment,
  MachinePool,
  olderConditionsOf,
  PAUSED_ANNOTATION,
  Secret,
} from "@capstan/api";
import {
  azureCluster,
  cluster,
  machine,
  machineDeployment,
  machinePool,
} from "@capstan/runtime/testing/builders";
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
  remove,
} from "../kit/cluster-world.ts";

expect.extend(conditionMatchers);

const PARTS: readonly Kind[] = [AzureCluster, KubeadmControlPlane];

async function provisioned(name = "demo"): Promise<World> {
  const world = await clusterWorld();
  await createCluster(world, name);
  await world.settle();
  return world;
}

describe("a Cluster", () => {
  test("becomes Provisioned with the endpoint and the failure domains of its infrastructure", async () => {
    const world = await provisioned();
    const { metadata, spec, status } = await get(world, Cluster, "demo");
    expect(spec.controlPlaneEndpoint).toEqual({ host: "demo.example.com", port: 6443 });
    expect(status).toMatchObject({
      phase: "Provisioned",
      initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true },
      failureDomains: [{ name: "1", controlPlane: true }, { name: "2" }],
      observedGeneration: metadata.generation,
    });
    for (const type of ["Ready", "InfrastructureReady", "ControlPlaneReady", "ControlPlaneInitialized"]) {
      expect({ status }).toHaveCondition(type, "True");
    }
  });

  test("goes from Pending over Provisioning to Provisioned, and records an event for each part that becomes ready", async () => {
    const world = await clusterWorld();
    await create(
      world,
      Cluster,
      cluster({ metadata: { name: "demo" }, spec: { infrastructureRef: { name: "demo" } } }),
    );
    await world.advance(MINUTE_MS);
    const early = await get(world, Cluster, "demo");
    expect(early.status).toMatchObject({
      phase: "Pending",
      initialization: { infrastructureProvisioned: false },
    });
    expect(early).toHaveCondition("InfrastructureReady", "False", "WaitingForInfrastructure");
    await create(world, AzureCluster, azureCluster({ metadata: { name: "demo" } }));
    await world.advance(5_000);
    expect((await get(world, Cluster, "demo")).status).toMatchObject({ phase: "Provisioning" });
    await world.advance(MINUTE_MS);
    expect((await get(world, Cluster, "demo")).status).toMatchObject({ phase: "Provisioned" });
    const events = await world.run(world.user.list(Event, { namespace: NAMESPACE }));
    expect(events.map(({ reason }) => reason)).toContain("InfrastructureReady");
  });

  test("sets the owner of the referenced objects", async () => {
    const world = await provisioned();
    const { uid } = (await get(world, Cluster, "demo")).metadata;
    for (const kind of PARTS) {
      const { metadata } = await get(world, kind, "demo");
      expect(metadata.labels).toMatchObject({ [CLUSTER_NAME_LABEL]: "demo" });
      expect(metadata.ownerReferences).toMatchObject([
        { kind: "Cluster", name: "demo", uid, controller: true },
      ]);
    }
  });

  test("costs seven writes, and none once it is settled", async () => {
    const world = await clusterWorld();
    await createCluster(world, "demo");
    await world.settle({ quietMs: 15 * MINUTE_MS });
    const own = world.trace.events.filter(
      ({ actor, happening }) =>
        actor === "manager-1/cluster" && happening.kind === "write" && happening.status < 300,
    );
    expect(own.length).toBeLessThanOrEqual(7);
    const before = world.testedWrites;
    await world.advance(60 * MINUTE_MS);
    expect(world.testedWrites - before).toBe(0);
  });

  test("without a control plane object is ready when the API server at its endpoint answers", async () => {
    const world = await clusterWorld();
    await createCluster(world, "demo", { spec: { controlPlaneRef: undefined } });
    await world.settle();
    const settled = await get(world, Cluster, "demo");
    expect(settled).toHaveCondition("ControlPlaneInitialized", "True", "ApiServerAnswers");
    expect(settled.status?.initialization?.controlPlaneInitialized).toBe(true);
  });

  test("keeps the endpoint of its spec", async () => {
    const world = await clusterWorld();
    await createCluster(world, "demo", {
      spec: { controlPlaneEndpoint: { host: "mine.example.com", port: 443 } },
    });
    await world.settle();
    const { spec } = await get(world, Cluster, "demo");
    expect(spec.controlPlaneEndpoint).toEqual({ host: "mine.example.com", port: 443 });
  });

  test("that is paused is not reconciled until it is resumed", async () => {
    const world = await clusterWorld();
    await createCluster(world, "demo", { spec: { paused: true } });
    await world.settle();
    const paused = await get(world, Cluster, "demo");
    expect(paused.status?.phase).toBeUndefined();
    expect(paused).toHaveCondition("Paused", "True");
    expect((await get(world, AzureCluster, "demo")).metadata.ownerReferences).toBeUndefined();
    await patch(world, Cluster, "demo", { spec: { paused: null } });
    await world.settle();
    const resumed = await get(world, Cluster, "demo");
    expect(resumed.status?.phase).toBe("Provisioned");
    expect(resumed).toHaveCondition("Paused", "False");
  });

  test("reports why its infrastructure has failed permanently, and that it has recovered", async () => {
    const world = await provisioned();
    const say = (status: object) =>
      world.run(
        world.user.patch(
          AzureCluster,
          { name: "demo", namespace: NAMESPACE },
          { type: "merge", subresource: "status", body: { status } },
        ),
      );
    await patch(world, AzureCluster, "demo", { metadata: { annotations: { [PAUSED_ANNOTATION]: "" } } });
    await say({
      conditions: [
        {
          type: "Ready",
          status: "False",
          severity: "Error",
          reason: "Lost",
          message: "the sea took it",
          lastTransitionTime: "2026-01-01T00:00:00Z",
        },
      ],
    });
    await world.settle();
    expect(await get(world, Cluster, "demo")).toHaveCondition("InfrastructureReady", "False", "Lost");
    expect(await get(world, Cluster, "demo")).toHaveCondition("Ready", "False", "Lost");
  });
});

// The schema of v1beta1 allows any text in a reference.
const OLDER_CLUSTER = { ...Cluster, version: "v1beta1", apiVersion: `${Cluster.group}/v1beta1` };

test.each([
  ["a group", { apiVersion: "v1", kind: "Secret", name: "x" }, "spec.infrastructureRef.apiGroup"],
  [
    "a name",
    { apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1", kind: "AzureCluster" },
    "spec.infrastructureRef.name",
  ],
])("a reference of v1beta1 without %s is refused with the field", async (_, infrastructureRef, field) => {
  const world = await clusterWorld();
  const object = { metadata: { name: "demo", namespace: NAMESPACE }, spec: { infrastructureRef } } as never;
  await expect(create(world, OLDER_CLUSTER, object)).rejects.toThrow(field);
});

describe("references that cannot be resolved", () => {
  test.each([
    [
      "a kind of a Kubernetes group",
      { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", name: "x" },
      'apiGroup "rbac.authorization.k8s.io"',
    ],
    [
      "a kind with a path in it",
      { apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1", kind: "A/../secrets", name: "x" },
      'kind "A/../secrets"',
    ],
  ])(
    "name %s: the condition names field and value, and the Cluster can be deleted",
    async (_, infrastructureRef, text) => {
      const world = await clusterWorld();
      await create(world, OLDER_CLUSTER, {
        metadata: { name: "demo", namespace: NAMESPACE },
        spec: { infrastructureRef },
      } as never);
      await world.settle();
      const refused = await get(world, Cluster, "demo");
      expect(refused).toHaveCondition("Ready", "False", "IncorrectExternalRef");
      expect(refused).toHaveCondition("InfrastructureReady", "False", "IncorrectExternalRef");
      expect(JSON.stringify(olderConditionsOf(refused))).toContain(JSON.stringify(text).slice(1, -1));
      await remove(world, Cluster, "demo");
      await world.settle();
      expect(await find(world, Cluster, "demo")).toBeUndefined();
    },
  );

  test("to an object of another Cluster do not change its owner, also when the second is deleted", async () => {
    const world = await provisioned("first");
    const ref = { apiVersion: AzureCluster.apiVersion, kind: AzureCluster.kind, name: "first" };
    await create(
      world,
      Cluster,
      cluster({ metadata: { name: "second" }, spec: { infrastructureRef: ref, controlPlaneRef: undefined } }),
    );
    await world.settle();
    expect(await get(world, Cluster, "second")).toHaveCondition(
      "InfrastructureReady",
      "False",
      "ReferencedObjectTaken",
    );
    await remove(world, Cluster, "second");
    await world.settle();
    expect(await find(world, Cluster, "second")).toBeUndefined();
    expect((await get(world, AzureCluster, "first")).metadata.deletionTimestamp).toBeUndefined();
    expect((await get(world, Cluster, "first")).status?.phase).toBe("Provisioned");
  });
});

describe("the deletion of a Cluster", () => {
  /** The deleted and finalized objects, in order. */
  const deletions = (world: World): string[] =>
    world.trace.events.flatMap(({ actor, happening }) =>
      happening.kind === "write" && happening.verb === "delete" && actor === "manager-1/cluster"
        ? [`${happening.resource} ${happening.name}`]
        : [],
    );

  test("goes in order: pools, machines, control plane, infrastructure; and leaves nothing behind", async () => {
    const world = await provisioned();
    const spec = { clusterName: "demo", template: { spec: { clusterName: "demo" } } };
    await create(world, MachinePool, machinePool({ metadata: { name: "pool" }, spec }));
    await create(
      world,
      MachineDeployment,
      machineDeployment({
        metadata: { name: "workers", finalizers: ["example.com/hold"] },
        spec: {
          ...spec,
          selector: { matchLabels: { a: "b" } },
          template: { metadata: { labels: { a: "b" } }, spec: { clusterName: "demo" } },
        },
      }),
    );
    await create(world, Machine, machine({ metadata: { name: "single" }, spec: { clusterName: "demo" } }));
    await world.settle();
    await remove(world, Cluster, "demo");
    await world.settle();
    const waiting = await get(world, Cluster, "demo");
    expect(waiting.status?.phase).toBe("Deleting");
    expect(waiting).toHaveCondition("Ready", "False", "WaitingForWorkersDeletion");
    expect(JSON.stringify(waiting.status)).toContain("MachineDeployment workers");
    expect((await get(world, AzureCluster, "demo")).metadata.deletionTimestamp).toBeUndefined();
    await patch(world, MachineDeployment, "workers", { metadata: { finalizers: null } });
    await world.advance(500);
    expect(deletions(world), "the next step follows at once").toContain("kubeadmcontrolplanes demo");
    await world.settle();
    expect(deletions(world)).toEqual([
      "machinepools pool",
      "machinedeployments workers",
      "machines single",
      "kubeadmcontrolplanes demo",
      "azureclusters demo",
    ]);
    for (const kind of [Cluster, MachinePool, Machine, ...PARTS] as Kind[]) {
      expect(await world.run(world.user.list(kind))).toEqual([]);
    }
  });

  test("does not touch a Cluster whose name begins or ends with its own, nor one of another namespace", async () => {
    const world = await clusterWorld();
    const names = ["demo", "demo-1", "a-demo"];
    for (const name of names) {
      await createCluster(world, name);
      await create(
        world,
        MachinePool,
        machinePool({
          metadata: { name: `${name}-pool` },
          spec: { clusterName: name, template: { spec: { clusterName: name } } },
        }),
      );
    }
    await world.settle();
    await remove(world, Cluster, "demo");
    await world.settle();
    expect(await find(world, Cluster, "demo")).toBeUndefined();
    expect(deletions(world)).toEqual([
      "machinepools demo-pool",
      "kubeadmcontrolplanes demo",
      "azureclusters demo",
    ]);
    for (const name of ["demo-1", "a-demo"])
      expect((await get(world, Cluster, name)).status?.phase).toBe("Provisioned");
  });

  test("that is paused waits, and continues when it is resumed", async () => {
    const world = await provisioned();
    await patch(world, Cluster, "demo", { spec: { paused: true } });
    await remove(world, Cluster, "demo");
    await world.settle();
    expect(deletions(world)).toEqual([]);
    await patch(world, Cluster, "demo", { spec: { paused: false } });
    await world.settle();
    expect(await find(world, Cluster, "demo")).toBeUndefined();
  });

  test("deletes the kubeconfig", async () => {
    const world = await provisioned();
    expect(await find(world, Secret, "demo-kubeconfig")).toBeDefined();
    await remove(world, Cluster, "demo");
    await world.settle();
    expect(await find(world, Secret, "demo-kubeconfig")).toBeUndefined();
  });
});
