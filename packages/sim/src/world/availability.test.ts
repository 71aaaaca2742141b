import type { Frozen, Node } from "@capstan/api";
import { expect, test } from "vitest";
import { instanceMachineId } from "../machine-id.ts";
import { Availability, type MachineFacts } from "./availability.ts";

const COMPUTE = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute";
const SET = `${COMPUTE}/virtualMachineScaleSets/Pool`;
const INSTANCE = instanceMachineId(SET, 0);
const VM = `${COMPUTE}/virtualMachines/control-0`.toLowerCase();

const READY: Frozen<Node> = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n" },
  status: { conditions: [{ type: "Ready", status: "True" }] },
};

const instance = (isRunning: boolean, atMs: number): MachineFacts => ({
  isRunning,
  node: READY,
  setKey: SET.toLowerCase(),
  set: { id: SET, capacity: 1 },
  atMs,
});

test("an instance counts in its scale set, and its loss without a cordon is recorded", () => {
  const availability = new Availability();
  availability.note(INSTANCE, instance(true, 5));
  expect(availability.sinceMs(INSTANCE)).toBe(5);
  availability.note(INSTANCE, instance(false, 7));
  expect(availability.sinceMs(INSTANCE)).toBeUndefined();
  expect(availability.pools()).toEqual([
    {
      name: "Pool",
      scaleSetId: SET,
      available: 0,
      lowest: { available: 0, of: 1, atMs: 7 },
      lossMs: 7,
    },
  ]);
});

test("a machine outside scale sets has an availability and no pool", () => {
  const availability = new Availability();
  availability.note(VM, { isRunning: true, node: READY, setKey: undefined, set: undefined, atMs: 3 });
  expect([availability.sinceMs(VM), availability.pools()]).toEqual([3, []]);
});
