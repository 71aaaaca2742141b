import { expect, test } from "vitest";
import { sortObjects } from "./given-objects.ts";

const set = (metadata: object) => ({
  apiVersion: "cluster.x-k8s.io/v1beta2",
  kind: "MachineSet",
  metadata: { name: "workers", namespace: "default", ...metadata },
  spec: {},
});
const NEEDS = "MachineSet default/workers has no spec.clusterName, which is required";

test("a dump that was shortened for a rehearsal is not planned, and the message says what takes it", () => {
  const stored = set({ creationTimestamp: "2026-01-01T00:00:00Z" });
  expect(() => sortObjects([stored], "default")).toThrow(
    `${NEEDS}; its spec is empty: capstan rehearse --from takes such dumps`,
  );
});

test("a manifest with an empty spec lacks fields, and no more is said", () => {
  expect(() => sortObjects([set({})], "default")).toThrow(new RegExp(`${NEEDS}$`));
});
