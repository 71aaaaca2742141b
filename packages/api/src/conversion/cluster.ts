import { PHASE_COLUMN, AGE_COLUMN, versionColumn } from "../printer-columns.ts";
import { Spec, Status } from "../cluster/v1beta1/cluster.ts";
import * as newer from "../cluster/v1beta2/cluster.ts";
import { olderVersion } from "./by-rules.ts";
import { clusterTopology } from "./cluster-topology.ts";
import { failureDomains } from "./failure-domains.ts";
import { reference } from "./references.ts";
import { intent, olderOnly } from "./rules.ts";
import { conditionSets, deprecatedFields, nextVersionFields } from "./status-rules.ts";

/** Clusters of v1beta1. */
export const clusterV1Beta1 = olderVersion({
  version: "v1beta1",
  spec: Spec,
  status: Status,
  newer: { spec: newer.Spec, status: newer.Status },
  columns: [
    {
      name: "ClusterClass",
      type: "string",
      jsonPath: ".spec.topology.class",
      description: "The class it is made from.",
    },
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
