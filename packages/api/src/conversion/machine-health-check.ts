import { Spec, Status } from "../cluster/v1beta2/machine-health-check.ts";
import { AGE_COLUMN, CLUSTER_COLUMN, countColumn, PAUSED_COLUMN } from "../printer-columns.ts";
import { newerVersion } from "./by-rules.ts";
import { healthCheck } from "./health-check.ts";
import { intent, olderOnly } from "./rules.ts";
import { conditionSets } from "./status-rules.ts";

const COUNTERS = ["expectedMachines", "currentHealthy", "remediationsAllowed"];

/** MachineHealthChecks of v1beta2. */
export const machineHealthCheckV1Beta2 = newerVersion({
  version: "v1beta2",
  spec: Spec,
  status: Status,
  columns: [
    CLUSTER_COLUMN,
    countColumn("Replicas", "expectedMachines", "The number of checked machines."),
    countColumn("Healthy", "currentHealthy", "The number of healthy machines."),
    PAUSED_COLUMN,
    AGE_COLUMN,
  ],
  fieldRules: [
    ...healthCheck("spec", "spec"),
    ...COUNTERS.map((name) => intent(`status.${name}`, `status.${name}`, 0)),
    ...conditionSets,
    olderOnly("status.v1beta2"),
  ],
});
