import {
  type AsoObject,
  type CustomKind,
  type Frozen,
  ManagedCluster,
  ManagedClustersAgentPool,
  ResourceGroup,
} from "@capstan/api";
import { describe, expect, test } from "vitest";
import { firstDrift } from "./drift.ts";
import { asoResourceType } from "./resource-types.ts";
import { apiVersionOf, armBody, UnresolvedReference } from "./to-arm.ts";

function bodyOf(kind: CustomKind<AsoObject>, spec: object): unknown {
  const object: Frozen<AsoObject> = {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name: "sample", namespace: "default" },
    spec: { ...spec },
  };
  const type = asoResourceType(kind);
  if (!type) throw new Error("the kind is known");
  return armBody(object, type, ({ name }) => (name === "known" ? "/subscriptions/s/known" : undefined));
}

describe("an object becomes the PUT that Azure Service Operator sends", () => {
  test("a cluster, with the lists and maps that are sent although they are unset", () => {
    const pool = { name: "agents", count: 1, vmSize: "Standard_DS2_v2", osType: "Linux", mode: "System" };
    const spec = {
      location: "westeurope",
      owner: { name: "rg" },
      dnsPrefix: "sample",
      agentPoolProfiles: [pool],
      identity: { type: "SystemAssigned" },
    };
    expect(bodyOf(ManagedCluster, spec)).toEqual({
      name: "sample",
      location: "westeurope",
      identity: { delegatedResources: null, type: "SystemAssigned" },
      tags: {},
      properties: {
        addonProfiles: null,
        agentPoolProfiles: [
          {
            ...pool,
            availabilityZones: null,
            nodeLabels: {},
            nodeTaints: [],
            tags: {},
            virtualMachineNodesStatus: null,
          },
        ],
        dnsPrefix: "sample",
        identityProfile: null,
        privateLinkResources: null,
      },
    });
  });

  test("a pool, whose tags are a property", () => {
    expect(bodyOf(ManagedClustersAgentPool, { owner: { name: "c" }, count: 1, tags: { a: "b" } })).toEqual({
      name: "sample",
      properties: {
        availabilityZones: null,
        count: 1,
        nodeLabels: {},
        nodeTaints: [],
        tags: { a: "b" },
        virtualMachineNodesStatus: null,
      },
    });
  });

  test("a resource group, which has no properties", () => {
    expect(bodyOf(ResourceGroup, { azureName: "rg", location: "westus2", tags: { a: "b" } })).toEqual({
      name: "rg",
      location: "westus2",
      tags: { a: "b" },
    });
  });

  test.each<[string, object, object]>([
    [
      "a reference by ARM id",
      { diskEncryptionSetReference: { armId: "/s/x" } },
      { properties: { diskEncryptionSetID: "/s/x" } },
    ],
    [
      "a reference by name",
      { vnetSubnetReference: { group: ManagedCluster.group, kind: "X", name: "known" } },
      { properties: { vnetSubnetID: "/subscriptions/s/known" } },
    ],
    [
      "a reference whose field ends in Id",
      { identityProfile: { k: { resourceReference: { armId: "/s/k" } } } },
      { properties: { identityProfile: { k: { resourceId: "/s/k" } } } },
    ],
    [
      "a reference that is called so",
      { outboundIPs: { publicIPs: [{ reference: { armId: "/s/p" } }] } },
      { properties: { outboundIPs: { publicIPs: [{ id: "/s/p" }] } } },
    ],
    [
      "identities as a map",
      { identity: { type: "UserAssigned", userAssignedIdentities: [{ reference: { armId: "/s/i" } }] } },
      { identity: { userAssignedIdentities: { "/s/i": {} } } },
    ],
  ])("%s", (_, spec, expected) => {
    expect(bodyOf(ManagedCluster, spec)).toMatchObject(expected);
  });

  test("a reference that leads nowhere yet is an error that names it", () => {
    const spec = { vnetSubnetReference: { group: "g", kind: "Subnet", name: "missing" } };
    expect(() => bodyOf(ManagedCluster, spec)).toThrow(UnresolvedReference);
  });

  test.each([
    ["v1api20250801", "2025-08-01"],
    ["v20251002preview", "2025-10-02-preview"],
  ])("%s is the api-version %s", (version, expected) => {
    expect(apiVersionOf(version)).toBe(expected);
  });
});

test.each<[string, unknown, unknown, string | undefined]>([
  ["fields that only Azure has", { a: 1 }, { a: 1, b: 2 }, undefined],
  ["null and empty maps", { a: null, b: {}, c: [] }, {}, undefined],
  ["another value", { a: { b: 1 } }, { a: { b: 2 } }, "a.b"],
  ["a missing field", { a: { b: 1 } }, {}, "a"],
  ["the case of an ARM id", { a: "/subscriptions/S/x" }, { a: "/subscriptions/s/X" }, undefined],
  [
    "the order of named items",
    { a: [{ name: "x", v: 1 }, { name: "y" }] },
    { a: [{ name: "y" }, { name: "x", v: 1 }] },
    undefined,
  ],
  ["a list of another length", { a: [1] }, { a: [1, 2] }, "a"],
])("drift: %s", (_, desired, actual, expected) => {
  expect(firstDrift(desired, actual)).toBe(expected);
});
