import { Conditions } from "../../kubernetes/condition.ts";
import { LabelSelector } from "../../kubernetes/label-selector.ts";
import { anyObject, described, integer, long, object, optional, string } from "../../schema/schema.ts";
import { ClusterName, DeletePolicy, ScaleSelector, Versions } from "../machine-fields.ts";
import { machineSetProgress } from "../machine-set-status.ts";
import { MachineNaming, MachineTemplate, replicaFields } from "./fields.ts";

/** The spec of a MachineSet of v1beta1. */
export const Spec = object("The desired state of the machine set.", {
  clusterName: ClusterName,
  ...replicaFields,
  deletePolicy: optional(DeletePolicy),
  selector: described(
    "Selects the machines of the set. It must match the labels of the template.",
    LabelSelector,
  ),
  template: MachineTemplate,
  machineNamingStrategy: optional(MachineNaming),
});

/** The status of a MachineSet of v1beta1. */
export const Status = object("The observed state of the machine set.", {
  selector: optional(ScaleSelector),
  replicas: optional(integer("How many machines there are.")),
  fullyLabeledReplicas: optional(integer("How many machines have all labels of the template.")),
  readyReplicas: optional(integer("How many machines are ready.")),
  availableReplicas: optional(integer("How many machines are available.")),
  ...machineSetProgress,
  observedGeneration: optional(long("The generation that the controller last observed.")),
  failureReason: optional(string("Why the set failed for good, in CamelCase.")),
  failureMessage: optional(string("Why the set failed for good.", { minLength: 1, maxLength: 10240 })),
  conditions: optional(Conditions),
  versions: optional(Versions),
  v1beta2: optional(anyObject("Fields of the next version of the API, preserved.")),
});
