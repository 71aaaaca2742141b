import { getCondition, Machine, MachineDeployment, olderConditionsOf } from "@capstan/api";
import type { Overrides } from "@capstan/runtime/testing/builders";
import type { World } from "@capstan/sim";
import { describe, expect, test } from "vitest";
import { create, get, NAMESPACE, patch } from "../kit/cluster-world.ts";
import { foreign } from "../kit/foreign-kinds.ts";
import {
  createTemplate,
  DEPLOYMENT,
  deployment,
  deploymentWorld,
  isAvailable,
  machinesIn,
  PATIENCE_MS,
  referenceTo,
  setsIn,
} from "../kit/deployment-world.ts";
import { TestMachineTemplate } from "../kit/test-provider.ts";

const withInfrastructure = (reference: object): Overrides<MachineDeployment> => ({
  spec: { template: { spec: { infrastructureRef: reference } } },
});

async function readyOf(world: World): Promise<object | undefined> {
  const { status } = await get(world, MachineDeployment, DEPLOYMENT);
  return getCondition(olderConditionsOf({ status }), "Ready");
}

describe("a template", () => {
  test("that does not exist is named, no machine goes, and it works once it exists", async () => {
    const world = await deploymentWorld();
    await create(world, MachineDeployment, deployment());
    await world.rest(PATIENCE_MS);
    const infrastructureRef = referenceTo(TestMachineTemplate, "missing");
    await patch(world, MachineDeployment, DEPLOYMENT, {
      spec: { template: { spec: { infrastructureRef } } },
    });
    await world.rest(PATIENCE_MS);
    expect(await readyOf(world)).toMatchObject({
      status: "False",
      reason: "WaitingForTemplate",
      message: "spec.template.spec.infrastructureRef: TestMachineTemplate missing does not exist yet",
    });
    expect((await machinesIn(world)).filter(isAvailable)).toHaveLength(3);
    await createTemplate(world, "missing");
    await world.rest(PATIENCE_MS);
    expect(await readyOf(world)).toMatchObject({ status: "True" });
  });

  test("without spec.template.spec creates no machine, and the set says why", async () => {
    const world = await deploymentWorld();
    await create(world, TestMachineTemplate, foreign(TestMachineTemplate, "empty", { template: {} }));
    await create(
      world,
      MachineDeployment,
      deployment(withInfrastructure(referenceTo(TestMachineTemplate, "empty"))),
    );
    await world.rest(PATIENCE_MS);
    const [set] = await setsIn(world);
    expect(getCondition(olderConditionsOf(set), "Ready")).toMatchObject({ reason: "IncorrectTemplate" });
    expect(await machinesIn(world)).toEqual([]);
  });

  test("of a kind that is not served is named", async () => {
    const world = await deploymentWorld();
    const kind = { group: "infrastructure.example.com", kind: "NoSuchMachineTemplate" };
    await create(world, MachineDeployment, deployment(withInfrastructure(referenceTo(kind, "x"))));
    await world.advance(60_000);
    expect(await readyOf(world)).toMatchObject({ reason: "WaitingForTemplate" });
    expect(await setsIn(world)).toEqual([]);
  });
});

test.each<[string, Overrides<MachineDeployment>, string]>([
  ["negative replicas", { spec: { replicas: -1 } }, "spec.replicas"],
  [
    "a selector that does not match",
    { spec: { selector: { matchLabels: { a: "b" } } } },
    "must match spec.selector",
  ],
  [
    "a version that is not one",
    { spec: { template: { spec: { version: "latest" } } } },
    "spec.template.spec.version",
  ],
])("%s is refused with the field", async (_, overrides, message) => {
  const world = await deploymentWorld();
  await expect(create(world, MachineDeployment, deployment(overrides))).rejects.toThrow(message);
});

test("of two Machines with one provider id the older has the Node, and the other one says so", async () => {
  const world = await deploymentWorld();
  await create(world, MachineDeployment, deployment({ spec: { replicas: 1 } }));
  await world.rest(PATIENCE_MS);
  const [first] = await machinesIn(world);
  if (!first) throw new Error("there is no machine");
  const { clusterName, infrastructureRef, providerID } = first.spec;
  const spec = { clusterName, bootstrap: { dataSecretName: "data" }, infrastructureRef, providerID };
  await world.run(
    world.user.create(Machine, {
      metadata: { name: "twin", namespace: NAMESPACE },
      spec,
    } as unknown as Machine),
  );
  await world.rest(PATIENCE_MS);
  const twin = await get(world, Machine, "twin");
  expect(twin.status?.nodeRef).toBeUndefined();
  expect(getCondition(olderConditionsOf(twin), "Ready")).toMatchObject({ reason: "ReferencedObjectTaken" });
  expect(isAvailable(await get(world, Machine, first.metadata.name))).toBe(true);
});

test("Machines of another MachineDeployment are not taken, although its name and selector are a prefix", async () => {
  const world = await deploymentWorld();
  await create(world, MachineDeployment, deployment({ spec: { replicas: 1 } }));
  await create(
    world,
    MachineDeployment,
    deployment({ metadata: { name: `${DEPLOYMENT}-b` }, spec: { replicas: 2 } }),
  );
  await world.rest(PATIENCE_MS);
  expect((await get(world, MachineDeployment, DEPLOYMENT)).status).toMatchObject({
    replicas: 1,
    phase: "Running",
  });
  expect((await get(world, MachineDeployment, `${DEPLOYMENT}-b`)).status).toMatchObject({
    replicas: 2,
    phase: "Running",
  });
});
