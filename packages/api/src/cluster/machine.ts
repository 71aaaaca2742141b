import { Conditions } from "../kubernetes/condition.ts";
import { ObjectReference } from "../kubernetes/object-reference.ts";
import { machineV1Beta2 } from "../conversion/machine.ts";
import { type ObjectOf, defineKind } from "../kind.ts";
import { anyObject, boolean, described, listOf, long, object, optional, string } from "../schema/schema.ts";
import { CLUSTER_API, CORE_PROVIDER_LABELS } from "./group.ts";
import {
  AGE_COLUMN,
  CLUSTER_COLUMN,
  NODE_NAME_COLUMN,
  OS_IMAGE_COLUMN,
  PHASE_COLUMN,
  PROVIDER_ID_COLUMN,
  addressColumn,
  conditionColumn,
  versionColumn,
} from "../printer-columns.ts";
import { machineFields } from "./machine-fields.ts";
import { MachineAddress, machineObservations, machineUpdaters } from "./machine-status.ts";
import {
  defaultMachineSpec,
  immutableErrors,
  labelWithCluster,
  machineSpecErrors,
  workerTaintErrors,
} from "./machine-rules.ts";
import { specLockErrors } from "./spec-lock.ts";
import { CONTROL_PLANE_LABEL, POOL_NAME_LABEL } from "./well-known.ts";

const Spec = object("The desired state of the machine.", {
  ...machineFields,
  ...machineUpdaters,
});

const Status = object("The observed state of the machine.", {
  nodeRef: optional(described("The node of the machine.", ObjectReference)),
  ...machineObservations,
  failureReason: optional(string("Why the machine failed for good, in CamelCase.")),
  failureMessage: optional(string("Why the machine failed for good.", { minLength: 1, maxLength: 10240 })),
  addresses: optional(listOf("The addresses of the machine.", MachineAddress)),
  bootstrapReady: optional(boolean("Whether the bootstrap data is available.")),
  infrastructureReady: optional(boolean("Whether the infrastructure is ready.")),
  observedGeneration: optional(long("The generation that the controller last observed.")),
  conditions: optional(Conditions),
  v1beta2: optional(anyObject("Fields of the next version of the API, preserved.")),
});

/** A machine that is, or will be, a node of a cluster. */
export const Machine = defineKind({
  ...CLUSTER_API,
  kind: "Machine",
  plural: "machines",
  shortNames: ["ma"],
  description: "A machine that is, or will be, a node of a cluster.",
  spec: Spec,
  status: Status,
  crdLabels: CORE_PROVIDER_LABELS,
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
  converted: [machineV1Beta2],
  applyDefaults(draft) {
    labelWithCluster(draft.metadata, draft.spec.clusterName);
    defaultMachineSpec(draft.spec, draft.metadata.namespace);
  },
  validate({ object: machine, old }) {
    const { metadata } = machine;
    const errors = machineSpecErrors(machine.spec, { field: "spec", namespace: metadata.namespace });
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
