import { StandardConditions } from "../../kubernetes/condition.ts";
import { integer, object, optional } from "../../schema/schema.ts";
import { ClusterName, Versions } from "../machine-fields.ts";
import { poolLists, poolObservations } from "../machine-pool-fields.ts";
import {
  deprecatedFailure,
  deprecatedStatus,
  MachineTemplate,
  observedGeneration,
  replicaCounters,
} from "./fields.ts";
import { Initialization } from "./machine.ts";

/** The spec of a MachinePool of v1beta2. */
export const Spec = object("The desired state of the pool.", {
  clusterName: ClusterName,
  replicas: optional(integer("The desired number of machines; default 1.")),
  template: MachineTemplate,
  ...poolLists,
});

/** The status of a MachinePool of v1beta2. */
export const Status = object(
  "The observed state of the pool.",
  {
    conditions: optional(StandardConditions),
    initialization: optional(Initialization),
    ...poolObservations,
    ...replicaCounters,
    observedGeneration,
    versions: optional(Versions),
    deprecated: deprecatedStatus({
      ...deprecatedFailure,
      readyReplicas: optional(integer("How many machines have a ready node.")),
      availableReplicas: optional(integer("How many machines have an available node.")),
      unavailableReplicas: optional(integer("How many machines are missing or not available.")),
    }),
  },
  { minProperties: 1 },
);
