/** Bad inputs of MachineDeployments, MachineSets and Machines, by their numbers; see docs/proofs.md for where the others are. */
import {
  controllerReferenceTo,
  getCondition,
  HANDS_OVER_MACHINES_ANNOTATION,
  Machine,
  MachineDeployment,
  MachineSet,
  Node,
  olderConditionsOf,
  RECEIVES_MACHINES_ANNOTATION,
  UPDATE_IN_PROGRESS_ANNOTATION,
} from "@capstan/api";
import { node, type Overrides } from "@capstan/runtime/testing/builders";
import type { World } from "@capstan/sim";
import { describe, expect, test } from "vitest";
import { create, get, MINUTE_MS, NAMESPACE, patch, remove } from "../kit/cluster-world.ts";
import {
  CLUSTER,
  DEPLOYMENT,
  deployment,
  deploymentWorld,
  isAvailable,
  machinesIn,
  PATIENCE_MS,
  setsIn,
} from "../kit/deployment-world.ts";
import { TestMachineTemplate } from "../kit/test-provider.ts";

async function deployedWorld(replicas: number): Promise<World> {
  const world = await deploymentWorld();
  await create(world, MachineDeployment, deployment({ spec: { replicas } }));
  await world.rest(PATIENCE_MS);
  return world;
}

async function uidsIn(world: World): Promise<readonly unknown[]> {
  return (await machinesIn(world)).map(({ metadata }) => metadata.uid);
}

async function onlySet(world: World): Promise<string> {
  return (await setsIn(world))[0]?.metadata.name ?? "";
}

describe("refused at admission", () => {
  const inTemplate = (template: Overrides<MachineDeployment["spec"]["template"]>) => ({ spec: { template } });
  test.each<[string, Overrides<MachineDeployment>, RegExp]>([
    [
      "5 a billion replicas",
      { spec: { replicas: 1e9 } },
      /spec\.replicas: Invalid value: 1000000000: must be at most/,
    ],
    [
      "42 a version without a patch",
      inTemplate({ spec: { version: "v1.31" } }),
      /spec\.template\.spec\.version.*v1\.31/,
    ],
    [
      "52 a label value of 64 characters",
      inTemplate({ metadata: { labels: { team: "a".repeat(64) } } }),
      /spec\.template\.metadata\.labels\[team\].*63/,
    ],
    [
      "52 an annotation of 300 kB",
      { metadata: { annotations: { "example.com/note": "a".repeat(300_000) } } },
      /metadata\.annotations: Too long.*262144/,
    ],
    [
      "52 an annotation of 300 kB for the machines",
      inTemplate({ metadata: { annotations: { "example.com/note": "a".repeat(300_000) } } }),
      /spec\.template\.metadata\.annotations: Too long.*262144/,
    ],
  ])("%s", async (_, overrides, message) => {
    const world = await deploymentWorld();
    await expect(create(world, MachineDeployment, deployment(overrides))).rejects.toThrow(message);
  });

  test("5 a billion replicas by the scale subresource", async () => {
    const world = await deployedWorld(1);
    const scaled = world.user.patch(
      MachineDeployment,
      { name: DEPLOYMENT, namespace: NAMESPACE },
      { type: "merge", subresource: "scale", body: { spec: { replicas: 1e9 } } },
    );
    await expect(world.run(scaled)).rejects.toThrow(/replicas/);
  });

  test("47 a Machine with two controllers", async () => {
    const world = await deployedWorld(1);
    const [machine] = await machinesIn(world);
    const owner = await get(world, MachineDeployment, DEPLOYMENT);
    const ownerReferences = [...(machine?.metadata.ownerReferences ?? []), controllerReferenceTo(owner)];
    await expect(
      patch(world, Machine, machine?.metadata.name ?? "", { metadata: { ownerReferences } }),
    ).rejects.toThrow(/metadata\.ownerReferences.*Only one reference can have Controller set to true/);
  });
});

test("41 a selector that matches the machines of another MachineDeployment takes none of them", async () => {
  const world = await deploymentWorld();
  const shared = { team: "a" };
  const selecting = (name: string, replicas: number): MachineDeployment =>
    deployment({
      metadata: { name },
      spec: { replicas, selector: { matchLabels: shared }, template: { metadata: { labels: shared } } },
    });
  await create(world, MachineDeployment, selecting("first", 2));
  await world.rest(PATIENCE_MS);
  const before = await uidsIn(world);
  await create(world, MachineDeployment, selecting("second", 1));
  await world.rest(PATIENCE_MS);
  await remove(world, MachineDeployment, "second");
  await world.rest(PATIENCE_MS);
  expect(await uidsIn(world)).toEqual(before);
  expect((await get(world, MachineDeployment, "first")).status).toMatchObject({
    replicas: 2,
    phase: "Running",
  });
});

