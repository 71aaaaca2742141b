import { Cluster, KubeadmControlPlane, olderConditionsOf } from "@capstan/api";
import { cluster, kubeadmControlPlane } from "@capstan/runtime/testing/builders";
import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import type { World } from "@capstan/sim";
import { describe, expect, test } from "vitest";
import { clusterWorld, create, find, get, MINUTE_MS, remove } from "../kit/cluster-world.ts";
import { foreign, foreignKind, install, say } from "../kit/foreign-kinds.ts";

expect.extend(conditionMatchers);

const VSphereCluster = foreignKind("infrastructure.cluster.x-k8s.io", "VSphereCluster", "vsphereclusters");
const RocketControlPlane = foreignKind(
  "controlplane.rockets.example.com",
  "RocketControlPlane",
  "rocketcontrolplanes",
);
const refTo = ({ group, kind }: { group: string; kind: string }) => ({
  apiGroup: group,
  kind,
  name: "demo",
});

function foreignCluster() {
  return cluster({
    metadata: { name: "demo" },
    spec: { infrastructureRef: refTo(VSphereCluster), controlPlaneRef: refTo(RocketControlPlane) },
  });
}

async function withForeignCluster(): Promise<World> {
  const world = await clusterWorld();
  await install(world, VSphereCluster);
  await install(world, RocketControlPlane);
  await create(world, VSphereCluster, foreign(VSphereCluster, "demo"));
  await create(world, RocketControlPlane, foreign(RocketControlPlane, "demo"));
  await create(world, Cluster, foreignCluster());
  return world;
}

describe("kinds that are unknown to Capstan", () => {
  test("are read by the contract: ready, endpoint, failure domains, failures", async () => {
    const world = await withForeignCluster();
    await say(world, RocketControlPlane, "demo", { initialized: false });
    await world.advance(MINUTE_MS);
    const waiting = await get(world, Cluster, "demo");
    expect(waiting.status?.phase).toBe("Provisioning");
    expect(waiting).toHaveCondition("InfrastructureReady", "False", "WaitingForInfrastructure");
    expect(waiting).toHaveCondition(
      "ControlPlaneInitialized",
      "False",
      "WaitingForControlPlaneProviderInitialized",
    );
    const spec = { controlPlaneEndpoint: { host: "10.0.0.1", port: 6443 } };
    await world.run(
      world.user.patch(
        VSphereCluster,
        { name: "demo", namespace: "default" },
        { type: "merge", body: { spec } },
      ),
    );
    await say(world, VSphereCluster, "demo", {
      initialization: { provisioned: true },
      failureDomains: [{ name: "rack-1", controlPlane: true }],
    });
    await say(world, RocketControlPlane, "demo", { ready: true, initialized: true });
    await world.advance(MINUTE_MS);
    const provisioned = await get(world, Cluster, "demo");
    expect(provisioned.status).toMatchObject({
      phase: "Provisioned",
      initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true },
      failureDomains: [{ name: "rack-1", controlPlane: true }],
    });
    expect(provisioned.spec.controlPlaneEndpoint).toEqual(spec.controlPlaneEndpoint);
    expect(provisioned).toHaveCondition("Ready", "True");
    await say(world, VSphereCluster, "demo", {
      failureReason: "Sunk",
      failureMessage: "the datacenter is under water",
    });
    await world.advance(15 * MINUTE_MS);
    expect((await get(world, Cluster, "demo")).status).toMatchObject({
      phase: "Failed",
      deprecated: {
        v1beta1: {
          failureReason: "Sunk",
          failureMessage: "VSphereCluster demo has failed: the datacenter is under water",
        },
      },
    });
  });

  test("get the owner and the label, and are deleted with their Cluster", async () => {
    const world = await withForeignCluster();
    await world.advance(MINUTE_MS);
    for (const kind of [VSphereCluster, RocketControlPlane]) {
      const { metadata } = await get(world, kind, "demo");
      expect(metadata.labels).toMatchObject({ "cluster.x-k8s.io/cluster-name": "demo" });
      expect(metadata.ownerReferences).toMatchObject([{ kind: "Cluster", name: "demo", controller: true }]);
    }
    await remove(world, Cluster, "demo");
    await world.settle();
    for (const kind of [VSphereCluster, RocketControlPlane])
      expect(await find(world, kind, "demo")).toBeUndefined();
    expect(await find(world, Cluster, "demo")).toBeUndefined();
  });

  test("need not be served: the Cluster reports that it waits, continues when they are, and can be deleted", async () => {
    const world = await clusterWorld();
    await create(world, Cluster, foreignCluster());
    await world.advance(MINUTE_MS);
    const waiting = await get(world, Cluster, "demo");
    expect(waiting.status?.phase).toBe("Pending");
    const message = olderConditionsOf(waiting)?.find(({ type }) => type === "InfrastructureReady")?.message;
    expect(message).toBe(
      "infrastructure.cluster.x-k8s.io/v1beta1 VSphereCluster is not served; is its CustomResourceDefinition installed?",
    );
    const calm = world.testedWrites;
    await world.advance(30 * MINUTE_MS);
    expect(world.testedWrites - calm).toBe(0);
    await install(world, VSphereCluster);
    await create(
      world,
      VSphereCluster,
      foreign(VSphereCluster, "demo", { controlPlaneEndpoint: { host: "h", port: 1 } }),
    );
    await say(world, VSphereCluster, "demo", { ready: true });
    await world.advance(MINUTE_MS);
    const provisioned = await get(world, Cluster, "demo");
    expect(provisioned.status?.phase).toBe("Provisioned");
    // The server does not serve the kind of the control plane, but the simulated world has given the endpoint a server and a kubeconfig.
    expect(provisioned).toHaveCondition("ControlPlaneInitialized", "True", "ApiServerAnswers");
    expect(provisioned).toHaveCondition("ControlPlaneManaged", "False", "NoController");
    await remove(world, Cluster, "demo");
    await world.settle();
    expect(await find(world, Cluster, "demo")).toBeUndefined();
  });
});

test("a KubeadmControlPlane without a controller leads to a message that names what is missing", async () => {
  const world = await clusterWorld();
  await install(world, VSphereCluster);
  await create(world, VSphereCluster, foreign(VSphereCluster, "demo"));
  await create(
    world,
    Cluster,
    cluster({
      metadata: { name: "demo" },
      spec: { infrastructureRef: refTo(VSphereCluster), controlPlaneRef: refTo(KubeadmControlPlane) },
    }),
  );
  await create(world, KubeadmControlPlane, kubeadmControlPlane({ metadata: { name: "demo" } }));
  await world.advance(MINUTE_MS);
  const waiting = await get(world, Cluster, "demo");
  expect(waiting).toHaveCondition("ControlPlaneReady", "False", "WaitingForControlPlaneEndpoint");
  expect(JSON.stringify(waiting.status)).toContain(
    "KubeadmControlPlane demo has no status because no controller acts on it",
  );
});
