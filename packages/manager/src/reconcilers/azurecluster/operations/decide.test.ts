import { describe, expect, test } from "vitest";
import type { JsonObject } from "@capstan/api";
import { idOf, planOf } from "../model/cluster.fixture.ts";
import { decide, type Decision, type Scene, type ObservedResource } from "./decide.ts";
import { normalizedId } from "@capstan/azure";
import { ownerOf } from "../../../azure-cluster/spec-view.ts";
import { applied } from "../model/last-applied.ts";
import type { DesiredResource } from "../model/resource.ts";
import { desiredResources } from "../model/resources.ts";

const plan = planOf({ additionalTags: { team: "a" } });
const desired = desiredResources(plan);
const NETWORK = idOf("virtualNetworks/c1-vnet");
const RULES = idOf("networkSecurityGroups/c1-controlplane-nsg");
const BALANCER = idOf("loadBalancers/c1-public-lb");

/** A resource as Azure shows it after a write of the desired state. */
function written({ body, atCreation }: DesiredResource, change: JsonObject = {}): ObservedResource {
  const properties = { ...(body["properties"] as object), provisioningState: "Succeeded" };
  return { body: { id: "x", etag: "e", ...atCreation, ...body, properties, ...change }, etag: "e" };
}

const everything = (change: Readonly<Record<string, ObservedResource>> = {}): Map<string, ObservedResource> =>
  new Map([
    ...desired.map((resource) => [normalizedId(resource.id), written(resource)] as const),
    ...Object.entries(change).map(([id, observed]) => [normalizedId(id), observed] as const),
  ]);

const resourceAt = (id: string): DesiredResource => {
  const resource = desired.find((one) => one.id === id);
  if (!resource) throw new Error(id);
  return resource;
};

function decided(change: Partial<Scene>): readonly Decision[] {
  return decide({
    owner: ownerOf(plan),
    desired,
    seen: everything(),
    lastApplied: applied(plan),
    underWay: new Set(),
    refused: new Map(),
    networkID: normalizedId(NETWORK),
    ...change,
  });
}

const about = (id: string, change: Partial<Scene>): Decision | undefined =>
  decided(change).find(({ resource }) => resource.id === id);
const inShort = (decisions: readonly Decision[]): string[] =>
  decisions.map(({ do: what, resource }) => `${what} ${resource.id.split("/").at(-1)}`);

describe("of a cluster without any resource", () => {
  test("the group comes first, and everything else waits for it", () => {
    const decisions = decided({ seen: new Map(desired.map(({ id }) => [normalizedId(id), {}])) });
    expect(inShort(decisions).filter((line) => !line.startsWith("wait"))).toEqual(["put c1"]);
    expect(decisions[1]?.why).toBe("it needs resourceGroups/c1 first");
  });

  test("independent resources are written together", () => {
    const seen = new Map(desired.map(({ id }) => [normalizedId(id), {}] as [string, ObservedResource]));
    seen.set(normalizedId(idOf()), written(resourceAt(idOf())));
    expect(inShort(decided({ seen })).filter((line) => line.startsWith("put"))).toEqual([
      "put pip-c1-apiserver",
      "put pip-c1-node-natgw",
      "put c1-controlplane-nsg",
      "put c1-node-nsg",
      "put c1-node-routetable",
    ]);
  });

  test("the first write contains the immutable fields", () => {
    const seen = everything({ [NETWORK]: {} });
    expect(about(NETWORK, { seen })).toMatchObject({
      do: "put",
      isNew: true,
      body: { location: "westeurope" },
    });
  });
});

test("a cluster of the same name in another namespace adopts none of the resources, and names their owner", () => {
  const owner = { clusterName: "c1", clusterKey: "team-b/c1" };
  const [group, ...others] = decided({ owner });
  expect(group).toMatchObject({ do: "refuse", reason: "ResourceNotOwned" });
  expect(group?.why).toContain("belongs to the cluster default/c1");
  expect(others.filter(({ do: what }) => what === "put" || what === "patchTags")).toEqual([]);
});

