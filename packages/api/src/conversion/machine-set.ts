import { SCALE_BY_SELECTOR } from "../cluster/group.ts";
import { Spec, Status } from "../cluster/v1beta2/machine-set.ts";
import {
  AGE_COLUMN,
  CLUSTER_COLUMN,
  DESIRED_COLUMN,
  MACHINE_COUNT_COLUMNS,
  PAUSED_COLUMN,
  versionColumn,
} from "../printer-columns.ts";
import { newerVersion } from "./by-rules.ts";
import { machineSpec } from "./machine-spec.ts";
import { moved, olderOnly } from "./rules.ts";
import { conditionSets, deprecatedFields, nextVersionFields, REPLICA_COUNTERS } from "./status-rules.ts";

/** MachineSets of v1beta2. */
export const machineSetV1Beta2 = newerVersion({
  version: "v1beta2",
  spec: Spec,
  status: Status,
  scale: SCALE_BY_SELECTOR,
  columns: [
    CLUSTER_COLUMN,
    DESIRED_COLUMN,
    ...MACHINE_COUNT_COLUMNS,
    PAUSED_COLUMN,
    AGE_COLUMN,
    versionColumn(".spec.template.spec.version"),
  ],
  fieldRules: [
    moved("spec.deletePolicy", "spec.deletion.order"),
    moved("spec.machineNamingStrategy", "spec.machineNaming"),
    moved("spec.minReadySeconds", "spec.template.spec.minReadySeconds"),
    ...machineSpec("spec.template.spec"),
    ...deprecatedFields(
      "fullyLabeledReplicas",
      "readyReplicas",
      "availableReplicas",
      "failureReason",
      "failureMessage",
    ),
    ...conditionSets,
    ...nextVersionFields(...REPLICA_COUNTERS),
    olderOnly("status.v1beta2"),
  ],
});
