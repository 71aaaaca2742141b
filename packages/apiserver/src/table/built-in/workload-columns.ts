import type { StoredObject } from "../../storage/storage.ts";
import {
  AGE,
  at,
  type Column,
  column,
  count,
  formatLabels,
  formatSelectorObject,
  isConditionTrue,
  list,
  NAME,
  text,
  wideColumn,
} from "../column.ts";
import { humanDuration, parseTimestamp } from "../human-duration.ts";

const CONTAINERS = wideColumn("Containers", "The names of the containers.", (object) =>
  eachContainer(object, "name"),
);
const IMAGES = wideColumn("Images", "The images of the containers.", (object) =>
  eachContainer(object, "image"),
);
const SELECTOR = wideColumn("Selector", "The labels of the pods.", ({ spec }) =>
  formatSelectorObject(at(spec, "selector")),
);
const READY = column(
  "Ready",
  "The pods that are ready, of the desired ones.",
  ({ spec, status }) => `${count(at(status, "readyReplicas"))}/${wanted(spec)}`,
);

/** The columns of Deployment. */
export const deploymentColumns: readonly Column[] = [
  NAME,
  READY,
  column("Up-to-date", "The pods of the newest template.", ({ status }) =>
    count(at(status, "updatedReplicas")),
  ),
  column("Available", "The pods that have been ready for long enough.", ({ status }) =>
    count(at(status, "availableReplicas")),
  ),
  AGE,
  CONTAINERS,
  IMAGES,
  SELECTOR,
];

/** The columns of ReplicaSet. */
export const replicaSetColumns: readonly Column[] = [
  NAME,
  column("Desired", "The desired number of pods.", { type: "integer", cell: ({ spec }) => wanted(spec) }),
  statusCount("Current", "The current number of pods.", "replicas"),
  statusCount("Ready", "The number of pods that are ready.", "readyReplicas"),
  AGE,
  CONTAINERS,
  IMAGES,
  SELECTOR,
];

/** The columns of DaemonSet. */
export const daemonSetColumns: readonly Column[] = [
  NAME,
  statusCount("Desired", "The number of nodes that need a pod.", "desiredNumberScheduled"),
  statusCount("Current", "The number of nodes that have the pod they need.", "currentNumberScheduled"),
  statusCount("Ready", "The number of nodes whose pod is ready.", "numberReady"),
  statusCount(
    "Up-to-date",
    "The number of nodes with a pod of the newest template.",
    "updatedNumberScheduled",
  ),
  statusCount(
    "Available",
    "The number of nodes whose pod has been ready for long enough.",
    "numberAvailable",
  ),
  column("Node Selector", "The labels of the nodes.", ({ spec }) =>
    formatLabels(at(spec, "template", "spec", "nodeSelector")),
  ),
  AGE,
  CONTAINERS,
  IMAGES,
  SELECTOR,
];

/** The columns of StatefulSet. */
export const statefulSetColumns: readonly Column[] = [NAME, READY, AGE, CONTAINERS, IMAGES];

/** The columns of Job. */
export const jobColumns: readonly Column[] = [
  NAME,
  column("Status", "The state of the job.", jobStatus),
  column("Completions", "The pods that succeeded, of the desired ones.", completions),
  column("Duration", "The time the job has taken.", duration),
  AGE,
  CONTAINERS,
  IMAGES,
  SELECTOR,
];

/** The columns of PodDisruptionBudget. */
export const disruptionBudgetColumns: readonly Column[] = [
  NAME,
  column("Min Available", "The pods that must stay available.", ({ spec }) =>
    limit(at(spec, "minAvailable")),
  ),
  column("Max Unavailable", "The pods that may be unavailable.", ({ spec }) =>
    limit(at(spec, "maxUnavailable")),
  ),
  statusCount("Allowed Disruptions", "The pods that may be evicted now.", "disruptionsAllowed"),
  AGE,
];

function statusCount(name: string, description: string, field: string): Column {
  return column(name, description, { type: "integer", cell: ({ status }) => count(at(status, field)) });
}

/** The server defaults to one replica; objects that were stored without the field are read the same way. */
function wanted(spec: unknown): number {
  return count(at(spec, "replicas") ?? 1);
}

function eachContainer({ spec }: StoredObject, field: "name" | "image"): string {
  return list(at(spec, "template", "spec", "containers"))
    .map((container) => text(at(container, field)))
    .join(",");
}

function limit(value: unknown): string {
  return typeof value === "number" ? String(value) : text(value) || "N/A";
}

function jobStatus({ metadata, status }: StoredObject): string {
  const is = (type: string): boolean => isConditionTrue(at(status, "conditions"), type);
  if (is("Complete")) return "Complete";
  if (is("Failed")) return "Failed";
  if (metadata.deletionTimestamp !== undefined) return "Terminating";
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find(is) ?? "Running";
}

function completions({ spec, status }: StoredObject): string {
  const succeeded = count(at(status, "succeeded"));
  const parallelism = at(spec, "parallelism");
  const total = at(spec, "completions") ?? (parallelism === undefined ? 1 : undefined);
  if (typeof total === "number") return `${succeeded}/${total}`;
  return count(parallelism) > 1 ? `${succeeded}/1 of ${count(parallelism)}` : `${succeeded}/1`;
}

function duration({ status }: StoredObject, now: number): string {
  const start = parseTimestamp(text(at(status, "startTime")));
  if (start === undefined) return "";
  return humanDuration((parseTimestamp(text(at(status, "completionTime"))) ?? now) - start);
}
