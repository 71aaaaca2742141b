import {
  AzureManagedControlPlane,
  AzureManagedMachinePool,
  type Condition,
  getCondition,
  ManagedCluster,
} from "@capstan/api";
import { createWorld, type World } from "@capstan/sim";
import { describe, expect, test } from "vitest";
import { get, patch } from "../kit/fleet-world.ts";
import { changeControlPlane, CLUSTER_ID, createCluster, inAzure, NAME, WORLD } from "../kit/aks-world.ts";

async function running(): Promise<World> {
  const world = await createWorld(WORLD);
  world.start();
  await createCluster(world);
  await world.settle();
  return world;
}

const patches = (...asoManagedClusterPatches: string[]): object => ({ asoManagedClusterPatches });

async function runningCondition(world: World): Promise<Readonly<Condition> | undefined> {
  const { status } = await get(world, AzureManagedControlPlane, NAME);
  return getCondition(status?.conditions, "ManagedClusterRunning");
}

describe("patches of an AKS cluster", () => {
  test("take effect in Azure in their order, and what leaves a patch leaves the resource", async () => {
    const world = await running();
    await changeControlPlane(
      world,
      patches(
        "spec: {metricsProfile: {costAnalysis: {enabled: false}}}",
        '[{"op": "replace", "path": "/spec/metricsProfile/costAnalysis/enabled", "value": true}]',
      ),
    );
    await world.settle();
    const { properties } = (await inAzure(world)) ?? { properties: {} };
    expect(properties["metricsProfile"]).toEqual({ costAnalysis: { enabled: true } });
    expect(properties["workloadAutoScalerProfile"]).toBeUndefined();
    await changeControlPlane(world, { asoManagedClusterPatches: null });
    await world.settle();
    expect((await inAzure(world))?.properties["metricsProfile"]).toBeUndefined();
  });

  test("of which one fails leave the resource as it was, byte for byte, until it is corrected", async () => {
    const world = await running();
    const before = await get(world, ManagedCluster, NAME);
    const good = "spec: {supportPlan: AKSLongTermSupport}";
    const broken = '[{"op": "remove", "path": "/spec/notThere"}]';
    await changeControlPlane(world, patches(good, broken, "spec: {dnsPrefix: other}"));
    await world.settle();
    expect(await get(world, ManagedCluster, NAME)).toEqual(before);
    const condition = await runningCondition(world);
    expect(condition).toMatchObject({ status: "False", severity: "Error", reason: "PatchFailed" });
    expect(condition?.message).toContain("spec.asoManagedClusterPatches[1]: operation 0");
    await changeControlPlane(world, patches(good));
    await world.settle();
    expect((await inAzure(world))?.properties["supportPlan"]).toBe("AKSLongTermSupport");
    expect(await runningCondition(world)).toMatchObject({ status: "True" });
  });

  test("win over the fields of the spec, and nothing oscillates", async () => {
    const world = await running();
    await changeControlPlane(world, { ...patches("spec: {sku: {tier: Standard}}"), sku: { tier: "Free" } });
    await world.settle();
    const { metadata } = await get(world, ManagedCluster, NAME);
    await world.advance(3 * 3600_000);
    expect((await get(world, ManagedCluster, NAME)).metadata.generation).toBe(metadata.generation);
    expect((await get(world, ManagedCluster, NAME)).spec).toMatchObject({ sku: { tier: "Standard" } });
  });

  test("leave fields alone that only another client has set", async () => {
    const world = await running();
    await patch(world, ManagedCluster, NAME, { spec: { autoUpgradeProfile: { upgradeChannel: "patch" } } });
    await changeControlPlane(world, patches("spec: {autoUpgradeProfile: null}"));
    await world.settle();
    expect((await get(world, ManagedCluster, NAME)).spec["autoUpgradeProfile"]).toBeDefined();
    const { status } = await get(world, AzureManagedControlPlane, NAME);
    const condition = getCondition(status?.conditions, "SpecFulfilled");
    expect(condition).toMatchObject({ status: "False", reason: "FieldOwnedByOther" });
    expect(condition?.message).toContain(
      "spec.autoUpgradeProfile of ManagedCluster harbor, and user keeps its value",
    );
  });

  test("of a pool reach Azure, at its creation and later", async () => {
    const world = await running();
    const id = `${CLUSTER_ID}/agentPools/workers`;
    expect((await inAzure(world, id))?.properties["upgradeSettings"]).toEqual({ maxSurge: "33%" });
    await patch(world, AzureManagedMachinePool, `${NAME}-workers`, {
      spec: { asoManagedClustersAgentPoolPatches: ["spec: {upgradeSettings: {maxSurge: 50%}}"] },
    });
    await world.settle();
    expect((await inAzure(world, id))?.properties["upgradeSettings"]).toEqual({ maxSurge: "50%" });
  });
});
