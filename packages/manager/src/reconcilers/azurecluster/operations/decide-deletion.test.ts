import { describe, expect, test } from "vitest";
import type { JsonObject } from "@capstan/api";
import { idOf } from "../model/cluster.fixture.ts";
import { decideDeletion, type DeletionScene } from "./decide-deletion.ts";
import { normalizedId } from "@capstan/azure";

const OWNED = { "sigs.k8s.io_cluster-api-provider-azure_cluster_c1": "owned" };
const ours = (path: string, group?: string): JsonObject => ({ id: idOf(path, group), tags: OWNED });
const theirs = (path: string, tags: JsonObject = {}): JsonObject => ({ id: idOf(path), tags });

const ALL = [
  ours("publicIPAddresses/ip"),
  ours("networkSecurityGroups/nsg"),
  ours("routeTables/rt"),
  ours("virtualNetworks/net"),
  ours("loadBalancers/lb"),
];

function deleted(change: Partial<DeletionScene>): string[] {
  const scene = {
    owner: { clusterName: "c1", clusterKey: "default/c1" },
    groupID: idOf(),
    group: { tags: {} },
    resources: ALL,
    networkID: undefined,
  };
  return decideDeletion({ ...scene, ...change }).map(({ resourceID }) =>
    resourceID.split("/").slice(-2).join("/"),
  );
}

describe("deletion", () => {
  test("deletes a resource group that the cluster owns as a whole", () => {
    expect(deleted({ group: { tags: OWNED } })).toEqual(["resourceGroups/c1"]);
    expect(deleted({ group: { tags: OWNED }, resources: [] })).toEqual(["resourceGroups/c1"]);
  });

  test("leaves a cluster of the same name in another namespace alone", () => {
    const tags = { ...OWNED, capstan_cluster: "team-b/c1" };
    expect(deleted({ group: { tags }, resources: [] })).toEqual([]);
    expect(deleted({ resources: ALL.map((one) => ({ ...one, tags })) })).toEqual([]);
    expect(deleted({ group: { tags: { ...OWNED, capstan_cluster: "default/c1" } } })).toEqual([
      "resourceGroups/c1",
    ]);
  });

  test("deletes dependants first in a resource group that the cluster does not own", () => {
    const order: string[][] = [];
    for (let rest = ALL; rest.length > 0;) {
      const names = deleted({ resources: rest });
      order.push(names);
      rest = rest.filter(({ id }) => !names.some((name) => String(id).endsWith(name)));
      if (names.length === 0) break;
    }
    expect(order).toEqual([
      ["loadBalancers/lb"],
      ["virtualNetworks/net"],
      ["networkSecurityGroups/nsg", "routeTables/rt"],
      ["publicIPAddresses/ip"],
    ]);
  });

  test("touches no resource without the tag of this cluster, and none of other controllers", () => {
    const other = { "sigs.k8s.io_cluster-api-provider-azure_cluster_c1-b": "owned" };
    const shared = { "sigs.k8s.io_cluster-api-provider-azure_cluster_c1": "shared" };
    const machines = {
      id: `${idOf()}/providers/Microsoft.Compute/virtualMachineScaleSets/pool`,
      tags: OWNED,
    };
    const resources = [
      theirs("loadBalancers/a", other),
      theirs("loadBalancers/b", shared),
      theirs("loadBalancers/c"),
      machines,
    ];
    expect(deleted({ resources })).toEqual([]);
  });

  test("deletes the cluster's resources in other groups before its own group", () => {
    const group = { tags: OWNED };
    const resources = [
      ours("virtualNetworks/net", "hub"),
      ours("networkSecurityGroups/nsg", "hub"),
      ours("loadBalancers/lb"),
    ];
    expect(deleted({ group, resources })).toEqual(["loadBalancers/lb"]);
    expect(deleted({ group, resources: resources.slice(0, 2) })).toEqual(["virtualNetworks/net"]);
    expect(deleted({ group, resources: [] })).toEqual(["resourceGroups/c1"]);
  });

  test("keeps the cluster's group if a user's network is in it", () => {
    const resources = [theirs("virtualNetworks/net"), ours("loadBalancers/lb")];
    const scene = { group: { tags: OWNED }, networkID: normalizedId(idOf("virtualNetworks/net")) };
    expect(deleted({ ...scene, resources })).toEqual(["loadBalancers/lb"]);
    expect(deleted({ ...scene, resources: resources.slice(0, 1) })).toEqual([]);
  });

  test("is done when no resource exists", () => {
    expect(deleted({ group: undefined, resources: [] })).toEqual([]);
  });
});
