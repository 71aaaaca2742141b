import { expect, test } from "vitest";
import type { DesiredOperation } from "@capstan/azure";
import { capacityAfter } from "./capacity-after.ts";

const resourceID = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachineScaleSets/mp";

test.each<[string, DesiredOperation, number | undefined]>([
  ["a write is what it says", { verb: "PUT", resourceID, body: { sku: { capacity: 7 } } }, 7],
  ["a write of tags alone is not known", { verb: "PATCH", resourceID, body: { tags: {} } }, undefined],
  [
    "a deletion is less by as many",
    { verb: "POST", resourceID, action: "delete", instanceIDs: ["1", "2"] },
    2,
  ],
  ["a new image is as before", { verb: "POST", resourceID, action: "reimage", instanceIDs: ["1", "2"] }, 4],
])("the capacity after %s", (_, desired, expected) => {
  expect(capacityAfter(desired, 4)).toBe(expected);
});
