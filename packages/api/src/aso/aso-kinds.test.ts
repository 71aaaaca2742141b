import { describe, expect, test } from "vitest";
import { withDefaults } from "../admission.ts";
import { ManagedCluster, ManagedClustersAgentPool } from "./managed-cluster.ts";
import { ResourceGroup } from "./resource-group.ts";
import { VirtualNetwork, VirtualNetworksSubnet } from "./virtual-network.ts";

const KINDS = [
  ResourceGroup,
  VirtualNetwork,
  VirtualNetworksSubnet,
  ManagedCluster,
  ManagedClustersAgentPool,
];

describe("kinds of Azure Service Operator", () => {
  test("have its names", () => {
    expect(KINDS.map((kind) => [kind.apiVersion, kind.plural, ...kind.categories])).toEqual([
      ["resources.azure.com/v1api20200601", "resourcegroups", "azure", "resources"],
      ["network.azure.com/v1api20201101", "virtualnetworks", "azure", "network"],
      ["network.azure.com/v1api20201101", "virtualnetworkssubnets", "azure", "network"],
      ["containerservice.azure.com/v1api20231001", "managedclusters", "azure", "containerservice"],
      ["containerservice.azure.com/v1api20231001", "managedclustersagentpools", "azure", "containerservice"],
    ]);
  });

  test.each(KINDS)("show whether $kind is ready, and why not", ({ columns }) => {
    expect(columns.map((column) => column.name)).toEqual(["Ready", "Severity", "Reason", "Message"]);
  });

  test("are served in the versions that manifests carry", () => {
    expect(ManagedCluster.alsoServed).toEqual(expect.arrayContaining(["v1api20240901", "v1api20250801"]));
  });

  test("name the Azure resource after the object, and keep everything else", () => {
    const group: ResourceGroup = {
      apiVersion: ResourceGroup.apiVersion,
      kind: ResourceGroup.kind,
      metadata: { name: "rg", namespace: "default" },
      spec: { location: "westeurope", tags: { a: "b" } },
    };
    expect(withDefaults(ResourceGroup, group).spec).toEqual({
      location: "westeurope",
      tags: { a: "b" },
      azureName: "rg",
    });
    expect(withDefaults(ResourceGroup, { ...group, spec: { azureName: "Other" } }).spec.azureName).toBe(
      "Other",
    );
  });
});
