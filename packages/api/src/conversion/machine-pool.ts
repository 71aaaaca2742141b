import {
  CLUSTER_COLUMN,
  DESIRED_COLUMN,
  PHASE_COLUMN,
  AGE_COLUMN,
  conditionColumn,
  countColumn,
  versionColumn,
} from "../printer-columns.ts";
import { Spec, Status } from "../cluster/v1beta1/machine-pool.ts";
import * as newer from "../cluster/v1beta2/machine-pool.ts";
import { olderVersion } from "./by-rules.ts";
import { machineSpec } from "./machine-spec.ts";
import { intent, moved, olderOnly } from "./rules.ts";
import { conditionSets, deprecatedFields, nextVersionFields } from "./status-rules.ts";

/** MachinePools of v1beta1. Our v1beta1 has `status.upToDateReplicas`, with the meaning of v1beta2, at the same path. */
export const machinePoolV1Beta1 = olderVersion({
  version: "v1beta1",
  spec: Spec,
  status: Status,
  newer: { spec: newer.Spec, status: newer.Status },
  scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
  columns: [
    CLUSTER_COLUMN,
    DESIRED_COLUMN,
    countColumn("Current", "replicas", "The number of machines."),
    countColumn("Ready", "readyReplicas", "The number of ready machines."),
    countColumn("Available", "availableReplicas", "The number of available machines."),
    countColumn("Up-to-date", "upToDateReplicas", "The number of machines that are up to date."),
    conditionColumn("Paused", "Paused", 1),
    PHASE_COLUMN,
    AGE_COLUMN,
    versionColumn(".spec.template.spec.version"),
  ],
  fieldRules: [
    moved("spec.minReadySeconds", "spec.template.spec.minReadySeconds"),
    ...machineSpec("spec.template.spec"),
    intent("status.bootstrapReady", "status.initialization.bootstrapDataSecretCreated"),
    intent("status.infrastructureReady", "status.initialization.infrastructureProvisioned"),
    ...deprecatedFields(
      "readyReplicas",
      "availableReplicas",
      "unavailableReplicas",
      "failureReason",
      "failureMessage",
    ),
    ...conditionSets,
    ...nextVersionFields("readyReplicas", "availableReplicas"),
    olderOnly("status.v1beta2"),
  ],
});
