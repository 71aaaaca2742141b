import { Spec, Status } from "../cluster/v1beta2/cluster.ts";
import type { PrinterColumn } from "../kind.ts";
import {
  AGE_COLUMN,
  conditionColumn,
  PAUSED_COLUMN,
  PHASE_COLUMN,
  versionColumn,
} from "../printer-columns.ts";
import { newerVersion } from "./by-rules.ts";
import { clusterTopology } from "./cluster-topology.ts";
import { failureDomains } from "./failure-domains.ts";
import { reference } from "./references.ts";
import { intent, olderOnly } from "./rules.ts";
import { conditionSets, deprecatedFields, nextVersionFields } from "./status-rules.ts";

/** Clusters of v1beta2. */
export const clusterV1Beta2 = newerVersion({
  version: "v1beta2",
  spec: Spec,
  status: Status,
  columns: [
    {
      name: "ClusterClass",
      type: "string",
      jsonPath: ".spec.topology.classRef.name",
      description: "The class it is made from.",
    },
    conditionColumn("Available", "Available"),
    ...machineColumns("CP", "controlPlane"),
    ...machineColumns("W", "workers"),
    PAUSED_COLUMN,
    PHASE_COLUMN,
    AGE_COLUMN,
    versionColumn(".spec.topology.version"),
  ],
  fieldRules: [
    intent("spec.paused", "spec.paused"),
    reference("spec.controlPlaneRef"),
    reference("spec.infrastructureRef"),
    ...clusterTopology("spec.topology"),
    intent("status.infrastructureReady", "status.initialization.infrastructureProvisioned"),
    intent("status.controlPlaneReady", "status.initialization.controlPlaneInitialized"),
    failureDomains("status.failureDomains"),
    ...deprecatedFields("failureReason", "failureMessage"),
    ...conditionSets,
    ...nextVersionFields("controlPlane", "workers"),
    olderOnly("status.v1beta2"),
  ],
});

function machineColumns(title: string, field: string): PrinterColumn[] {
  const column = (name: string, counter: string, priority?: 1): PrinterColumn => ({
    name: `${title} ${name}`,
    type: "integer",
    jsonPath: `.status.${field}.${counter}`,
    description: "The number of such machines.",
    ...(priority && { priority }),
  });
  return [
    column("Desired", "desiredReplicas"),
    column("Current", "replicas", 1),
    column("Ready", "readyReplicas", 1),
    column("Available", "availableReplicas"),
    column("Up-to-date", "upToDateReplicas"),
  ];
}
