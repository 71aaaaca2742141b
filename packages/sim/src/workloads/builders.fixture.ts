import type { Node } from "@capstan/api";
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet, WorkloadPod } from "./workload-kinds.ts";

/** The current time of all tables. */
export const NOW_MS = Date.parse("2026-11-16T12:00:00Z");

/** A time some seconds before or after now. */
export const after = (seconds: number): string =>
  `${new Date(NOW_MS + seconds * 1000).toISOString().slice(0, -5)}Z`;

/** A node, Ready unless overridden. */
export function node(
  name: string,
  rest: { ready?: boolean; labels?: Record<string, string> } & Node["spec"] = {},
): Node {
  const { ready = true, labels = {}, ...spec } = rest;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels, creationTimestamp: after(-3600) },
    spec,
    status: {
      allocatable: { cpu: "2", memory: "4Gi", pods: "3" },
      conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
    },
  };
}

/** The fields in which the pods of a table differ. */
export interface PodFacts {
  readonly node?: string;
  readonly ready?: boolean;
  readonly deleting?: boolean;
  readonly bornAfter?: number;
  readonly labels?: Record<string, string>;
  readonly spec?: Partial<NonNullable<WorkloadPod["spec"]>>;
  readonly status?: WorkloadPod["status"];
  readonly metadata?: Partial<WorkloadPod["metadata"]>;
}

/** A pod, Ready unless overridden. */
export function pod(name: string, facts: PodFacts = {}): WorkloadPod {
  const {
    node: nodeName,
    ready = true,
    deleting = false,
    bornAfter = -60,
    labels = {},
    spec,
    status,
  } = facts;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "default",
      uid: `uid-${name}`,
      labels,
      creationTimestamp: after(bornAfter),
      ...(deleting && { deletionTimestamp: after(0) }),
      ...facts.metadata,
    },
    spec: {
      containers: [{ name: "main", image: "web:1" }],
      ...(nodeName !== undefined && { nodeName }),
      ...spec,
    },
    status: status ?? {
      phase: "Running",
      conditions: [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: after(-30) }],
    },
  };
}

const template = {
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "main", image: "web:1" }] },
};

/** The selector and template of every workload in the tables. */
const common = { selector: { matchLabels: { app: "web" } }, template };

/** A Deployment. */
export function deployment(spec: Partial<Deployment["spec"]> = {}): Deployment {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", generation: 3 },
    spec: { ...common, ...spec },
  };
}

/** A ReplicaSet with so many desired and so many available pods. */
export function replicaSet(name: string, replicas: number, available = replicas): ReplicaSet {
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name },
    spec: { ...common, replicas },
    status: { replicas, readyReplicas: available, availableReplicas: available },
  };
}

/** A StatefulSet. */
export function statefulSet(spec: Partial<StatefulSet["spec"]> = {}): StatefulSet {
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "db" },
    spec: { ...common, ...spec },
  };
}

/** A DaemonSet. */
export function daemonSet(spec: Partial<DaemonSet["spec"]> = {}): DaemonSet {
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "log" },
    spec: { ...common, ...spec },
  };
}
