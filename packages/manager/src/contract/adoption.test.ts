import { Cluster, CLUSTER_NAME_LABEL, controllerReferenceTo } from "@capstan/api";
import { azureCluster, cluster } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { decideAdoption } from "./adoption.ts";

const owner = cluster({ metadata: { name: "demo", uid: "u1" } });
const adopter = { owner, clusterName: "demo" };
const labels = { [CLUSTER_NAME_LABEL]: "demo" };
const mine = controllerReferenceTo(owner);
const note = { apiVersion: "v1", kind: "ConfigMap", name: "note", uid: "u9" };

test("an object without an owner gets the owner and the label in addition to its own metadata", () => {
  const object = azureCluster({
    metadata: { resourceVersion: "7", ownerReferences: [note], labels: { mine: "yes" } },
  });
  expect(decideAdoption(object, adopter)).toMatchObject({
    do: "patch",
    body: { metadata: { resourceVersion: "7", ownerReferences: [note, mine], labels } },
  });
});

test("an object with its owner and its cluster is not written", () => {
  expect(decideAdoption(azureCluster({ metadata: { ownerReferences: [mine], labels } }), adopter).do).toBe(
    "keep",
  );
});

test("a missing label, or an owner with an old UID, is corrected", () => {
  expect(decideAdoption(azureCluster({ metadata: { ownerReferences: [mine] } }), adopter).do).toBe("patch");
  const former = { ...mine, uid: "u0" };
  expect(
    decideAdoption(azureCluster({ metadata: { ownerReferences: [former], labels } }), adopter),
  ).toMatchObject({
    do: "patch",
    body: { metadata: { ownerReferences: [mine] } },
  });
});

test("an object of another owner is refused, and one that is being deleted is not written", () => {
  const other = { ...mine, name: "demo-1", uid: "u2" };
  expect(decideAdoption(azureCluster({ metadata: { ownerReferences: [other], labels } }), adopter)).toEqual({
    do: "refuse",
    why: `it already belongs to ${Cluster.kind} demo-1`,
  });
  expect(
    decideAdoption(azureCluster({ metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }), adopter).do,
  ).toBe("keep");
});
