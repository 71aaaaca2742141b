import { describe, expect, test } from "vitest";
import type { StoredObject } from "../../storage/storage.ts";
import { tableOf } from "../table.ts";
import { builtInColumns } from "./built-in-columns.ts";

const now = Date.parse("2026-01-01T00:05:00Z");
const metadata = { name: "a", namespace: "default", creationTimestamp: "2026-01-01T00:00:00Z" };

function rowOf(
  group: string,
  kind: string,
  fields: object,
): { cells: readonly unknown[]; conditions?: readonly object[] } {
  const apiVersion = group === "" ? "v1" : `${group}/v1`;
  const object = { apiVersion, kind, metadata, ...fields } as unknown as StoredObject;
  const columns = builtInColumns({ group, kind });
  const [row] = tableOf({ version: "v1", columns, objects: [object], includeObject: "None", now }).rows;
  return row ?? { cells: [] };
}

const labels = { z: "1", a: "2" };
const template = {
  spec: {
    nodeSelector: labels,
    containers: [
      { name: "x", image: "i:1" },
      { name: "y", image: "j:2" },
    ],
  },
};
const selector = {
  matchLabels: { app: "a" },
  matchExpressions: [
    { key: "t", operator: "NotIn", values: ["1"] },
    { key: "app", operator: "In", values: ["q", "a"] },
    { key: "e", operator: "DoesNotExist" },
    { key: "b", operator: "Exists" },
  ],
};
const shownSelector = "app=a,app in (a,q),b,!e,t notin (1)";
const subjects = [
  { kind: "User", name: "u1" },
  { kind: "User", name: "u2" },
  { kind: "Group", name: "g" },
  { kind: "ServiceAccount", name: "s", namespace: "n" },
];

