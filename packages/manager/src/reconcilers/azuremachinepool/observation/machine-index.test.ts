import type { AzureMachinePoolMachine, Frozen } from "@capstan/api";
import fc from "fast-check";
import { expect, test } from "vitest";
import { instanceOf, machineOf } from "../../../pools/machine.fixture.ts";
import { MACHINE_POOL_LABEL } from "../../../pools/well-known.ts";
import { claim, type IndexedMachine, MachineIndex, unclaimed } from "./machine-index.ts";

type Machine = Frozen<AzureMachinePoolMachine>;

const SET = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachineScaleSets/pool";

function numbered(number: number): Machine {
  const providerID = `azure://${SET}/virtualMachines/${number}`;
  const labels = { [MACHINE_POOL_LABEL]: "pool" };
  return machineOf({ metadata: { name: `pool-${number}`, labels }, spec: { providerID } });
}

function instanceNumbered(number: number): ReturnType<typeof instanceOf> {
  const resourceID = `${SET}/virtualMachines/${number}`;
  return { ...instanceOf(), instanceID: String(number), resourceID, providerID: `azure://${resourceID}` };
}

function only(machineIndex: readonly IndexedMachine[]): IndexedMachine {
  const [join] = machineIndex;
  if (!join || machineIndex.length > 1) throw new Error(`there are ${machineIndex.length} joins`);
  return join;
}

test("joins are those of the machines given, in their order, and the same as long as a machine is", () => {
  const change = fc.record({ at: fc.nat(7), what: fc.constantFrom("add", "remove", "replace", "swap") });
  fc.assert(
    fc.property(fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 12 }), (passes) => {
      const machineIndex = new MachineIndex();
      const known = new Map<Machine, IndexedMachine>();
      const machines: Machine[] = [];
      let next = 0;
      for (const changes of passes) {
        for (const { at, what } of changes) {
          const there = machines[at];
          if (what === "add" || !there) machines.splice(at, 0, numbered(next++));
          else if (what === "remove") machines.splice(at, 1);
          else if (what === "replace") machines[at] = { ...there };
          else machines.push(...machines.splice(at, 1));
        }
        const joined = machineIndex.of([...machines]);
        expect(joined.map(({ machine }) => machine)).toEqual(machines);
        for (const join of joined) {
          expect(known.get(join.machine) ?? join).toBe(join);
          known.set(join.machine, join);
        }
      }
    }),
  );
});

test("each resource has its instance by the newest list, and the other instances have none", () => {
  const machineIndex = new MachineIndex();
  const machines = [numbered(1), numbered(2)];
  const before = [instanceNumbered(1), instanceNumbered(2), instanceNumbered(3)];
  const claimed = claim(machineIndex.of(machines), before);
  expect(claimed.map(({ instance }) => instance)).toEqual([before[0], before[1]]);
  expect(unclaimed(claimed, before).map(([, instance]) => instance)).toEqual([before[2]]);
  const after = [instanceNumbered(2)];
  const left = claim(machineIndex.of(machines), after);
  expect(left.map(({ instance }) => instance)).toEqual([undefined, after[0]]);
  expect(unclaimed(left, after)).toEqual([]);
});

test("a resource made by hand gets no instance that another stands for, and loses it when that one comes", () => {
  const machineIndex = new MachineIndex();
  const handMade: Machine = { ...numbered(1), metadata: { ...numbered(1).metadata, name: "mine" } };
  const instances = [instanceNumbered(1)];
  expect(only(claim(machineIndex.of([handMade]), instances)).instance).toBe(instances[0]);
  const both = claim(machineIndex.of([handMade, numbered(1)]), instances);
  expect(both.map(({ machine, instance }) => [machine.metadata.name, instance?.instanceID])).toEqual([
    ["pool-1", "1"],
    ["mine", undefined],
  ]);
  expect(only(claim(machineIndex.of([handMade]), instances)).instance).toBe(instances[0]);
});
