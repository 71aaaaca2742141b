import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ContractObject,
  dataSecretNameOf,
  endpointOf,
  failureDomainsOf,
  failureOf,
  isInitialized,
  isReady,
  providerIDsOf,
  readyConditionOf,
  replicasOf,
  saysNothing,
} from "./contract-object.ts";

const object = (parts: { spec?: unknown; status?: unknown }): ContractObject => ({
  apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
  kind: "RocketCluster",
  metadata: { name: "demo", namespace: "default" },
  ...parts,
});

describe("ready", () => {
  test.each([
    [{ ready: true }, true],
    [{ ready: false }, false],
    [{ ready: "true" }, false],
    [{ initialization: { provisioned: true } }, true],
    [{ initialization: { dataSecretCreated: true } }, true],
    [{ initialization: { controlPlaneInitialized: true } }, true],
    [{ initialization: { provisioned: false } }, false],
    [undefined, false],
  ])("with the status %j is %s", (status, expected) => {
    expect(isReady(object({ status }))).toBe(expected);
  });

  test.each([
    [{ initialized: true }, true, false],
    [{ initialized: false }, false, false],
    [{ initialization: { controlPlaneInitialized: true } }, true, false],
    [{ conditions: [] }, false, true],
    [undefined, false, true],
  ])(
    "a control plane with the status %j is initialized: %s, has no status: %s",
    (status, initialized, nothing) => {
      expect(isInitialized(object({ status }))).toBe(initialized);
      expect(saysNothing(object({ status }))).toBe(nothing);
    },
  );
});

describe("the contract fields of an object", () => {
  test.each([
    [
      { host: "h", port: 6443 },
      { host: "h", port: 6443 },
    ],
    [{ host: "", port: 0 }, undefined],
    [{ host: "h" }, undefined],
    [undefined, undefined],
  ])("the endpoint %j is %j", (controlPlaneEndpoint, expected) => {
    expect(endpointOf(object({ spec: { controlPlaneEndpoint } }))).toEqual(expected);
  });

  test.each([
    [
      { a: { controlPlane: true, attributes: { rack: "1" } }, b: {} },
      { a: { controlPlane: true, attributes: { rack: "1" } }, b: {} },
    ],
    [[{ name: "a", controlPlane: false }, { controlPlane: true }], { a: { controlPlane: false } }],
    [{}, undefined],
    ["a", undefined],
  ])("the failure domains %j are %j", (failureDomains, expected) => {
    expect(failureDomainsOf(object({ status: { failureDomains } }))).toEqual(expected);
  });

  test("failures, replicas, machines, bootstrap data and conditions are read from their fields", () => {
    const failed = object({ status: { failureReason: "Sunk", failureMessage: "deep" } });
    expect(failureOf(failed)).toEqual({ reason: "Sunk", message: "deep" });
    expect(failureOf(object({ status: { failureMessage: "deep" } }))).toEqual({
      reason: "Failed",
      message: "deep",
    });
    expect(failureOf(object({}))).toBeUndefined();
    expect(replicasOf(object({ status: { replicas: 3 } }))).toBe(3);
    expect(providerIDsOf(object({ spec: { providerIDList: ["a", 1, "", "b"] } }))).toEqual(["a", "b"]);
    expect(dataSecretNameOf(object({ status: { dataSecretName: "x" } }))).toBe("x");
    const ready = { type: "Ready", status: "True" };
    expect(
      readyConditionOf(object({ status: { conditions: [{ type: "Ready", status: "?" }, ready] } })),
    ).toEqual(ready);
  });

  test("may have any type without an exception", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (spec, status) => {
        const any = object({ spec, status });
        for (const read of [
          isReady,
          isInitialized,
          saysNothing,
          endpointOf,
          failureDomainsOf,
          failureOf,
          replicasOf,
          providerIDsOf,
          dataSecretNameOf,
          readyConditionOf,
        ])
          read(any);
      }),
    );
  });
});
