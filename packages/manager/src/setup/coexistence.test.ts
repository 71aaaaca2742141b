import type { CustomResourceDefinition, Lease } from "@capstan/api";
import { expect, test } from "vitest";
import { coexistenceProblems } from "./coexistence.ts";

const NOW = Date.UTC(2026, 0, 1, 12);
const definition = (labels: Record<string, string>) =>
  ({ metadata: { name: "clusters.cluster.x-k8s.io", labels } }) as unknown as CustomResourceDefinition;
const lease = (name: string, renewedMs: number, holderIdentity = "pod-1"): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name, namespace: "capi-system" },
  spec: { holderIdentity, renewTime: new Date(renewedMs).toISOString(), leaseDurationSeconds: 15 },
});

test.each([
  ["no other provider", { definitions: [], leases: [] }, []],
  [
    "Capstan's definitions",
    {
      definitions: [
        definition({
          "cluster.x-k8s.io/provider": "cluster-api",
          "app.kubernetes.io/managed-by": "capstan",
        }),
      ],
      leases: [],
    },
    [],
  ],
  [
    "the definitions of Cluster API",
    { definitions: [definition({ "cluster.x-k8s.io/provider": "cluster-api" })], leases: [] },
    [
      'CustomResourceDefinition clusters.cluster.x-k8s.io belongs to provider "cluster-api" and not to capstan',
    ],
  ],
  [
    "a provider that runs",
    { definitions: [], leases: [lease("controller-leader-election-capz", NOW - 5_000)] },
    [
      "Cluster API's Azure provider is active: pod-1 holds the Lease capi-system/controller-leader-election-capz",
    ],
  ],
  [
    "a provider that ran once",
    { definitions: [], leases: [lease("controller-leader-election-capz", NOW - 60_000)] },
    [],
  ],
  [
    "a Lease that was released",
    { definitions: [], leases: [lease("controller-leader-election-capi", NOW, "")] },
    [],
  ],
  ["Capstan's Lease", { definitions: [], leases: [lease("capstan", NOW)] }, []],
])("%s gives the expected problems", (_, found, expected) => {
  expect(coexistenceProblems({ ...found, nowMs: NOW })).toEqual(expected);
});
