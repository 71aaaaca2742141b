import { Spec, Status } from "../cluster/v1beta2/machine-pool.ts";
import {
  AGE_COLUMN,
  CLUSTER_COLUMN,
  DESIRED_COLUMN,
  MACHINE_COUNT_COLUMNS,
  PAUSED_COLUMN,
  PHASE_COLUMN,
  versionColumn,
} from "../printer-columns.ts";
import { newerVersion } from "./by-rules.ts";
import { machineSpec } from "./machine-spec.ts";
import { intent, moved, olderOnly } from "./rules.ts";
import { conditionSets, deprecatedFields, nextVersionFields } from "./status-rules.ts";

/** MachinePools of v1beta2. Our v1beta1 has `status.upToDateReplicas`, with the meaning of v1beta2, at the same path. */
export const machinePoolV1Beta2 = newerVersion({
  version: "v1beta2",
  spec: Spec,
  status: Status,
  scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
  columns: [
    CLUSTER_COLUMN,
    DESIRED_COLUMN,
    ...MACHINE_COUNT_COLUMNS,
    PAUSED_COLUMN,
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
