import { SCALE_BY_SELECTOR } from "../cluster/group.ts";
import { Spec, Status } from "../cluster/v1beta2/machine-deployment.ts";
import {
  AGE_COLUMN,
  CLUSTER_COLUMN,
  conditionColumn,
  DESIRED_COLUMN,
  MACHINE_COUNT_COLUMNS,
  PAUSED_COLUMN,
  PHASE_COLUMN,
  versionColumn,
} from "../printer-columns.ts";
import { newerVersion } from "./by-rules.ts";
import { machineSpec } from "./machine-spec.ts";
import { annotated, intent, moved, olderOnly } from "./rules.ts";
import { conditionSets, deprecatedFields, nextVersionFields, REPLICA_COUNTERS } from "./status-rules.ts";

/** Carries how many old MachineSets a MachineDeployment keeps, for `capstan rollout undo`; upstream's v1beta2 loses it. */
const REVISION_HISTORY_LIMIT_ANNOTATION = "capstan.dev/revision-history-limit";

/** MachineDeployments of v1beta2. */
export const machineDeploymentV1Beta2 = newerVersion({
  version: "v1beta2",
  spec: Spec,
  status: Status,
  scale: SCALE_BY_SELECTOR,
  columns: [
    CLUSTER_COLUMN,
    conditionColumn("Available", "Available"),
    DESIRED_COLUMN,
    ...MACHINE_COUNT_COLUMNS,
    PAUSED_COLUMN,
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
