/** What users see when Azure Service Operator is missing, stands still, or has other CRDs than before. */
import {
  AzureManagedControlPlane,
  AzureManagedMachinePool,
  Cluster,
  type Condition,
  CustomResourceDefinition,
  getCondition,
  isTrue,
  MachinePool,
  ManagedCluster,
  ManagedClustersAgentPool,
  olderConditionsOf,
  ResourceGroup,
  toCustomResourceDefinition,
  VirtualNetwork,
  VirtualNetworksSubnet,
} from "@capstan/api";
import { type Controllers, createWorld, type World } from "@capstan/sim";
import { expect, test } from "vitest";
import { find, get, MINUTE_MS } from "../kit/fleet-world.ts";
import { changeControlPlane, createCluster, inAzure, NAME, WORLD } from "../kit/aks-world.ts";

const KINDS = [
  ManagedCluster,
  ManagedClustersAgentPool,
  ResourceGroup,
  VirtualNetwork,
  VirtualNetworksSubnet,
];

/** The controllers of a manager whose users run Azure Service Operator themselves, or not at all. */
const withoutOperator: Controllers = (connections) =>
  WORLD.controllers(connections).filter(({ name }) => !name.startsWith("aso-"));

async function conditionOf(world: World, type: string): Promise<Readonly<Condition> | undefined> {
  return getCondition(olderConditionsOf(await get(world, AzureManagedControlPlane, NAME)), type);
}

async function install(world: World): Promise<void> {
  for (const kind of KINDS)
    await world.run(world.user.create(CustomResourceDefinition, toCustomResourceDefinition(kind)));
}

/** Upgrades the CRD of ManagedCluster to one in which some versions lack a field. */
async function withdraw(
  world: World,
  field: string,
  isLacking: (version: string) => boolean = () => true,
): Promise<void> {
  const name = { name: `${ManagedCluster.plural}.${ManagedCluster.group}` };
  const { spec } = await world.run(world.user.get(CustomResourceDefinition, name));
  const versions = spec.versions.map((version) =>
    isLacking(version.name)
      ? (JSON.parse(
          JSON.stringify(version, (key, value: unknown) => (key === field ? undefined : value)),
        ) as unknown)
      : version,
  );
  await world.run(
    world.user.patch(CustomResourceDefinition, name, { type: "merge", body: { spec: { versions } } }),
  );
}

test("81: without Azure Service Operator a condition says what to install, all else runs, and its installation suffices", async () => {
  const world = await createWorld({ ...WORLD, controllers: withoutOperator, notInstalled: KINDS });
  world.start();
  await createCluster(world);
  await world.advance(5 * MINUTE_MS);
  expect(await conditionOf(world, "ResourceGroupReady")).toMatchObject({
    status: "False",
    reason: "AzureServiceOperatorNotInstalled",
    message: expect.stringContaining(
      "install Azure Service Operator with its CRDs of resources.azure.com",
    ) as string,
  });
  expect(isTrue(olderConditionsOf(await get(world, Cluster, NAME)), "ControlPlaneReady")).toBe(false);
  expect((await get(world, MachinePool, `${NAME}-workers`)).status?.phase).toBeDefined();
  const pool = await get(world, AzureManagedMachinePool, `${NAME}-workers`);
  expect(getCondition(olderConditionsOf(pool), "Ready")?.reason).toBe("AzureServiceOperatorNotInstalled");
  await install(world);
  await world.advance(5 * MINUTE_MS);
  expect(await find(world, ResourceGroup, NAME)).toBeDefined();
});

test("81: without Azure Service Operator a cluster can still be deleted", async () => {
  const world = await createWorld({ ...WORLD, controllers: withoutOperator, notInstalled: KINDS });
  world.start();
  await createCluster(world);
  await world.advance(5 * MINUTE_MS);
  await world.run(world.user.delete(Cluster, { name: NAME, namespace: "default" }));
  await world.advance(10 * MINUTE_MS);
  expect(await find(world, Cluster, NAME)).toBeUndefined();
  expect(await find(world, AzureManagedControlPlane, NAME)).toBeUndefined();
  expect(await find(world, AzureManagedMachinePool, `${NAME}-workers`)).toBeUndefined();
});

