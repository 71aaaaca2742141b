import type { Operation } from "@capstan/api";
import { expect, test } from "vitest";
import { operationIn, operationState, withOperationStates } from "./states.ts";

const RECORD: Operation = {
  verb: "PUT",
  resourceID: "/subscriptions/s/resourceGroups/demo/providers/Microsoft.Compute/virtualMachines/one",
  startedAt: "2026-01-01T00:00:00Z",
};

test("a running operation has CAPZ's fields, and leads back to its record", () => {
  const state = operationState(RECORD);
  expect(state).toMatchObject({
    type: "PUT",
    resourceGroup: "demo",
    serviceName: "virtualMachines",
    name: "one",
  });
  expect(operationIn(state)).toEqual(RECORD);
});

test.each(["", "e30=", "bm90IGpzb24="])("data %j of another client leads to no record", (data) => {
  expect(operationIn({ type: "PUT", serviceName: "x", name: "y", data })).toBeUndefined();
});

test("the states of a status follow its operations, and go with the last one", () => {
  const running = withOperationStates({ operation: RECORD, instanceOperations: [RECORD] });
  expect(running.longRunningOperationStates).toHaveLength(2);
  const { operation: _, instanceOperations: __, ...ended } = running;
  expect(withOperationStates(ended)).toEqual({});
});
