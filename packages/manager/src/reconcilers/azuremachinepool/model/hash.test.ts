import {
  AzureCluster,
  AzureMachinePool,
  type AzureMachinePool as Pool,
  type MachinePool,
  withDefaults,
} from "@capstan/api";
import {
  azureCluster,
  azureMachinePool,
  machinePool,
  type Overrides,
} from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { currentName, desiredHashOf, type HashFunction } from "./hash.ts";
import type { ModelFacts } from "./model.ts";

function facts(pool: Overrides<Pool> = {}, owner: Overrides<MachinePool> = {}): ModelFacts {
  return {
    pool: withDefaults(AzureMachinePool, azureMachinePool(pool)),
    machinePool: machinePool(owner),
    azureCluster: withDefaults(AzureCluster, azureCluster()),
    clusterName: "cluster",
    subscriptionID: "00000000-0000-0000-0000-000000000000",
  };
}

const hashOf = (pool: Overrides<Pool>, owner: Overrides<MachinePool> = {}): string =>
  desiredHashOf(facts(pool, owner)).hash;

const template = (change: Overrides<Pool["spec"]["template"]>) => ({ spec: { template: change } });

describe("the hash of a model", () => {
  test("stays what it is from release to release: machines bear it, and another one would replace them all", () => {
    expect(hashOf({})).toBe("v1-ba112981c033a8296a4cc4771fe7a322");
  });

  test.each<[string, Overrides<Pool>, Overrides<MachinePool>]>([
    ["the size", template({ vmSize: "Standard_D4s_v3" }), {}],
    ["the image", template({ image: { id: "/images/1" } }), {}],
    ["a disk", template({ dataDisks: [{ nameSuffix: "etcd", diskSizeGB: 8, lun: 0 }] }), {}],
    [
      "an identity",
      { spec: { identity: "UserAssigned", userAssignedIdentities: [{ providerID: "/id" }] } },
      {},
    ],
    ["the zones", {}, { spec: { failureDomains: ["1", "2"] } }],
    ["the version", {}, { spec: { template: { spec: { version: "v1.31.3" } } } }],
    ["a wish to start over", { metadata: { annotations: { "capstan.dev/restarted-at": "now" } } }, {}],
  ])("differs with %s", (_, pool, owner) => {
    expect(hashOf(pool, owner)).not.toBe(hashOf({}));
  });

  test("differs with the purchase plan of the image, and is what it always was without one", () => {
    const gallery = { gallery: "g", name: "i", version: "1" };
    const plan = { publisher: "p", offer: "o", sku: "s" };
    const without = hashOf(template({ image: { computeGallery: gallery } }));
    expect(without).toBe("v1-21775e9510f478477236737ceb01113c");
    expect(hashOf(template({ image: { computeGallery: { ...gallery, plan } } }))).not.toBe(without);
  });

  test.each<[string, Overrides<Pool>, Overrides<MachinePool>]>([
    ["the number of machines", {}, { spec: { replicas: 9 } }],
    ["tags", { spec: { additionalTags: { team: "a" } } }, {}],
    ["the strategy", { spec: { strategy: { rollingUpdate: { maxSurge: 5 } } } }, {}],
  ])("is the same whatever is said about %s", (_, pool, owner) => {
    expect(hashOf(pool, owner)).toBe(hashOf({}));
  });

  test("does not depend on the order of zones", () => {
    const zones = (failureDomains: string[]): string => hashOf({}, { spec: { failureDomains } });
    expect(zones(["2", "1"])).toBe(zones(["1", "2"]));
  });

  test("of an older release that says the same is the wanted one", () => {
    const v1: HashFunction = { version: "v1", hash: ({ pool }) => pool.spec.template.vmSize };
    const v2: HashFunction = { version: "v2", hash: ({ pool }) => pool.spec.template.vmSize.toUpperCase() };
    const desired = desiredHashOf(facts(template({ vmSize: "big" })), [v1, v2]);
    const before = desiredHashOf(facts(template({ vmSize: "big" })), [v1]);
    const other = desiredHashOf(facts(template({ vmSize: "small" })), [v1]);
    expect(desired.hash).toBe("v2-BIG");
    expect(currentName(before.hash, desired)).toBe("v2-BIG");
    expect(currentName(other.hash, desired)).toBe("v1-small");
    expect(currentName("unknown", desired)).toBe("unknown");
  });
});
