import {
  CLUSTER_COLUMN,
  PHASE_COLUMN,
  AGE_COLUMN,
  NODE_NAME_COLUMN,
  PROVIDER_ID_COLUMN,
  OS_IMAGE_COLUMN,
  addressColumn,
  conditionColumn,
  PAUSED_COLUMN,
  versionColumn,
} from "../printer-columns.ts";
import { machineV1Beta1 } from "../conversion/machine.ts";
import { type ObjectOf, defineKind } from "../kind.ts";
import { CLUSTER_API, CORE_PROVIDER_LABELS } from "./group.ts";
import {
  defaultMachineSpec,
  immutableErrors,
  labelWithCluster,
  machineSpecErrors,
  workerTaintErrors,
} from "./machine-rules.ts";
import { specLockErrors } from "./spec-lock.ts";
import { Spec, Status } from "./v1beta2/machine.ts";
import { CONTROL_PLANE_LABEL, POOL_NAME_LABEL } from "./well-known.ts";

/** A machine that is, or will be, a node of a cluster. */
export const Machine = defineKind({
  ...CLUSTER_API,
  kind: "Machine",
  plural: "machines",
  shortNames: ["ma"],
  description: "A machine that is, or will be, a node of a cluster.",
  spec: Spec,
  status: Status,
  conditionForm: "v1beta2",
  crdLabels: CORE_PROVIDER_LABELS,
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
  converted: [machineV1Beta1],
  applyDefaults(draft) {
    labelWithCluster(draft.metadata, draft.spec.clusterName);
    defaultMachineSpec(draft.spec);
  },
  validate({ object: machine, old }) {
    const { metadata } = machine;
    const errors = machineSpecErrors("spec", machine.spec);
    // The machines of a pool have no bootstrap data of their own; the pool has it.
    const ofPool = metadata.labels?.[POOL_NAME_LABEL] !== undefined;
    return [
      ...errors.filter(({ field }) => !(ofPool && field === "spec.bootstrap")),
      ...(metadata.labels?.[CONTROL_PLANE_LABEL] === undefined
        ? workerTaintErrors("spec.taints", machine.spec.taints)
        : []),
      ...(old ? immutableErrors("spec.clusterName", machine.spec.clusterName, old.spec.clusterName) : []),
      ...(old ? specLockErrors(machine, old) : []),
    ];
  },
});

/** A machine that is, or will be, a node of a cluster. */
export type Machine = ObjectOf<typeof Machine>;
