import {
  CLUSTER_COLUMN,
  DESIRED_COLUMN,
  PHASE_COLUMN,
  AGE_COLUMN,
  countColumn,
  versionColumn,
} from "../printer-columns.ts";
import { SCALE_BY_SELECTOR } from "../cluster/group.ts";
import { Spec, Status } from "../cluster/v1beta1/machine-deployment.ts";
import * as newer from "../cluster/v1beta2/machine-deployment.ts";
import { REVISION_HISTORY_LIMIT_ANNOTATION } from "../cluster/well-known.ts";
import { olderVersion } from "./by-rules.ts";
import { machineSpec } from "./machine-spec.ts";
import { annotated, intent, moved, olderOnly } from "./rules.ts";
import { conditionSets, deprecatedFields, nextVersionFields, REPLICA_COUNTERS } from "./status-rules.ts";

/** MachineDeployments of v1beta1. */
export const machineDeploymentV1Beta1 = olderVersion({
  version: "v1beta1",
  spec: Spec,
  status: Status,
  newer: { spec: newer.Spec, status: newer.Status },
  scale: SCALE_BY_SELECTOR,
  columns: [
    CLUSTER_COLUMN,
    DESIRED_COLUMN,
    countColumn("Replicas", "replicas", "The number of machines."),
    countColumn("Ready", "readyReplicas", "The number of ready machines."),
    countColumn("Updated", "updatedReplicas", "The number of machines of the new template."),
    countColumn("Unavailable", "unavailableReplicas", "The number of machines missing or not available."),
    PHASE_COLUMN,
    AGE_COLUMN,
    versionColumn(".spec.template.spec.version"),
  ],
  fieldRules: [
    moved("spec.strategy.rollingUpdate.deletePolicy", "spec.deletion.order"),
    moved("spec.strategy.remediation", "spec.remediation"),
    moved("spec.strategy", "spec.rollout.strategy"),
    moved("spec.rolloutAfter", "spec.rollout.after"),
    moved("spec.machineNamingStrategy", "spec.machineNaming"),
    moved("spec.minReadySeconds", "spec.template.spec.minReadySeconds"),
    annotated("spec.revisionHistoryLimit", REVISION_HISTORY_LIMIT_ANNOTATION),
    olderOnly("spec.progressDeadlineSeconds"),
    intent("spec.paused", "spec.paused"),
    ...machineSpec("spec.template.spec"),
    ...deprecatedFields("updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas"),
    ...conditionSets,
    ...nextVersionFields(...REPLICA_COUNTERS),
    olderOnly("status.v1beta2"),
  ],
});
