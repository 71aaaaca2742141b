import {
  CLUSTER_COLUMN,
  DESIRED_COLUMN,
  AGE_COLUMN,
  countColumn,
  versionColumn,
} from "../printer-columns.ts";
import { SCALE_BY_SELECTOR } from "../cluster/group.ts";
import { Spec, Status } from "../cluster/v1beta1/machine-set.ts";
import * as newer from "../cluster/v1beta2/machine-set.ts";
import { olderVersion } from "./by-rules.ts";
import { machineSpec } from "./machine-spec.ts";
import { intent, moved, olderOnly } from "./rules.ts";
import { conditionSets, deprecatedFields, nextVersionFields, REPLICA_COUNTERS } from "./status-rules.ts";

/** MachineSets of v1beta1. */
export const machineSetV1Beta1 = olderVersion({
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
    countColumn("Available", "availableReplicas", "The number of available machines."),
    AGE_COLUMN,
    versionColumn(".spec.template.spec.version"),
  ],
  fieldRules: [
    moved("spec.deletePolicy", "spec.deletion.order"),
    moved("spec.machineNamingStrategy", "spec.machineNaming"),
    intent("spec.minReadySeconds", "spec.template.spec.minReadySeconds", 0),
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
