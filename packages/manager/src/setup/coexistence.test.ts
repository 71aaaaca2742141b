import { AzureCluster, Cluster, type CustomResourceDefinition, customKinds, type Lease } from "@capstan/api";
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
  expect(coexistenceProblems({ ...found, kinds: customKinds, nowMs: NOW })).toEqual(expected);
});

const held = (name: string) => lease(name, NOW - 5_000);
const CORE = {
  definitions: [definition({ "cluster.x-k8s.io/provider": "cluster-api" })],
  leases: [
    held("controller-leader-election-capi"),
    held("kubeadm-bootstrap-manager-leader-election-capi"),
    held("kubeadm-control-plane-manager-leader-election-capi"),
  ],
};

test("providers of kinds that we do not run are no problem", () => {
  expect(coexistenceProblems({ ...CORE, kinds: [AzureCluster], nowMs: NOW })).toEqual([]);
});

test("each active provider of a kind that we run is named", () => {
  const problems = coexistenceProblems({
    definitions: [],
    leases: [...CORE.leases, held("controller-leader-election-capz")],
    kinds: customKinds,
    nowMs: NOW,
  });
  expect(problems.map((problem) => problem.split(" is active")[0])).toEqual([
    "Cluster API",
    "Cluster API's kubeadm bootstrap provider",
    "Cluster API's kubeadm control plane provider",
    "Cluster API's Azure provider",
  ]);
  expect(coexistenceProblems({ ...CORE, kinds: [Cluster], nowMs: NOW })).toHaveLength(2);
});
