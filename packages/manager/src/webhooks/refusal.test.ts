import { AzureCluster, invalid, required } from "@capstan/api";
import { expect, test } from "vitest";
import { invalidObject } from "./refusal.ts";

const missing = required("spec.location", "a region such as westeurope");
const wrong = invalid("spec.subscriptionID", "x", "must be a GUID");

test("one error stands alone, several stand in brackets, and duplicates appear once", () => {
  const message = (...errors: (typeof missing)[]): string =>
    invalidObject(AzureCluster, "c1", errors).message;
  const start = 'AzureCluster.infrastructure.cluster.x-k8s.io "c1" is invalid:';
  const [first, second] = [
    "spec.location: Required value: a region such as westeurope",
    'spec.subscriptionID: Invalid value: "x": must be a GUID',
  ];
  expect(message(missing)).toBe(`${start} ${first}`);
  expect(message(missing, wrong)).toBe(`${start} [${first}, ${second}]`);
  expect(message(missing, missing)).toBe(`${start} ${first}`);
});

test("each error is a cause with its field", () => {
  expect(invalidObject(AzureCluster, "", [wrong]).details).toEqual({
    group: "infrastructure.cluster.x-k8s.io",
    kind: "AzureCluster",
    causes: [
      {
        reason: "FieldValueInvalid",
        field: "spec.subscriptionID",
        message: 'Invalid value: "x": must be a GUID',
      },
    ],
  });
});
