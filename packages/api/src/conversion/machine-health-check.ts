import { CLUSTER_COLUMN, AGE_COLUMN, countColumn } from "../printer-columns.ts";
import { Spec, Status } from "../cluster/v1beta1/machine-health-check.ts";
import * as newer from "../cluster/v1beta2/machine-health-check.ts";
import { olderVersion } from "./by-rules.ts";
import { healthCheck } from "./health-check.ts";
import { intent, olderOnly } from "./rules.ts";
import { conditionSets } from "./status-rules.ts";

const COUNTERS = ["expectedMachines", "currentHealthy", "remediationsAllowed"];

/** MachineHealthChecks of v1beta1. */
export const machineHealthCheckV1Beta1 = olderVersion({
  version: "v1beta1",
  spec: Spec,
  status: Status,
  newer: { spec: newer.Spec, status: newer.Status },
  columns: [
    CLUSTER_COLUMN,
    countColumn("ExpectedMachines", "expectedMachines", "The number of checked machines."),
    { name: "MaxUnhealthy", type: "string", jsonPath: ".spec.maxUnhealthy", description: "The limit." },
    countColumn("CurrentHealthy", "currentHealthy", "The number of healthy machines."),
    AGE_COLUMN,
  ],
  fieldRules: [
    ...healthCheck("spec", "spec"),
    ...COUNTERS.map((name) => intent(`status.${name}`, `status.${name}`, 0)),
    ...conditionSets,
    olderOnly("status.v1beta2"),
  ],
});
