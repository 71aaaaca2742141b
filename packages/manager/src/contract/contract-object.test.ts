import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addressesOf,
  type ContractObject,
  controlPlaneVersionsOf,
  dataSecretNameOf,
  endpointOf,
  failureDomainOf,
  failureDomainsOf,
  failureOf,
  isInitialized,
  isReady,
  providerIDOf,
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
    [{ ready: false, initialization: { provisioned: true } }, true],
    [{ ready: true, initialization: { provisioned: false } }, false],
    [{ ready: true, initialization: {} }, true],
    [undefined, false],
  ])("with the status %j is %s", (status, expected) => {
    expect(isReady(object({ status }))).toBe(expected);
  });

  test.each([
    [{ initialized: true }, true, false],
    [{ initialized: false }, false, false],
    [{ initialization: { controlPlaneInitialized: true } }, true, false],
    [{ initialized: true, initialization: { controlPlaneInitialized: false } }, false, false],
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
      { b: {}, a: { controlPlane: true, attributes: { rack: "1" } } },
      [{ name: "a", controlPlane: true, attributes: { rack: "1" } }, { name: "b" }],
    ],
    [[{ name: "a", controlPlane: false }, { controlPlane: true }], [{ name: "a", controlPlane: false }]],
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
          controlPlaneVersionsOf,
          failureDomainOf,
          addressesOf,
          providerIDOf,
        ])
          read(any);
      }),
    );
  });
});

/** The same objects as providers of each contract report them. */
const CONTRACTS = [
  {
    contract: "v1beta1",
    cluster: { status: { ready: true, failureDomains: { b: {}, a: { controlPlane: true } } } },
    machine: {
      spec: { providerID: "rocket://1", failureDomain: "a" },
      status: { ready: true, addresses: [{ type: "InternalIP", address: "10.0.0.1" }] },
    },
    pool: { spec: { providerIDList: ["rocket://1"] }, status: { ready: true, replicas: 1 } },
    bootstrap: { status: { ready: true, dataSecretName: "data" } },
    controlPlane: {
      spec: { version: "v1.34.0" },
      status: {
        ready: true,
        initialized: true,
        version: "v1.33.0",
        conditions: [
          { type: "Available", status: "True" },
          { type: "Ready", status: "False", severity: "Info", reason: "Rolling" },
        ],
      },
    },
  },
  {
    contract: "v1beta2",
    cluster: {
      status: {
        initialization: { provisioned: true },
        failureDomains: [{ name: "a", controlPlane: true }, { name: "b" }],
      },
    },
    machine: {
      spec: { providerID: "rocket://1" },
      status: {
        initialization: { provisioned: true },
        failureDomain: "a",
        addresses: [{ type: "InternalIP", address: "10.0.0.1" }],
      },
    },
    pool: {
      spec: { providerIDList: ["rocket://1"] },
      status: { initialization: { provisioned: true }, replicas: 1 },
    },
    bootstrap: { status: { initialization: { dataSecretCreated: true }, dataSecretName: "data" } },
    controlPlane: {
      spec: { version: "v1.34.0" },
      status: {
        initialization: { controlPlaneInitialized: true },
        // Since Cluster API 1.14 the list counts, the oldest version first.
        version: "v1.34.0",
        versions: [
          { version: "v1.33.0", replicas: 2 },
          { version: "v1.34.0", replicas: 1 },
        ],
        conditions: [
          { type: "Available", status: "False", reason: "Rolling", message: "", observedGeneration: 2 },
        ],
      },
    },
  },
];

describe.each(CONTRACTS)("a provider of contract $contract", (given) => {
  const [cluster, machine, pool, bootstrap, controlPlane] = [
    given.cluster,
    given.machine,
    given.pool,
    given.bootstrap,
    given.controlPlane,
  ].map(object) as [ContractObject, ContractObject, ContractObject, ContractObject, ContractObject];

  test("has objects that are ready", () => {
    expect([cluster, machine, pool, bootstrap, controlPlane].map(isReady)).toEqual(Array(5).fill(true));
    expect([cluster, machine, pool, bootstrap, controlPlane].map(saysNothing)).toEqual(Array(5).fill(false));
    expect(isInitialized(controlPlane)).toBe(true);
  });

  test("reports failure domains, machines and bootstrap data", () => {
    expect(failureDomainsOf(cluster)).toEqual([{ name: "a", controlPlane: true }, { name: "b" }]);
    expect([failureDomainOf(machine), providerIDOf(machine)]).toEqual(["a", "rocket://1"]);
    expect(addressesOf(machine)).toEqual([{ type: "InternalIP", address: "10.0.0.1" }]);
    expect([providerIDsOf(pool), replicasOf(pool)]).toEqual([["rocket://1"], 1]);
    expect(dataSecretNameOf(bootstrap)).toBe("data");
  });

  test("reports the oldest version of a control plane, and whether it works", () => {
    expect(controlPlaneVersionsOf(controlPlane)).toEqual({ desired: "v1.34.0", actual: "v1.33.0" });
    expect(readyConditionOf(controlPlane)).toMatchObject({ status: "False", reason: "Rolling" });
    expect(readyConditionOf(cluster)).toBeUndefined();
  });
});

test("a control plane without a list of versions has the one of its status, or none", () => {
  const spec = { version: "v1.34.0" };
  const actual = (status: object) => controlPlaneVersionsOf(object({ spec, status }))?.actual;
  expect(actual({ version: "v1.33.0", versions: [] })).toBe("v1.33.0");
  expect(actual({ version: "v1.33.0", versions: [{ replicas: 1 }] })).toBe("v1.33.0");
  expect(actual({ versions: ["v1.33.0"] })).toBeUndefined();
});

test("infrastructure with a condition Available of its own is not ready because of it", () => {
  const status = {
    initialization: { provisioned: false },
    conditions: [{ type: "Available", status: "True" }],
  };
  expect(readyConditionOf(object({ status }))).toBeUndefined();
});
