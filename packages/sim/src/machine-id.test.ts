import { expect, test } from "vitest";
import { instanceMachineId, machineIdIn, machineLabel, scaleSetOf } from "./machine-id.ts";

const COMPUTE = "/subscriptions/S/resourceGroups/G/providers/Microsoft.Compute";
const SET = `${COMPUTE}/virtualMachineScaleSets/Pool`;

test.each([
  [instanceMachineId(SET, 7), SET.toLowerCase(), "pool/7"],
  [`${COMPUTE}/virtualMachines/Control-0`.toLowerCase(), undefined, "control-0"],
  ["/subscriptions/s", undefined, "s"],
])("the machine %s is an instance of %s and called %s", (machineId, scaleSet, label) => {
  expect([scaleSetOf(machineId), machineLabel(machineId)]).toEqual([scaleSet, label]);
});

test.each([
  [`azure://${SET}/virtualMachines/7`, instanceMachineId(SET, "7")],
  ["aws:///eu-west-1a/i-0", undefined],
  [undefined, undefined],
])("the provider id %s names the machine %s", (providerID, machineId) => {
  expect(machineIdIn(providerID)).toBe(machineId);
});
