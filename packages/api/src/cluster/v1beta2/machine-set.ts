import { StandardConditions } from "../../kubernetes/condition.ts";
import { LabelSelector } from "../../kubernetes/label-selector.ts";
import { described, integer, object, optional } from "../../schema/schema.ts";
import { ClusterName, ScaleSelector, Versions } from "../machine-fields.ts";
import { machineSetProgress } from "../machine-set-status.ts";
import {
  DeletionOrder,
  deprecatedFailure,
  deprecatedStatus,
  MachineNaming,
  MachineTemplate,
  observedGeneration,
  replicaCounters,
} from "./fields.ts";

/** The spec of a MachineSet of v1beta2. */
export const Spec = object("The desired state of the machine set.", {
  clusterName: ClusterName,
  replicas: optional(integer("The desired number of machines; default 1.")),
  selector: described(
    "Selects the machines of the set. It must match the labels of the template.",
    LabelSelector,
  ),
  template: MachineTemplate,
  machineNaming: optional(MachineNaming),
  deletion: optional(DeletionOrder),
});

/** The status of a MachineSet of v1beta2. */
export const Status = object(
  "The observed state of the machine set.",
  {
    conditions: optional(StandardConditions),
    selector: optional(ScaleSelector),
    ...replicaCounters,
    ...machineSetProgress,
    observedGeneration,
    versions: optional(Versions),
    deprecated: deprecatedStatus({
      ...deprecatedFailure,
      fullyLabeledReplicas: optional(integer("How many machines have all labels of the template.")),
      readyReplicas: optional(integer("How many machines have a ready node.")),
      availableReplicas: optional(integer("How many machines have an available node.")),
    }),
  },
  { minProperties: 1 },
);
