import { Conditions } from "../../kubernetes/condition.ts";
import { anyObject, boolean, integer, long, object, optional, string } from "../../schema/schema.ts";
import { ClusterName, Versions } from "../machine-fields.ts";
import { poolLists, poolObservations } from "../machine-pool-fields.ts";
import { MachineTemplate, replicaFields } from "./fields.ts";

/** The spec of a MachinePool of v1beta1. */
export const Spec = object("The desired state of the pool.", {
  clusterName: ClusterName,
  ...replicaFields,
  template: MachineTemplate,
  ...poolLists,
});

/** The status of a MachinePool of v1beta1. */
export const Status = object("The observed state of the pool.", {
  ...poolObservations,
  replicas: optional(integer("How many machines there are.")),
  readyReplicas: optional(integer("How many machines are ready.")),
  availableReplicas: optional(integer("How many machines are available.")),
  unavailableReplicas: optional(integer("How many machines are missing or not available.")),
  upToDateReplicas: optional(integer("How many machines are up to date.")),
  failureReason: optional(string("Why the pool failed for good, in CamelCase.")),
  failureMessage: optional(string("Why the pool failed for good.", { minLength: 1, maxLength: 10240 })),
  bootstrapReady: optional(boolean("Whether the bootstrap data is available.")),
  infrastructureReady: optional(boolean("Whether the infrastructure is ready.")),
  observedGeneration: optional(long("The generation that the controller last observed.")),
  conditions: optional(Conditions),
  versions: optional(Versions),
  v1beta2: optional(anyObject("Fields of the next version of the API, preserved.")),
});