// Compared with the answers of a kube-apiserver 1.35 to objects of these shapes.
describe("the cells of", () => {
  test.each<[string, string, object, unknown[]]>([
    ["", "Namespace", { status: { phase: "Active" } }, ["a", "Active", "5m"]],
    ["", "Secret", { type: "Opaque", data: { a: "", b: "" } }, ["a", "Opaque", 2, "5m"]],
    ["", "ConfigMap", { data: { a: "" }, binaryData: { b: "" } }, ["a", 2, "5m"]],
    ["", "ServiceAccount", {}, ["a", "5m"]],
    [
      "",
      "Service",
      {
        spec: {
          type: "ClusterIP",
          clusterIPs: ["10.0.0.1"],
          selector: labels,
          ports: [
            { port: 80, protocol: "TCP" },
            { port: 53, protocol: "UDP" },
          ],
        },
      },
      ["a", "ClusterIP", "10.0.0.1", "<none>", "80/TCP,53/UDP", "5m", "a=2,z=1"],
    ],
    [
      "",
      "Service",
      {
        spec: {
          type: "NodePort",
          externalIPs: ["9.9.9.9", "8.8.8.8"],
          ports: [{ port: 80, nodePort: 30080 }],
        },
      },
      ["a", "NodePort", "<none>", "9.9.9.9,8.8.8.8", "80:30080/TCP", "5m", "<none>"],
    ],
    [
      "",
      "Service",
      { spec: { type: "LoadBalancer", clusterIP: "10.0.0.2" } },
      ["a", "LoadBalancer", "10.0.0.2", "<pending>", "<none>", "5m", "<none>"],
    ],
    [
      "",
      "Service",
      {
        spec: { type: "LoadBalancer", externalIPs: ["9.9.9.9"] },
        status: { loadBalancer: { ingress: [{ hostname: "h" }, { ip: "1.2.3.4" }] } },
      },
      ["a", "LoadBalancer", "<none>", "1.2.3.4,h,9.9.9.9", "<none>", "5m", "<none>"],
    ],
    [
      "",
      "Service",
      { spec: { type: "ExternalName", externalName: "x.example" } },
      ["a", "ExternalName", "<none>", "x.example", "<none>", "5m", "<none>"],
    ],
    ["coordination.k8s.io", "Lease", { spec: { holderIdentity: "me" } }, ["a", "me", "5m"]],
    [
      "storage.k8s.io",
      "VolumeAttachment",
      {
        spec: { attacher: "d", nodeName: "n", source: { persistentVolumeName: "v" } },
        status: { attached: true },
      },
      ["a", "d", "v", "n", true, "5m"],
    ],
    [
      "",
      "Node",
      {
        spec: { unschedulable: true },
        status: {
          conditions: [{ type: "Ready", status: "True" }],
          addresses: [
            { type: "ExternalIP", address: "2" },
            { type: "InternalIP", address: "1" },
          ],
          nodeInfo: { kubeletVersion: "v1", osImage: "o", kernelVersion: "k", containerRuntimeVersion: "c" },
        },
      },
      ["a", "Ready,SchedulingDisabled", "<none>", "5m", "v1", "1", "2", "o", "k", "c"],
    ],
    [
      "",
      "Node",
      {
        metadata: { ...metadata, labels: { "node-role.kubernetes.io/w": "", "kubernetes.io/role": "r" } },
        status: { conditions: [{ type: "Ready", status: "Unknown" }] },
      },
      ["a", "NotReady", "r,w", "5m", "", "<none>", "<none>", "<unknown>", "<unknown>", "<unknown>"],
    ],
    [
      "",
      "Event",
      {
        involvedObject: { kind: "Pod", name: "p", fieldPath: "f" },
        reason: "R",
        type: "Normal",
        message: " m\n",
        source: { component: "c", host: "h" },
        firstTimestamp: "2026-01-01T00:00:00Z",
        lastTimestamp: "2026-01-01T00:04:00Z",
        count: 3,
      },
      ["60s", "Normal", "R", "pod/p", "f", "c, h", "m", "5m", 3, "a"],
    ],
    [
      "events.k8s.io",
      "Event",
      {
        regarding: { kind: "Pod" },
        note: "m",
        eventTime: "2026-01-01T00:00:00.000000Z",
        reportingController: "rc",
        series: { count: 7, lastObservedTime: "2026-01-01T00:03:00.000000Z" },
      },
      ["2m", "", "", "pod", "", "rc", "m", "5m", 7, "a"],
    ],
    [
      "",
      "Event",
      { firstTimestamp: null, lastTimestamp: null, eventTime: null },
      ["<unknown>", "", "", "", "", "", "", "<unknown>", 1, "a"],
    ],
    [
      "apps",
      "Deployment",
      {
        spec: { replicas: 3, selector, template },
        status: { readyReplicas: 2, updatedReplicas: 1, availableReplicas: 2 },
      },
      ["a", "2/3", 1, 2, "5m", "x,y", "i:1,j:2", shownSelector],
    ],
    [
      "apps",
      "ReplicaSet",
      { spec: { replicas: 3, template }, status: { replicas: 2, readyReplicas: 1 } },
      ["a", 3, 2, 1, "5m", "x,y", "i:1,j:2", "<none>"],
    ],
    [
      "apps",
      "DaemonSet",
      {
        spec: { selector, template },
        status: {
          desiredNumberScheduled: 5,
          currentNumberScheduled: 4,
          numberReady: 3,
          updatedNumberScheduled: 2,
          numberAvailable: 1,
        },
      },
      ["a", 5, 4, 3, 2, 1, "a=2,z=1", "5m", "x,y", "i:1,j:2", shownSelector],
    ],
    ["apps", "StatefulSet", { spec: { template }, status: {} }, ["a", "0/1", "5m", "x,y", "i:1,j:2"]],
    [
      "batch",
      "Job",
      {
        spec: { completions: 4 },
        status: {
          succeeded: 1,
          startTime: "2026-01-01T00:00:00Z",
          completionTime: "2026-01-01T00:01:30Z",
          conditions: [{ type: "Complete", status: "True" }],
        },
      },
      ["a", "Complete", "1/4", "90s", "5m", "", "", "<none>"],
    ],
    [
      "batch",
      "Job",
      {
        spec: { parallelism: 3 },
        status: {
          startTime: "2026-01-01T00:00:00Z",
          conditions: [{ type: "FailureTarget", status: "True" }],
        },
      },
      ["a", "FailureTarget", "0/1 of 3", "5m", "5m", "", "", "<none>"],
    ],
    [
      "batch",
      "Job",
      { metadata: { ...metadata, deletionTimestamp: "2026-01-01T00:01:00Z" } },
      ["a", "Terminating", "0/1", "", "5m", "", "", "<none>"],
    ],
    [
      "policy",
      "PodDisruptionBudget",
      { spec: { minAvailable: 1 }, status: { disruptionsAllowed: 2 } },
      ["a", "1", "N/A", 2, "5m"],
    ],
    ["policy", "PodDisruptionBudget", { spec: { maxUnavailable: "25%" } }, ["a", "N/A", "25%", 0, "5m"]],
    ["rbac.authorization.k8s.io", "Role", {}, ["a", "2026-01-01T00:00:00Z"]],
    [
      "rbac.authorization.k8s.io",
      "RoleBinding",
      { roleRef: { kind: "Role", name: "r" }, subjects },
      ["a", "Role/r", "5m", "u1, u2", "g", "n/s"],
    ],
    ["apiextensions.k8s.io", "CustomResourceDefinition", {}, ["a", "2026-01-01T00:00:00Z"]],
  ])("%s/%s", (group, kind, fields, cells) => {
    expect(rowOf(group, kind, fields).cells).toEqual(cells);
  });

  test("objects of a wrong shape are shown as far as possible", () => {
    const broken = { spec: "x", status: 7, data: null, subjects: {}, roleRef: [] };
    for (const kind of ["Pod", "Node", "Service", "Event", "Secret"])
      expect(rowOf("", kind, broken).cells.length).toBeGreaterThan(3);
  });
});

