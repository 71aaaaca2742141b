import { AzureCluster, withDefaults } from "@capstan/api";
import { azureCluster, type Overrides } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { annotate, refuseInvalid, refuseUnsupported } from "./prepare.ts";
import type { Scope } from "./scope.ts";

/** A pass over a cluster whose spec was changed after admission had completed it. */
function pass(change: (spec: AzureCluster["spec"]) => void, status: Overrides<AzureCluster["status"]> = {}) {
  const cluster = withDefaults(AzureCluster, azureCluster({ metadata: { name: "c1" }, status }));
  change(cluster.spec);
  const conditions: string[] = [];
  const setCondition: Scope["context"]["setCondition"] = ({ type, reason }) =>
    void conditions.push(`${type} ${reason}`);
  return { scope: { cluster, context: { setCondition } } as unknown as Scope, conditions };
}

describe("an invalid spec that bypassed admission", () => {
  test("is refused with field and value before any resource is created", () => {
    const { scope, conditions } = pass((spec) => {
      if (spec.networkSpec?.vnet) spec.networkSpec.vnet.cidrBlocks = ["10.0.0.0"];
    });
    expect(() => refuseInvalid(scope)).toThrow(
      /^spec\.networkSpec\.vnet\.cidrBlocks\[0\]: Invalid value: "10\.0\.0\.0"/,
    );
    expect(conditions).toEqual(["NetworkInfrastructureReady InvalidSpec"]);
  });

  test("is accepted once the cluster is built, because validation may have become stricter", () => {
    const { scope } = pass((spec) => (spec.location = ""), { ready: true });
    expect(refuseInvalid(scope)).toEqual({ type: "next" });
  });

  test("may do without an identity", () => {
    const { scope } = pass((spec) => delete spec.identityRef);
    expect(refuseInvalid(scope)).toEqual({ type: "next" });
  });
});

test.each<[string, string, (spec: AzureCluster["spec"]) => void]>([
  ["BastionHostReady", "spec.bastionSpec.azureBastion", (spec) => (spec.bastionSpec = { azureBastion: {} })],
  [
    "PrivateDNSReady",
    "spec.networkSpec.privateDNSZoneName",
    ({ networkSpec = {} }) => (networkSpec.privateDNSZoneName = "a.example"),
  ],
  [
    "PrivateEndpointsReady",
    "spec.networkSpec.subnets[1].privateEndpoints",
    ({ networkSpec }) =>
      Object.assign(networkSpec?.subnets?.[1] ?? {}, { privateEndpoints: [{ name: "e" }] }),
  ],
])("an unsupported field is refused: %s", (condition, field, change) => {
  const { scope, conditions } = pass(change);
  expect(() => refuseUnsupported(scope)).toThrow(field);
  expect(conditions).toEqual([`${condition} NotSupported`, "NetworkInfrastructureReady NotSupported"]);
});

test("annotations of other clients stay when Capstan's are removed", () => {
  const cluster = azureCluster({ metadata: { annotations: { theirs: "1", ours: "2" } } });
  annotate(cluster, { ours: undefined });
  expect(cluster.metadata.annotations).toEqual({ theirs: "1" });
  annotate(cluster, { theirs: undefined });
  expect(cluster.metadata).not.toHaveProperty("annotations");
});
