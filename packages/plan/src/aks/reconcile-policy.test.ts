import { type AsoObject, type Frozen, ManagedCluster } from "@capstan/api";
import { expect, test } from "vitest";
import { decidePolicy, type PolicyInput } from "./reconcile-policy.ts";

const owner = { clusterName: "harbor", clusterKey: "default/harbor" };
const TAGS = {
  "sigs.k8s.io_cluster-api-provider-azure_cluster_harbor": "owned",
  capstan_cluster: "default/harbor",
};

const observed = (status: NonNullable<Frozen<AsoObject>["status"]>, policy = "skip"): Frozen<AsoObject> => ({
  apiVersion: ManagedCluster.apiVersion,
  kind: ManagedCluster.kind,
  metadata: { name: "harbor", annotations: { "serviceoperator.azure.com/reconcile-policy": policy } },
  spec: {},
  status,
});
const notFound = {
  conditions: [
    {
      type: "Ready",
      status: "False" as const,
      reason: "AzureResourceNotFound",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    },
  ],
};

test.each<[string, Omit<PolicyInput, "owner">, "manage" | "skip"]>([
  ["before the object exists", { observed: undefined }, "skip"],
  ["before Azure was read", { observed: observed({}) }, "skip"],
  ["an adoption before Azure was read", { observed: observed({}), isAdopted: true }, "skip"],
  ["a resource that does not exist", { observed: observed(notFound) }, "manage"],
  ["a resource of another owner", { observed: observed({ id: "/x", tags: {} }) }, "skip"],
  ["a resource with our tags", { observed: observed({ id: "/x", tags: TAGS }) }, "manage"],
  [
    "one of a Cluster of the same name elsewhere",
    { observed: observed({ id: "/x", tags: { ...TAGS, capstan_cluster: "b/harbor" } }) },
    "skip",
  ],
  ["an adopted resource", { observed: observed({ id: "/x" }), isAdopted: true }, "manage"],
  [
    "a part of a managed resource",
    { observed: observed({ id: "/x" }), parent: { policy: "manage", why: "" } },
    "manage",
  ],
  [
    "a part of one that is not managed",
    { observed: observed({ id: "/x" }), parent: { policy: "skip", why: "" } },
    "skip",
  ],
  ["what is managed already", { observed: observed({ id: "/x" }, "manage") }, "manage"],
])("%s", (_, input, expected) => {
  expect(decidePolicy({ ...input, owner }).policy).toBe(expected);
});
