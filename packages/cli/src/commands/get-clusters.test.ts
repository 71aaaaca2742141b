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
      { status: { deprecated: { v1beta1: { conditions: [ready] } } } },
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

test("a ready cluster names the pool below it that needs a user, and not one that only scales", () => {
  const isReady = { type: "Ready", status: "True", lastTransitionTime: "" } as const;
  const notReady = (severity: "Info" | "Warning", reason: string) =>
    ({ type: "Ready", status: "False", severity, reason, lastTransitionTime: "" }) as const;
  const metadata = (name: string) => ({ name, namespace: "default", ...created });
  const pool = (name: string, condition: ReturnType<typeof notReady>) =>
    machinePool({
      metadata: metadata(name),
      spec: { clusterName: "quay", replicas: 1 },
      status: { deprecated: { v1beta1: { conditions: [condition] } } },
    });
  const workers = [
    pool("a", notReady("Info", "ScaleSetScalingUp")),
    pool("b", notReady("Warning", "NodeNotJoined")),
  ];
  const clusters = [
    cluster({ metadata: metadata("quay"), status: { deprecated: { v1beta1: { conditions: [isReady] } } } }),
  ];
  const look = { isEverywhere: false, nowMs: NOW_MS, paint: PLAIN };
  expect(fleetTable({ clusters, controlPlanes: [], workers }, look).split("\n")[1]).toBe(
    "quay           True    -               0/2       60m   b: NodeNotJoined",
  );
});