test("43 a template that is deleted later is named when a machine is needed, and no machine goes", async () => {
  const world = await deployedWorld(2);
  const before = await uidsIn(world);
  await remove(world, TestMachineTemplate, "small");
  await patch(world, MachineDeployment, DEPLOYMENT, { spec: { replicas: 3 } });
  await world.rest(PATIENCE_MS);
  const [set] = await setsIn(world);
  expect(getCondition(olderConditionsOf(set), "Ready")).toMatchObject({
    status: "False",
    reason: "WaitingForTemplate",
    message: "spec.template.spec.infrastructureRef: TestMachineTemplate small does not exist yet",
  });
  expect(await uidsIn(world)).toEqual(before);
  expect((await machinesIn(world)).filter(isAvailable)).toHaveLength(2);
});

test("45 a foreign template that is changed in place replaces no machine; new machines have the change", async () => {
  const world = await deployedWorld(1);
  const before = await uidsIn(world);
  await patch(world, TestMachineTemplate, "small", { spec: { template: { spec: { size: "changed" } } } });
  await world.rest(PATIENCE_MS);
  expect(await uidsIn(world)).toEqual(before);
  expect(await setsIn(world)).toHaveLength(1);
});

describe("46 annotations of moves that a user forges", () => {
  test.each<[string, (set: string, machine: string) => Readonly<Record<string, string>>]>([
    ["machines to receive that do not exist", () => ({ [RECEIVES_MACHINES_ANNOTATION]: "no-such,nor-this" })],
    ["its own machine to receive", (_, machine) => ({ [RECEIVES_MACHINES_ANNOTATION]: machine })],
    ["its machine to hand over", (_, machine) => ({ [HANDS_OVER_MACHINES_ANNOTATION]: machine })],
    [
      "a cycle",
      (_, machine) => ({
        [HANDS_OVER_MACHINES_ANNOTATION]: machine,
        [RECEIVES_MACHINES_ANNOTATION]: machine,
      }),
    ],
  ])("46 %s: they go, and no machine is created or deleted", async (_, annotations) => {
    const world = await deployedWorld(2);
    const before = await uidsIn(world);
    const set = await onlySet(world);
    const [machine] = await machinesIn(world);
    await patch(world, MachineSet, set, {
      metadata: { annotations: annotations(set, machine?.metadata.name ?? "") },
    });
    await world.rest(PATIENCE_MS);
    expect(await uidsIn(world)).toEqual(before);
    const { metadata } = await get(world, MachineSet, set);
    expect(Object.keys(metadata.annotations ?? {})).not.toContain(RECEIVES_MACHINES_ANNOTATION);
    expect(Object.keys(metadata.annotations ?? {})).not.toContain(HANDS_OVER_MACHINES_ANNOTATION);
    expect((await get(world, MachineDeployment, DEPLOYMENT)).status).toMatchObject({ availableReplicas: 2 });
  });
});

test("49 an annotation of an update that a user adds to a Machine does not delete it", async () => {
  const world = await deployedWorld(2);
  const before = await uidsIn(world);
  const [machine] = await machinesIn(world);
  const name = machine?.metadata.name ?? "";
  const annotated = patch(world, Machine, name, {
    metadata: { annotations: { [UPDATE_IN_PROGRESS_ANNOTATION]: "" } },
  });
  await annotated.catch((error: unknown) => error);
  await world.advance(5 * MINUTE_MS);
  await patch(world, Machine, name, { metadata: { annotations: { [UPDATE_IN_PROGRESS_ANNOTATION]: null } } });
  await world.rest(PATIENCE_MS);
  expect(await uidsIn(world)).toEqual(before);
  expect((await machinesIn(world)).filter(isAvailable)).toHaveLength(2);
});

test("two Nodes with the provider id of one Machine: neither is taken, and both are named", async () => {
  const world = await deployedWorld(1);
  const [machine] = await machinesIn(world);
  const workload = world.workload(CLUSTER);
  if (!workload) throw new Error("there is no workload cluster");
  const providerID = machine?.spec.providerID ?? "";
  await world.run(workload.create(Node, node({ metadata: { name: "impostor" }, spec: { providerID } })));
  await world.advance(5 * MINUTE_MS);
  const [after] = await machinesIn(world);
  expect(getCondition(olderConditionsOf(after), "NodeHealthy")?.message).toContain("impostor");
  expect(after?.metadata.uid).toBe(machine?.metadata.uid);
  await world.run(workload.delete(Node, { name: "impostor" }));
  await world.rest(PATIENCE_MS);
  expect((await machinesIn(world)).filter(isAvailable)).toHaveLength(1);
});