const containers = [{ name: "x" }, { name: "y" }];
const running = { running: {} };
const ended = (exitCode: number, more: object = {}): object => ({ terminated: { exitCode, ...more } });
const lastState = { terminated: { finishedAt: "2026-01-01T00:03:00Z" } };

describe("a pod", () => {
  const shown = (pod: { spec?: object; status: object; metadata?: object }): unknown[] =>
    rowOf("", "Pod", { metadata, ...pod, spec: { containers, ...pod.spec } }).cells.slice(1, 4);
  const sidecar = { initContainers: [{ name: "s", restartPolicy: "Always" }] };
  const twoInits = { initContainers: [{ name: "i" }, { name: "j" }] };

  test.each<[string, Parameters<typeof shown>[0], unknown[]]>([
    ["waits", { status: { phase: "Pending" } }, ["0/2", "Pending", "0"]],
    [
      "runs",
      {
        status: {
          phase: "Running",
          containerStatuses: [
            { ready: true, state: running, restartCount: 2, lastState },
            { ready: false, state: running },
          ],
        },
      },
      ["1/2", "Running", "2 (2m ago)"],
    ],
    [
      "crashes",
      {
        status: {
          phase: "Running",
          containerStatuses: [
            { state: { waiting: { reason: "CrashLoopBackOff" } }, restartCount: 5 },
            { ready: true, state: running },
          ],
        },
      },
      ["1/2", "CrashLoopBackOff", "5"],
    ],
    ["is evicted", { status: { phase: "Failed", reason: "Evicted" } }, ["0/2", "Evicted", "0"]],
    [
      "ends with a code",
      {
        status: {
          phase: "Failed",
          containerStatuses: [{ state: ended(3) }, { state: ended(1, { signal: 9 }) }],
        },
      },
      ["0/2", "ExitCode:3", "0"],
    ],
    [
      "ends by a signal",
      { status: { phase: "Failed", containerStatuses: [{ state: ended(1, { signal: 9 }) }] } },
      ["0/2", "Signal:9", "0"],
    ],
    [
      "is done",
      {
        status: { phase: "Succeeded", containerStatuses: [{ state: ended(0, { reason: "Completed" }) }] },
      },
      ["0/2", "Completed", "0"],
    ],
    [
      "is partly done",
      {
        status: {
          phase: "Running",
          containerStatuses: [{ state: ended(0, { reason: "Completed" }) }, { ready: true, state: running }],
        },
      },
      ["1/2", "NotReady", "0"],
    ],
    [
      "is partly done and ready",
      {
        status: {
          phase: "Running",
          conditions: [{ type: "Ready", status: "True" }],
          containerStatuses: [{ state: ended(0, { reason: "Completed" }) }, { ready: true, state: running }],
        },
      },
      ["1/2", "Running", "0"],
    ],
    [
      "begins",
      {
        spec: twoInits,
        status: {
          phase: "Pending",
          initContainerStatuses: [
            { name: "i", state: ended(0) },
            { name: "j", state: running },
          ],
        },
      },
      ["0/2", "Init:1/2", "0"],
    ],
    [
      "cannot begin",
      {
        spec: twoInits,
        status: {
          phase: "Pending",
          initContainerStatuses: [
            { name: "i", state: { waiting: { reason: "ErrImagePull" } }, restartCount: 1, lastState },
          ],
        },
      },
      ["0/2", "Init:ErrImagePull", "1 (2m ago)"],
    ],
    [
      "fails to start",
      {
        spec: twoInits,
        status: { phase: "Pending", initContainerStatuses: [{ name: "i", state: ended(2) }] },
      },
      ["0/2", "Init:ExitCode:2", "0"],
    ],
    [
      "has a sidecar",
      {
        spec: sidecar,
        status: {
          phase: "Running",
          initContainerStatuses: [{ name: "s", ready: true, started: true, state: running, restartCount: 1 }],
          containerStatuses: [{ ready: true, state: running, restartCount: 1 }],
        },
      },
      ["2/3", "Running", "2"],
    ],
    [
      "waits for a sidecar",
      {
        spec: sidecar,
        status: { phase: "Pending", initContainerStatuses: [{ name: "s", started: false, state: running }] },
      },
      ["0/3", "Init:0/1", "0"],
    ],
    [
      "is gated",
      { status: { phase: "Pending", conditions: [{ type: "PodScheduled", reason: "SchedulingGated" }] } },
      ["0/2", "SchedulingGated", "0"],
    ],
    [
      "goes",
      { metadata: { ...metadata, deletionTimestamp: "2026-01-01T00:01:00Z" }, status: { phase: "Running" } },
      ["0/2", "Terminating", "0"],
    ],
    [
      "is lost with its node",
      {
        metadata: { ...metadata, deletionTimestamp: "2026-01-01T00:01:00Z" },
        status: { phase: "Running", reason: "NodeLost" },
      },
      ["0/2", "Unknown", "0"],
    ],
  ])("that %s", (_, pod, cells) => {
    expect(shown(pod)).toEqual(cells);
  });

  test("that has ended has a condition on its row", () => {
    expect(rowOf("", "Pod", { status: { phase: "Succeeded" } }).conditions).toMatchObject([
      { type: "Completed", reason: "Succeeded" },
    ]);
    expect(rowOf("", "Pod", { status: { phase: "Failed" } }).conditions).toMatchObject([
      { reason: "Failed" },
    ]);
    expect(rowOf("", "Pod", { status: { phase: "Running" } }).conditions).toBeUndefined();
  });

  test("shows its node with -o wide", () => {
    const spec = {
      containers,
      nodeName: "n",
      readinessGates: [{ conditionType: "g" }, { conditionType: "h" }],
    };
    const status = {
      podIPs: [{ ip: "1" }],
      nominatedNodeName: "m",
      conditions: [{ type: "g", status: "True" }],
    };
    expect(rowOf("", "Pod", { spec, status }).cells.slice(5)).toEqual(["1", "n", "m", "1/2"]);
  });
});
