import {
  CLUSTER_COLUMN,
  PHASE_COLUMN,
  AGE_COLUMN,
  NODE_NAME_COLUMN,
  PROVIDER_ID_COLUMN,
  OS_IMAGE_COLUMN,
  addressColumn,
  conditionColumn,
  versionColumn,
} from "../printer-columns.ts";
import { Spec, Status } from "../cluster/v1beta1/machine.ts";
import * as newer from "../cluster/v1beta2/machine.ts";
import { olderVersion } from "./by-rules.ts";
import { machineSpec } from "./machine-spec.ts";
import { nodeReference } from "./references.ts";
import { intent, isSeconds, newerOnly, olderOnly } from "./rules.ts";
import { conditionSets, deprecatedFields } from "./status-rules.ts";

/** Machines of v1beta1. */
export const machineV1Beta1 = olderVersion({
  version: "v1beta1",
  spec: Spec,
  status: Status,
  newer: { spec: newer.Spec, status: newer.Status },
  columns: [
    CLUSTER_COLUMN,
    NODE_NAME_COLUMN,
    PROVIDER_ID_COLUMN,
    {
      name: "Failure domain",
      type: "string",
      jsonPath: ".spec.failureDomain",
      description: "Where it runs.",
    },
    conditionColumn("Ready", "Ready"),
    conditionColumn("Available", "Available"),
    conditionColumn("Up-to-date", "UpToDate"),
    addressColumn("Internal-IP", "InternalIP"),
    OS_IMAGE_COLUMN,
    conditionColumn("Paused", "Paused", 1),
    PHASE_COLUMN,
    AGE_COLUMN,
    versionColumn(".spec.version"),
  ],
  fieldRules: [
    ...machineSpec("spec"),
    newerOnly("spec.minReadySeconds", isSeconds),
    intent("status.bootstrapReady", "status.initialization.bootstrapDataSecretCreated"),
    intent("status.infrastructureReady", "status.initialization.infrastructureProvisioned"),
    nodeReference("status.nodeRef"),
    newerOnly("status.failureDomain", isFailureDomain),
    ...deprecatedFields("failureReason", "failureMessage"),
    ...conditionSets,
    olderOnly("status.v1beta2"),
  ],
});

const LONGEST_FAILURE_DOMAIN = 256;

function isFailureDomain(value: unknown): boolean {
  return typeof value === "string" && value.length > 0 && value.length <= LONGEST_FAILURE_DOMAIN;
}
