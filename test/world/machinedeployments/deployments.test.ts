import { MachineDeployment } from "@capstan/api";
import { expect, test } from "vitest";
import { create, find, get, patch, remove } from "../cluster/cluster-world.ts";
import {
  createTemplate,
  DEPLOYMENT,
  deployment,
  deploymentWorld,
  isAvailable,
  machinesIn,
  nodesIn,
  PATIENCE_MS,
  referenceTo,
  setsIn,
} from "./deployment-world.ts";
import { TestMachine, TestMachineTemplate } from "./test-provider.ts";

test("a MachineDeployment of a foreign kind is created, scaled, rolled and deleted", async () => {
  const world = await deploymentWorld();
  await create(world, MachineDeployment, deployment());
  await world.rest(PATIENCE_MS);
  expect((await machinesIn(world)).filter(isAvailable)).toHaveLength(3);
  expect(await nodesIn(world)).toHaveLength(3);

  await patch(world, MachineDeployment, DEPLOYMENT, { spec: { replicas: 5 } });
  await world.rest(PATIENCE_MS);
  expect((await machinesIn(world)).filter(isAvailable)).toHaveLength(5);

  await createTemplate(world, "large");
  const infrastructureRef = referenceTo(TestMachineTemplate, "large");
  await patch(world, MachineDeployment, DEPLOYMENT, { spec: { template: { spec: { infrastructureRef } } } });
  await world.rest(PATIENCE_MS);
  const infrastructure = await world.run(world.user.list(TestMachine));
  expect(infrastructure.map(({ spec }) => spec?.["size"])).toEqual(Array(5).fill("large"));
  expect(await setsIn(world)).toHaveLength(1);
  expect(await nodesIn(world)).toHaveLength(5);
  expect(await get(world, MachineDeployment, DEPLOYMENT)).toMatchObject({
    status: { phase: "Running", replicas: 5, updatedReplicas: 5, availableReplicas: 5 },
  });

  await remove(world, MachineDeployment, DEPLOYMENT);
  await world.rest(PATIENCE_MS);
  expect(await find(world, MachineDeployment, DEPLOYMENT)).toBeUndefined();
  expect(await machinesIn(world)).toEqual([]);
  expect(await world.run(world.user.list(TestMachine))).toEqual([]);
  expect(await nodesIn(world)).toEqual([]);
});
