/** The bad inputs 71 to 83, and refusals of Azure. */
import {
  AzureManagedControlPlane,
  AzureManagedMachinePool,
  Cluster,
  type Condition,
  getCondition,
  ManagedCluster,
  ManagedClustersAgentPool,
} from "@capstan/api";
import { createWorld, type World } from "@capstan/sim";
import { Failure } from "@capstan/runtime";
import { beforeAll, describe, expect, test } from "vitest";
import { find, get, patch, remove } from "../kit/fleet-world.ts";
import {
  changeControlPlane,
  CLUSTER_ID,
  createCluster,
  GROUP,
  inAzure,
  NAME,
  WORLD,
} from "../kit/aks-world.ts";

async function running(): Promise<World> {
  const world = await createWorld(WORLD);
  world.start();
  await createCluster(world);
  await world.settle();
  return world;
}

/** The limit on all patches together has no index. */
const INDEXED = /spec\.asoManagedClusterPatches(\[1\]|: Invalid value: \d+: must have at most)/;

/** What the server answers to a change of the patches; undefined when it accepts it. */
async function refusalOf(world: World, ...asoManagedClusterPatches: string[]): Promise<string | undefined> {
  try {
    await changeControlPlane(world, { asoManagedClusterPatches });
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}

async function condition(
  world: World,
  type = "ManagedClusterRunning",
): Promise<Readonly<Condition> | undefined> {
  return getCondition((await get(world, AzureManagedControlPlane, NAME)).status?.conditions, type);
}

describe("a patch is refused at admission, with its index", () => {
  const cases: readonly (readonly [number, string, string])[] = [
    [71, "{", "must be YAML or JSON"],
    [71, "", "must not be empty"],
    [71, "null", "must be an object (JSON merge patch) or a list of operations (JSON patch)"],
    [71, "[]", "must have at least one operation"],
    [71, "42", "must be an object (JSON merge patch)"],
    [71, "a: 1\n---\nb: 2", "must be one document, not several"],
    [72, "kind: Other", "/kind is not patchable"],
    [72, "apiVersion: v2", "/apiVersion is not patchable"],
    [72, "metadata: {name: other}", "/metadata/name is not patchable"],
    [72, "spec: {owner: {name: other}}", "/spec/owner is not patchable"],
    [72, "spec: {azureName: other}", "/spec/azureName is not patchable"],
    [
      72,
      "metadata: {annotations: {sigs.k8s.io/cluster-api-provider-azure-pre-pause-reconcile-policy: manage}}",
      "cluster-api-provider-azure-pre-pause-reconcile-policy is not patchable",
    ],
    [
      72,
      "spec: {networkProfile: {$patch: delete}}",
      "/spec/networkProfile/$patch is a directive of strategic merge patches; in a JSON merge patch null removes a field",
    ],
    [73, "- add: /spec/a", "must be an object whose op is one of add, remove, replace, move, copy, test"],
    [74, "spec: null", "/spec/owner is not patchable"],
    [74, "metadata: null", "/metadata/name is not patchable"],
    [77, '{"__proto__": {"a": 1}}', "/__proto__ is not a field of any resource"],
    [77, "constructor: {prototype: {a: 1}}", "/constructor is not a field of any resource"],
    [77, "[".repeat(10_000), "must not nest deeper than 64 levels"],
    [
      77,
      `a: &a [${"1,".repeat(30)}1]\nb: [${"*a,".repeat(60)}*a]`,
      "must use aliases only of anchors before them, and few",
    ],
    [77, `spec: {a: "${"x".repeat(600 * 1024)}"}`, "must have at most 524288 characters"],
    [77, "spec: {a: 1, a: 2}", "Map keys must be unique"],
    [77, "spec: {a: .nan}", "must be a value that JSON can say"],
    [77, "spec: {a: 9223372036854775807}", "has a number beyond 2^53"],
    [77, "\uFEFFspec: {}", "must not begin with a byte order mark"],
    [77, "spec:\n\ta: 1", "must be YAML or JSON"],
    [77, 'spec: {a: "\\0"}', "must not hold a null byte"],
    [
      80,
      'metadata: {annotations: {"serviceoperator.azure.com/reconcile-policy": skip}}',
      "reconcile-policy is not patchable",
    ],
  ];

  let world: World;
  beforeAll(async () => {
    world = await running();
  });

  test.each([71, 72, 73, 74, 77, 80])(
    "%i: each form has its own answer, and nothing is changed",
    async (number) => {
      const before = await get(world, ManagedCluster, NAME);
      for (const [, text, message] of cases.filter(([one]) => one === number)) {
        const refusal = await refusalOf(world, "spec: {tags: {a: b}}", text);
        expect(refusal, text.slice(0, 40)).toContain(message);
        expect(refusal, text.slice(0, 40)).toMatch(INDEXED);
      }
      await world.settle();
      expect(await get(world, ManagedCluster, NAME)).toEqual(before);
    },
  );

  test("78: more patches than any user writes", async () => {
    const patches = Array.from({ length: 1001 }, () => "spec: {}");
    expect(await refusalOf(world, ...patches)).toContain("must have at most 1000 patches");
  });
});

describe("at reconcile", () => {
  test("75: a patch that removes a required field is refused by the schema, and the resource stays as it was", async () => {
    const world = await running();
    const before = await get(world, ManagedCluster, NAME);
    await changeControlPlane(world, { asoManagedClusterPatches: ["spec: {location: null}"] });
    await world.settle();
    expect(await condition(world)).toMatchObject({
      status: "False",
      severity: "Error",
      reason: "Invalid",
      message: expect.stringContaining("spec.location: Required value") as string,
    });
    expect(await get(world, ManagedCluster, NAME)).toEqual(before);
  });

  test("75: a patch that makes the resource invalid for AKS leaves the cluster as it is, and the condition has the reason of AKS", async () => {
    const world = await running();
    await changeControlPlane(world, {
      asoManagedClusterPatches: ["spec: {networkProfile: {networkPlugin: bogus}}"],
    });
    await world.settle();
    expect(await condition(world)).toMatchObject({ status: "False", reason: "InvalidParameter" });
    expect((await inAzure(world))?.properties["provisioningState"]).toBe("Succeeded");
    await changeControlPlane(world, { asoManagedClusterPatches: [] });
    await world.settle();
    expect(await condition(world)).toMatchObject({ status: "True" });
  });

  test("76: a field that the CRD lacks is named, and nothing is written", async () => {
    const world = await running();
    const before = await get(world, ManagedCluster, NAME);
    await changeControlPlane(world, {
      asoManagedClusterPatches: ["spec: {workloadAutoscalerProfile: {keda: {enabled: true}}}"],
    });
    await world.settle();
    expect(await condition(world)).toMatchObject({
      status: "False",
      reason: "UnknownField",
      message: expect.stringMatching(
        /^spec\.workloadAutoscalerProfile is not a field of ManagedCluster/,
      ) as string,
    });
    expect(await get(world, ManagedCluster, NAME)).toEqual(before);
  });

  test("78: 500 patches are applied in order", async () => {
    const world = await running();
    const patches = Array.from({ length: 500 }, (_, index) => `spec: {tags: {order: "${index}"}}`);
    await changeControlPlane(world, { asoManagedClusterPatches: patches });
    await world.settle();
    expect((await inAzure(world))?.tags).toMatchObject({ order: "499" });
  });

  test("79: a patch of the version wins over the spec, and stays", async () => {
    const world = await running();
    await changeControlPlane(world, { asoManagedClusterPatches: ["spec: {kubernetesVersion: 1.34.0}"] });
    await world.settle();
    const { generation } = (await get(world, ManagedCluster, NAME)).metadata;
    await world.advance(3 * 3600_000);
    const after = await get(world, ManagedCluster, NAME);
    expect(after.metadata.generation).toBe(generation);
    expect(after.status?.["currentKubernetesVersion"]).toBe("1.34.0");
  });

  test("81: an object of Azure Service Operator that is deleted by hand comes back; one that is edited is corrected", async () => {
    const world = await running();
    await patch(world, ManagedCluster, NAME, { spec: { location: "eastus" } });
    await world.settle();
    expect((await get(world, ManagedCluster, NAME)).spec["location"]).toBe("westeurope");
    await remove(world, ManagedClustersAgentPool, `${NAME}-workers`);
    await world.settle();
    expect((await get(world, AzureManagedMachinePool, `${NAME}-workers`)).status).toMatchObject({
      ready: true,
    });
    expect((await inAzure(world, `${CLUSTER_ID}/agentPools/workers`))?.properties["count"]).toBe(2);
  });

  test("81: a fatal refusal of Azure is copied with its reason and severity", async () => {
    const world = await running();
    await changeControlPlane(world, { asoManagedClusterPatches: ["spec: {dnsPrefix: other}"] });
    await world.settle();
    expect(await condition(world)).toMatchObject({
      status: "False",
      severity: "Error",
      reason: "PropertyChangeNotAllowed",
      message: "Changing property 'properties.dnsPrefix' is not allowed.",
    });
  });

  test("a policy that denies AKS clusters shows in the condition in its own words", async () => {
    const world = await createWorld(WORLD);
    world.start();
    world.azure.control.forbid({
      name: "no-aks",
      scope: GROUP,
      kind: "DenyByPolicy",
      type: "Microsoft.ContainerService/managedClusters",
    });
    await createCluster(world);
    await world.advance(30 * 60_000);
    expect(await condition(world)).toMatchObject({
      status: "False",
      reason: "RequestDisallowedByPolicy",
      message: expect.stringContaining("no-aks") as string,
    });
    world.azure.control.allow("no-aks");
    await world.advance(3 * 3600_000);
    expect(await condition(world)).toMatchObject({ status: "True" });
  });

  test("a change waits for another operation in the portal, says so, and is made after it", async () => {
    const world = await running();
    const pool = (await inAzure(world, `${CLUSTER_ID}/agentPools/workers`)) ?? { properties: {} };
    const properties = { ...pool.properties, count: 4 };
    await world.arm("PUT", `${CLUSTER_ID}/agentPools/workers?api-version=2025-08-01`, { properties });
    await changeControlPlane(world, { sku: { tier: "Standard" } });
    await world.advance(15_000);
    expect(await condition(world)).toMatchObject({
      status: "False",
      reason: "OperationNotAllowed",
      message: expect.stringContaining("Another operation (Scaling) is in progress") as string,
    });
    await world.settle();
    expect(await condition(world)).toMatchObject({ status: "True" });
    expect(await inAzure(world)).toMatchObject({ sku: { tier: "Standard" } });
  });

  test("a pool that is deleted in the portal comes back", async () => {
    const world = await running();
    await world.arm("DELETE", `${CLUSTER_ID}/agentPools/workers?api-version=2024-09-01`);
    await world.advance(3 * 3600_000);
    await world.settle();
    expect((await inAzure(world, `${CLUSTER_ID}/agentPools/workers`))?.properties["count"]).toBe(2);
  });

  test("a cluster that is stopped in the portal says so, and is Ready again after its start", async () => {
    const world = await running();
    await world.arm("POST", `${CLUSTER_ID}/stop?api-version=2024-09-01`);
    await world.advance(2 * 3600_000);
    expect(await condition(world)).toMatchObject({ status: "False", reason: "ClusterStopped" });
    await world.arm("POST", `${CLUSTER_ID}/start?api-version=2024-09-01`);
    await world.advance(2 * 3600_000);
    expect(await condition(world)).toMatchObject({ status: "True" });
  });

  test("a quota that is too small shows in the condition, and nothing else stops", async () => {
    const quotas = [{ location: "westeurope", family: "cores", limit: 4 }];
    const world = await createWorld({ ...WORLD, azure: { quotas } });
    world.start();
    await createCluster(world);
    await world.rest(60 * 60_000);
    expect((await condition(world))?.message).toMatch(/quota/i);
    expect(await find(world, Cluster, NAME)).toBeDefined();
  });
});