test("81: an Azure Service Operator that stands still is named by what it has not done", async () => {
  const world = await createWorld({ ...WORLD, controllers: withoutOperator });
  world.start();
  await createCluster(world);
  await world.advance(60 * MINUTE_MS);
  expect(await conditionOf(world, "ResourceGroupReady")).toMatchObject({
    status: "False",
    reason: "Reconciling",
    message: `Azure Service Operator has not reconciled ResourceGroup ${NAME} yet`,
  });
  expect(world.azure.control.journal().filter(({ method }) => method !== "GET")).toEqual([]);
});

test("82: a field that an upgrade of the CRD has removed is named, and the ManagedCluster stays as it was", async () => {
  const world = await createWorld({ ...WORLD, notInstalled: KINDS });
  await install(world);
  world.start();
  await createCluster(world);
  await world.settle();
  expect(await conditionOf(world, "ManagedClusterRunning")).toMatchObject({ status: "True" });
  const before = await get(world, ManagedCluster, NAME);
  await withdraw(world, "workloadAutoScalerProfile");
  await changeControlPlane(world, { sku: { tier: "Standard" } });
  await world.settle();
  expect(await conditionOf(world, "ManagedClusterRunning")).toMatchObject({
    status: "False",
    severity: "Error",
    reason: "UnknownField",
    message: expect.stringContaining(
      "spec.workloadAutoScalerProfile is not a field of ManagedCluster",
    ) as string,
  });
  expect((await get(world, ManagedCluster, NAME)).metadata.generation).toBe(before.metadata.generation);
});

test("a patch reaches a field of the newest stable version, and with preview features one of the newest preview", async () => {
  const world = await createWorld({ ...WORLD, notInstalled: KINDS });
  await install(world);
  // As in Azure Service Operator, the stored version knows all fields.
  const stored = ManagedCluster.version;
  await withdraw(world, "bootstrapProfile", (name) => name !== stored && name < "v1api20250801");
  await withdraw(world, "enableNamespaceResources", (name) => name !== stored && !name.includes("preview"));
  world.start();
  const stable = "spec: {bootstrapProfile: {artifactSource: Direct}}";
  const preview = "spec: {enableNamespaceResources: true}";
  await createCluster(world, (object) => {
    if (object.kind === AzureManagedControlPlane.kind)
      Object.assign((object as AzureManagedControlPlane).spec, { asoManagedClusterPatches: [stable] });
  });
  await world.settle();
  expect((await inAzure(world))?.properties["bootstrapProfile"]).toEqual({ artifactSource: "Direct" });
  expect(await appliedAs(world)).toEqual(["v1api20250801"]);
  await changeControlPlane(world, { asoManagedClusterPatches: [stable, preview] });
  await world.settle();
  expect((await conditionOf(world, "ManagedClusterRunning"))?.message).toContain(
    "spec.enableNamespaceResources is not a field of ManagedCluster in containerservice.azure.com/v1api20250801",
  );
  await changeControlPlane(world, { enablePreviewFeatures: true });
  await world.settle();
  expect((await inAzure(world))?.properties["enableNamespaceResources"]).toBe(true);
  expect(await appliedAs(world)).toEqual(["v20251002preview"]);
});

/** The versions in which Capstan has applied the ManagedCluster. */
async function appliedAs(world: World): Promise<readonly unknown[]> {
  const { metadata } = await get(world, ManagedCluster, NAME);
  const entries = (metadata.managedFields ?? []) as readonly { operation: string; apiVersion: string }[];
  return entries
    .filter(({ operation }) => operation === "Apply")
    .map(({ apiVersion }) => apiVersion.split("/").at(-1));
}
