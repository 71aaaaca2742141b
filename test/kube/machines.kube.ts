import { Machine, MachineDeployment, MachineSet, Node } from "@capstan/api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestMachine } from "../world/kit/test-provider.ts";
import { eventually } from "./management.ts";
import { createDeployment, DEPLOYMENT, startTestMachines, type TestMachines } from "./test-machines.ts";

const QUICK = { vmMs: 200, nodeMs: 100, deletionMs: 100 };

let machines: TestMachines;

beforeAll(async () => {
  machines = await startTestMachines(QUICK);
});
afterAll(() => machines.stop());

/** Waits until so many machines of a version are available, and no other is left. */
async function settled(replicas: number, version: string): Promise<readonly string[]> {
  const { client } = machines;
  await eventually(async () => {
    const { status } = await client.get(MachineDeployment, DEPLOYMENT);
    expect(status).toMatchObject({ replicas, availableReplicas: replicas, upToDateReplicas: replicas });
    const all = await client.list(Machine);
    expect(all.map(({ spec }) => spec.version)).toEqual(Array.from({ length: replicas }, () => version));
  });
  return (await client.list(Machine)).map(({ metadata }) => metadata.name).toSorted();
}

describe("a MachineDeployment on a real kube-apiserver, with machines of another provider", () => {
  test("comes up: each machine has a Node", async () => {
    await createDeployment(machines.client, 3, 1);
    const names = await settled(3, "v1.33.5");
    expect((await machines.workload.list(Node)).map(({ metadata }) => metadata.name).toSorted()).toEqual(
      names,
    );
  });

  test("rolls to another version, and the machines of the old one are gone with their Nodes", async () => {
    const { client, workload } = machines;
    const body = { spec: { template: { spec: { version: "v1.33.6" } } } };
    await client.patch(MachineDeployment, DEPLOYMENT, { type: "merge", body });
    const names = await settled(3, "v1.33.6");
    expect((await workload.list(Node)).map(({ metadata }) => metadata.name).toSorted()).toEqual(names);
  });

  test("goes, and leaves nothing", async () => {
    const { client, workload } = machines;
    await client.delete(MachineDeployment, DEPLOYMENT, {});
    await eventually(async () => {
      for (const kind of [MachineDeployment, MachineSet, Machine, TestMachine])
        expect(await client.list(kind)).toEqual([]);
      expect(await workload.list(Node)).toEqual([]);
    });
  });
});
