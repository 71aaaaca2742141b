import { azureMachinePool } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { newMachine } from "./new-machine.ts";

const INSTANCE = { instanceID: "0", providerID: "azure:///0" };

test("a new machine bears the labels by which CAPZ's are found", () => {
  const owner = { apiVersion: "cluster.x-k8s.io/v1beta1", kind: "MachinePool", name: "workers", uid: "1" };
  const labels = { "cluster.x-k8s.io/cluster-name": "harbour" };
  const pool = azureMachinePool({ metadata: { name: "mp", uid: "2", labels, ownerReferences: [owner] } });
  expect(newMachine({ pool, desired: undefined }, INSTANCE).metadata.labels).toEqual({
    harbour: "owned",
    "cluster.x-k8s.io/cluster-name": "harbour",
    "azuremachinepool.infrastructure.cluster.x-k8s.io/machine-pool": "mp",
    "cluster.x-k8s.io/pool-name": "workers",
  });
});

test("a new machine leaves its control to a Machine of another core", () => {
  const pool = azureMachinePool({ metadata: { name: "mp", uid: "2" } });
  const { ownerReferences = [] } = newMachine({ pool, desired: undefined }, INSTANCE).metadata;
  expect(ownerReferences).toHaveLength(1);
  expect(ownerReferences[0]).toMatchObject({ kind: "AzureMachinePool", uid: "2", blockOwnerDeletion: true });
  expect(ownerReferences[0]?.controller).toBeUndefined();
});

test("a machine of a pool without a cluster gets no cluster labels", () => {
  const pool = azureMachinePool({ metadata: { name: "mp", uid: "2", labels: {} } });
  const { labels } = newMachine({ pool, desired: undefined }, INSTANCE).metadata;
  expect(Object.values(labels ?? {})).not.toContain("owned");
});
