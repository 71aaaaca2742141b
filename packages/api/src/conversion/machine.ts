import { Spec, Status } from "../cluster/v1beta2/machine.ts";
import {
  AGE_COLUMN,
  addressColumn,
  CLUSTER_COLUMN,
  conditionColumn,
  NODE_NAME_COLUMN,
  OS_IMAGE_COLUMN,
  PAUSED_COLUMN,
  PHASE_COLUMN,
  PROVIDER_ID_COLUMN,
  versionColumn,
} from "../printer-columns.ts";
import { newerVersion } from "./by-rules.ts";
import { machineSpec } from "./machine-spec.ts";
import { nodeReference } from "./references.ts";
import { intent, newerOnly, olderOnly } from "./rules.ts";
import { conditionSets, deprecatedFields } from "./status-rules.ts";

/** Machines of v1beta2. */
export const machineV1Beta2 = newerVersion({
  version: "v1beta2",
  spec: Spec,
  status: Status,
  columns: [
    CLUSTER_COLUMN,
    NODE_NAME_COLUMN,
    PROVIDER_ID_COLUMN,
    {
      name: "Failure domain",
      type: "string",
      jsonPath: ".status.failureDomain",
      description: "Where it runs.",
    },
    conditionColumn("Ready", "Ready"),
    conditionColumn("Available", "Available"),
    conditionColumn("Up-to-date", "UpToDate"),
    addressColumn("Internal-IP", "InternalIP"),
    addressColumn("External-IP", "ExternalIP"),
    OS_IMAGE_COLUMN,
    PAUSED_COLUMN,
    PHASE_COLUMN,
    AGE_COLUMN,
    versionColumn(".spec.version"),
  ],
  fieldRules: [
    ...machineSpec("spec"),
    newerOnly("spec.minReadySeconds", (value) => Number.isInteger(value) && Number(value) >= 0),
    intent("status.bootstrapReady", "status.initialization.bootstrapDataSecretCreated"),
    intent("status.infrastructureReady", "status.initialization.infrastructureProvisioned"),
    nodeReference("status.nodeRef"),
    newerOnly("status.failureDomain", (value) => typeof value === "string" && value !== ""),
    ...deprecatedFields("failureReason", "failureMessage"),
    ...conditionSets,
    olderOnly("status.v1beta2"),
  ],
});
