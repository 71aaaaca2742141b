import { cluster, machineDeployment, machinePool } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { PLAIN, paintFor } from "../render/paint.ts";
import { testShell } from "../shell.fixture.ts";
import { fleetTable } from "./get-clusters.ts";

const NOW_MS = Date.UTC(2026, 0, 1, 12);
const created = { creationTimestamp: "2026-01-01T11:00:00Z" };

type Reported = "Available" | "Reconciled";
const condition = (type: Reported, status: "True" | "False", reason: string, message = "") => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: "2026-01-01T11:00:00Z",
});

test("the machines of pools and of deployments are counted, and a cluster that is not available says why", () => {
  const message = "* WorkersAvailable:\n  * MachinePool b: 0 of 3 machines are available";
  const unavailable = condition("Available", "False", "NotAvailable", message);
  const clusters = [
    cluster(
      { metadata: { name: "quay", namespace: "default", ...created } },
      { status: { conditions: [unavailable] } },
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
  const cause = "WorkersAvailable: MachinePool b: 0 of 3 machines are available";
  expect(fleetTable({ clusters, controlPlanes: [], workers }, look).split("\n")).toEqual([
    "NAMESPACE   NAME   PHASE   AVAILABLE   CONTROL PLANE   WORKERS   AGE   MESSAGE",
    `default     quay           False       -               1/5       60m   ${cause}`,
    "other       quay           Unknown     -               -         60m",
    "",
  ]);
});

test("a cluster whose last pass failed says why, though it is available", () => {
  const conditions = [
    condition("Available", "True", "Available"),
    condition("Reconciled", "False", "InvalidSpec", "spec.paused is 3"),
  ];
  const clusters = [
    cluster({ metadata: { name: "quay", namespace: "default", ...created }, status: { conditions } }),
  ];
  const look = { isEverywhere: false, nowMs: NOW_MS, paint: PLAIN };
  expect(fleetTable({ clusters, controlPlanes: [], workers: [] }, look).split("\n")[1]).toBe(
    "quay           True        -               -         60m   spec.paused is 3",
  );
});

describe("in a window", () => {
  const message = "* WorkersAvailable:\n  * MachinePool b: 0 of 3 machines are available";
  const unavailable = condition("Available", "False", "NotAvailable", message);
  const endpoint = { controlPlaneEndpoint: { host: "quay.example", port: 6443 } };
  const quay = cluster(
    { metadata: { name: "quay", namespace: "default", ...created }, spec: endpoint },
    { status: { phase: "Provisioned", conditions: [unavailable] } },
  );
  const fleet = { clusters: [quay], controlPlanes: [], workers: [] };
  const look = { isEverywhere: false, nowMs: NOW_MS, paint: PLAIN };

  test("that is too narrow a message is below its cluster, broken between words", () => {
    expect(fleetTable(fleet, { ...look, columns: 60 }).split("\n")).toEqual([
      "NAME   PHASE         AVAILABLE   CONTROL PLANE   WORKERS   AGE",
      "quay   Provisioned   False       -               -         60m",
      "    WorkersAvailable: MachinePool b: 0 of 3 machines are",
      "    available",
      "",
    ]);
  });

  test("-o wide shows the endpoint, too, and whole messages", () => {
    const words = "word ".repeat(60).trim();
    const long = { ...quay, status: { conditions: [{ ...unavailable, message: words }] } };
    const text = fleetTable({ ...fleet, clusters: [long] }, { ...look, isWide: true });
    expect(text).toContain("AGE   ENDPOINT            MESSAGE");
    expect(text).toContain(`60m   quay.example:6443   ${words}`);
  });

  test("False is red only if a user must do something", () => {
    const paint = paintFor(testShell({ isTerminal: true }).out, {});
    expect(fleetTable(fleet, { ...look, paint })).toContain(paint.warn("False"));
    const failed = {
      ...condition("Available", "False", "ScaleSetProvisionFailed", "no such image"),
      severity: "Error",
    } as const;
    const workers = [
      machinePool({
        metadata: { namespace: "default" },
        spec: { clusterName: "quay" },
        status: { deprecated: { v1beta1: { conditions: [failed] } } },
      }),
    ];
    expect(fleetTable({ ...fleet, workers }, { ...look, paint })).toContain(paint.bad("False"));
    const available = { ...quay, status: { conditions: [condition("Available", "True", "Available")] } };
    const text = fleetTable({ ...fleet, clusters: [available], workers }, look);
    expect(text).toContain("60m   MachinePool pool: no such image");
  });
});
