import { cluster, machineDeployment, machinePool } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { PLAIN } from "../render/paint.ts";
import { fleetTable } from "./get-clusters.ts";

const NOW_MS = Date.UTC(2026, 0, 1, 12);
const created = { creationTimestamp: "2026-01-01T11:00:00Z" };

test("the machines of pools and of deployments are counted, and a cluster that is not ready says why", () => {
  const ready = {
    type: "Ready",
    status: "False",
    reason: "WaitingForInfrastructure",
    lastTransitionTime: "",
  } as const;
  const clusters = [
    cluster(
      { metadata: { name: "quay", namespace: "default", ...created } },
      { status: { conditions: [ready] } },
    ),
    cluster({ metadata: { name: "quay", namespace: "other", ...created } }),
  ];
  const workers = [
    machinePool({ metadata: { namespace: "default" }, spec: { clusterName: "quay", replicas: 3 } }),
    machineDeployment({
      metadata: { namespace: "default" },
      spec: { clusterName: "quay", replicas: 2 },
      status: { readyReplicas: 1 },
    }),
  ];
  const look = { isEverywhere: true, nowMs: NOW_MS, paint: PLAIN };
  expect(fleetTable({ clusters, controlPlanes: [], workers }, look).split("\n")).toEqual([
    "NAMESPACE   NAME   PHASE   READY     CONTROL PLANE   WORKERS   AGE   REASON",
    "default     quay           False     -               1/5       60m   WaitingForInfrastructure",
    "other       quay           Unknown   -               -         60m",
    "",
  ]);
});
