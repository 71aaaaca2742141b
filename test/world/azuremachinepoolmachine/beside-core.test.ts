import {
  AzureMachinePool,
  AzureMachinePoolMachine,
  controllerReferenceTo,
  type Frozen,
  Machine,
  type OwnerReference,
  ownerReferenceTo,
} from "@capstan/api";
import { machine as machineOf } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { type MachineWorld, machineWorld, NAMESPACE, POOL } from "./machine-world.ts";

const MINUTE_MS = 60_000;
const FINALIZER = "machine.cluster.x-k8s.io";

const placeOf = (instanceID: string) => ({ name: `${POOL}-${instanceID}`, namespace: NAMESPACE });

async function setOwners(
  { world, user }: MachineWorld,
  id: string,
  ownerReferences: readonly OwnerReference[],
): Promise<void> {
  const body = { metadata: { ownerReferences } };
  await world.run(user.patch(AzureMachinePoolMachine, placeOf(id), { type: "merge", body }));
}

/** A Machine that Cluster API's core has made for a machine, and that controls it. */
async function machineFor(machines: MachineWorld, id: string): Promise<Frozen<Machine>> {
  const { world, user } = machines;
  const metadata = { ...placeOf(id), finalizers: [FINALIZER] };
  const made = await world.run(user.create(Machine, machineOf({ metadata })));
  const { ownerReferences = [] } = (await machines.machine(id)).metadata;
  await setOwners(machines, id, [...ownerReferences, controllerReferenceTo(made)]);
  return made;
}

const deletions = (machines: MachineWorld): readonly string[] =>
  machines.writes().filter((write) => write.startsWith("delete"));

describe("a machine that a Machine of another core controls", () => {
  test("is drained and its Node removed before its Machine is deleted, once", async () => {
    const machines = await machineWorld();
    await machineFor(machines, "0");
    await machines.delete("0");
    await machines.until(async () => (await machines.find("0")) === undefined, 30 * MINUTE_MS);
    const left = await machines.world.run(machines.user.find(Machine, placeOf("0")));
    expect(left?.metadata.deletionTimestamp).toBeDefined();
    expect(deletions(machines)).toEqual(["delete nodes", "delete machines"]);
  });

  test("leaves a Machine alone that is being deleted, or that is another one of that name", async () => {
    const machines = await machineWorld();
    const { world, user } = machines;
    await machineFor(machines, "0");
    await world.run(user.delete(Machine, placeOf("0")));
    const owner = controllerReferenceTo(await machineFor(machines, "1"));
    const { ownerReferences = [] } = (await machines.machine("1")).metadata;
    const others = ownerReferences.filter(({ uid }) => uid !== owner.uid);
    await setOwners(machines, "1", [...others, { ...owner, uid: "another" }]);
    for (const id of ["0", "1"]) await machines.delete(id);
    await machines.until(async () => (await machines.machines()).length === 0, 30 * MINUTE_MS);
    expect(deletions(machines)).toEqual(["delete nodes", "delete nodes"]);
  });
});

test("a machine of an earlier release gives up its pool as its controller, and keeps its other owners", async () => {
  const machines = await machineWorld();
  const { world, user } = machines;
  const pool = await world.run(user.get(AzureMachinePool, { name: POOL, namespace: NAMESPACE }));
  const other = ownerReferenceTo(
    await world.run(user.create(Machine, machineOf({ metadata: placeOf("0") }))),
  );
  await setOwners(machines, "0", [other, controllerReferenceTo(pool)]);
  await machines.live(MINUTE_MS);
  const { ownerReferences = [] } = (await machines.machine("0")).metadata;
  expect(ownerReferences).toHaveLength(2);
  expect(ownerReferences).toContainEqual(other);
  expect(ownerReferences.filter(({ controller }) => controller === true)).toEqual([]);
});