describe("of a cluster with all resources", () => {
  test("nothing is done", () => {
    expect(new Set(decided({}).map(({ do: what }) => what))).toEqual(new Set(["keep"]));
  });

  test.each<[string, JsonObject, Partial<Decision>]>([
    ["that failed is written again", { properties: { provisioningState: "Failed" } }, { do: "put" }],
    ["without the cluster's tag is not touched", { tags: { team: "b" } }, { do: "refuse" }],
    ["that another client deletes waits", { properties: { provisioningState: "Deleting" } }, { do: "wait" }],
  ])("a resource %s", (_, change, expected) => {
    expect(about(RULES, { seen: everything({ [RULES]: written(resourceAt(RULES), change) }) })).toMatchObject(
      expected,
    );
  });

  test("another client may change a resource that matches the spec", () => {
    const { body = {} } = written(resourceAt(BALANCER));
    const updating = {
      ...body,
      properties: { ...(body["properties"] as object), provisioningState: "Updating" },
    };
    expect(about(BALANCER, { seen: everything({ [BALANCER]: { body: updating } }) })).toMatchObject({
      do: "keep",
    });
    const broken = { ...updating, properties: { provisioningState: "Updating" } };
    expect(about(BALANCER, { seen: everything({ [BALANCER]: { body: broken } }) })).toMatchObject({
      do: "wait",
    });
  });

  test("only tags are patched, and those of other clients stay", () => {
    const { tags } = resourceAt(RULES).body;
    const observed = written(resourceAt(RULES), { tags: { ...(tags as object), team: "b", theirs: "x" } });
    expect(about(RULES, { seen: everything({ [RULES]: observed }) })).toMatchObject({
      do: "patchTags",
      tags: { ...(tags as object), team: "a", theirs: "x" },
      etag: "e",
    });
  });

  test("a rule that was removed from the spec is deleted, and one that was never in it stays", () => {
    const { body = {} } = written(resourceAt(RULES));
    const { securityRules } = body["properties"] as { securityRules: unknown[] };
    const more = [...securityRules, { name: "old" }, { name: "theirs" }];
    const seen = everything({ [RULES]: { body: { ...body, properties: { securityRules: more } } } });
    const lastApplied = { ...applied(plan), rules: { "c1-controlplane-nsg": { old: "", allow_ssh: "" } } };
    const decision = about(RULES, { seen, lastApplied });
    expect(decision).toMatchObject({ do: "put", isNew: false });
    expect(decision).toMatchObject({
      body: {
        properties: {
          securityRules: [{ name: "allow_ssh" }, { name: "allow_apiserver" }, { name: "theirs" }],
        },
      },
    });
  });

  test("a subnet is equal in both notations of its range", () => {
    const { body = {} } = written(resourceAt(NETWORK));
    const properties = body["properties"] as { subnets: { name: string; properties: JsonObject }[] };
    const subnets = properties.subnets.map(({ name, properties: { addressPrefix, ...rest } }) => ({
      name,
      properties: { ...rest, addressPrefixes: [addressPrefix] },
    }));
    const seen = everything({ [NETWORK]: { body: { ...body, properties: { ...properties, subnets } } } });
    expect(about(NETWORK, { seen })).toMatchObject({ do: "keep" });
  });

  test("a resource with a running or refused operation is not written", () => {
    const id = normalizedId(BALANCER);
    const seen = everything({ [BALANCER]: {} });
    expect(about(BALANCER, { seen, underWay: new Set([id]) })).toMatchObject({ do: "wait" });
    expect(about(BALANCER, { seen, refused: new Map([[id, "no"]]) })).toMatchObject({
      do: "refuse",
      why: "no",
    });
  });
});

describe("of resources that the cluster does not own", () => {
  const foreign = (resource: DesiredResource): ObservedResource =>
    written(resource, { tags: { theirs: "yes" } });

  test("a network is used with its own parts", () => {
    const seen = everything({ [NETWORK]: foreign(resourceAt(NETWORK)), [RULES]: {} });
    const decisions = decided({ seen });
    expect(new Set(decisions.map(({ do: what }) => what))).toEqual(new Set(["keep"]));
    expect(decisions.find(({ resource }) => resource.id === RULES)).toMatchObject({ isForeign: true });
  });

  test("a group is used, an address too, and a load balancer is not", () => {
    const address = idOf("publicIPAddresses/pip-c1-apiserver");
    for (const id of [idOf(), address]) {
      expect(about(id, { seen: everything({ [id]: foreign(resourceAt(id)) }) }), id).toMatchObject({
        do: "keep",
        isForeign: true,
      });
    }
    expect(
      about(BALANCER, { seen: everything({ [BALANCER]: foreign(resourceAt(BALANCER)) }) }),
    ).toMatchObject({
      do: "refuse",
      reason: "ResourceNotOwned",
    });
  });

  test("the tag of a cluster with the same name prefix does not count as ownership", () => {
    const tags = { "sigs.k8s.io_cluster-api-provider-azure_cluster_c1-b": "owned" };
    const seen = everything({ [BALANCER]: written(resourceAt(BALANCER), { tags }) });
    expect(about(BALANCER, { seen })).toMatchObject({ do: "refuse" });
  });
});
