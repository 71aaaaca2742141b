import {
  CLUSTER_LABEL_COLUMN,
  DESIRED_COLUMN,
  AGE_COLUMN,
  countColumn,
  versionColumn,
} from "../printer-columns.ts";
import { SCALE_BY_SELECTOR } from "../cluster/group.ts";
import { Spec, Status } from "../controlplane/v1beta1/kubeadm-control-plane.ts";
import * as newer from "../controlplane/v1beta2/kubeadm-control-plane.ts";
import { olderVersion } from "./by-rules.ts";
import { fieldAt, isEmptyObject, putField, takeField } from "./field-path.ts";
import { kubeadmConfigSpec } from "./kubeadm-config-spec.ts";
import { deletionTimeouts } from "./machine-spec.ts";
import { reference } from "./references.ts";
import { type FieldRule, intendedSeconds, intent, moved, olderOnly, seconds } from "./rules.ts";
import { conditionSets, deprecatedFields, nextVersionFields, REPLICA_COUNTERS } from "./status-rules.ts";

const MACHINES = "spec.machineTemplate";

/** The older version has no spec inside its template of machines, and requires the configuration of kubeadm. */
const shape: FieldRule = {
  older: [],
  newer: [],
  up: () => undefined,
  down: ({ object }) => {
    const place = ["spec", "machineTemplate", "spec"];
    if (isEmptyObject(fieldAt(object, place))) takeField(object, place);
    const isSet =
      object["spec"] === undefined || fieldAt(object, ["spec", "kubeadmConfigSpec"]) !== undefined;
    if (!isSet) putField(object, ["spec", "kubeadmConfigSpec"], {});
  },
};

/** Whether the API server answers, which only the older version says: it follows from the ready machines. */
const ready: FieldRule = {
  older: ["status.ready"],
  newer: [],
  up: ({ object }) => {
    takeField(object, ["status", "ready"]);
  },
  down: ({ object }) => {
    const count = fieldAt(object, ["status", "readyReplicas"]);
    if (typeof count === "number") putField(object, ["status", "ready"], count > 0);
  },
};

/** KubeadmControlPlanes of v1beta1. */
export const kubeadmControlPlaneV1Beta1 = olderVersion({
  version: "v1beta1",
  spec: Spec,
  status: Status,
  newer: { spec: newer.Spec, status: newer.Status },
  scale: SCALE_BY_SELECTOR,
  columns: [
    CLUSTER_LABEL_COLUMN,
    {
      name: "Initialized",
      type: "boolean",
      jsonPath: ".status.initialized",
      description: "Whether the first machine is initialized.",
    },
    {
      name: "API Server Available",
      type: "boolean",
      jsonPath: ".status.ready",
      description: "Whether the API server answers.",
    },
    DESIRED_COLUMN,
    countColumn("Replicas", "replicas", "The number of machines."),
    countColumn("Ready", "readyReplicas", "The number of ready machines."),
    countColumn("Updated", "updatedReplicas", "The number of machines with the new version and template."),
    countColumn("Unavailable", "unavailableReplicas", "The number of machines missing or not ready."),
    AGE_COLUMN,
    versionColumn(".spec.version"),
  ],
  fieldRules: [
    shape,
    ...deletionTimeouts(MACHINES, `${MACHINES}.spec.deletion`),
    reference(`${MACHINES}.infrastructureRef`, `${MACHINES}.spec.infrastructureRef`),
    moved(`${MACHINES}.readinessGates`, `${MACHINES}.spec.readinessGates`),
    moved(`${MACHINES}.taints`, `${MACHINES}.spec.taints`),
    moved("spec.rolloutStrategy", "spec.rollout.strategy"),
    moved("spec.rolloutBefore", "spec.rollout.before"),
    moved("spec.rolloutAfter", "spec.rollout.after"),
    moved("spec.remediationStrategy.maxRetry", "spec.remediation.maxRetry"),
    intendedSeconds("spec.remediationStrategy.retryPeriod", "spec.remediation.retryPeriodSeconds"),
    seconds("spec.remediationStrategy.minHealthyPeriod", "spec.remediation.minHealthyPeriodSeconds"),
    moved("spec.machineNamingStrategy", "spec.machineNaming"),
    ...kubeadmConfigSpec("spec.kubeadmConfigSpec"),
    intent("status.initialized", "status.initialization.controlPlaneInitialized"),
    moved("status.lastRemediation.timestamp", "status.lastRemediation.time"),
    ready,
    ...deprecatedFields(
      "updatedReplicas",
      "readyReplicas",
      "unavailableReplicas",
      "failureReason",
      "failureMessage",
    ),
    ...conditionSets,
    ...nextVersionFields(...REPLICA_COUNTERS),
    olderOnly("status.v1beta2"),
  ],
});
