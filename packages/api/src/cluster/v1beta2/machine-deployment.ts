import { StandardConditions } from "../../kubernetes/condition.ts";
import { LabelSelector } from "../../kubernetes/label-selector.ts";
import {
  boolean,
  described,
  integer,
  intOrPercent,
  object,
  oneOf,
  optional,
  timestamp,
} from "../../schema/schema.ts";
import { FALLBACK_ONLY_IN_PLACE } from "../in-place-strategy.ts";
import { InPlaceStatus } from "../machine-deployment-status.ts";
import { ClusterName, ROOM_TO_MOVE, rolloutLimits, ScaleSelector, Versions } from "../machine-fields.ts";
import {
  DeletionOrder,
  deprecatedStatus,
  MachineNaming,
  MachineTemplate,
  observedGeneration,
  replicaCounters,
} from "./fields.ts";

const Strategy = object(
  "How machines are updated to a new template.",
  {
    type: oneOf(
      "RollingUpdate replaces machines within the limits, OnDelete waits until they are deleted, ExternalUpdate (also called InPlace) lets updaters change them in place.",
      ["RollingUpdate", "OnDelete", "ExternalUpdate", "InPlace"],
    ),
    rollingUpdate: optional(
      object("The limits of a rolling update.", rolloutLimits, { minProperties: 1, rules: [ROOM_TO_MOVE] }),
    ),
    fallbackRollingUpdate: optional(
      object(
        "The limits of the rolling update that follows when the updaters cannot make all changes. Without it nothing is replaced.",
        rolloutLimits,
        { rules: [ROOM_TO_MOVE] },
      ),
    ),
  },
  { minProperties: 1, rules: [FALLBACK_ONLY_IN_PLACE] },
);

/** The spec of a MachineDeployment of v1beta2. */
export const Spec = object("The desired state of the deployment.", {
  clusterName: ClusterName,
  replicas: optional(integer("The desired number of machines; default 1.")),
  rollout: optional(
    object(
      "When and how machines are replaced.",
      {
        after: optional(timestamp("Replace all machines that are older than this time, once it has passed.")),
        strategy: optional(Strategy),
      },
      { minProperties: 1 },
    ),
  ),
  selector: described(
    "Selects the machines of the deployment. It must match the labels of the template.",
    LabelSelector,
  ),
  template: MachineTemplate,
  machineNaming: optional(MachineNaming),
  remediation: optional(
    object(
      "How unhealthy machines are replaced.",
      { maxInFlight: optional(intOrPercent("How many may be replaced at once; default: all of them.")) },
      { minProperties: 1 },
    ),
  ),
  deletion: optional(DeletionOrder),
  paused: optional(boolean("Scale, but do not roll out.")),
});

/** The status of a MachineDeployment of v1beta2. */
export const Status = object(
  "The observed state of the deployment.",
  {
    conditions: optional(StandardConditions),
    observedGeneration,
    selector: optional(ScaleSelector),
    ...replicaCounters,
    phase: optional(
      oneOf("The phase of the deployment.", ["ScalingUp", "ScalingDown", "Running", "Failed", "Unknown"]),
    ),
    versions: optional(Versions),
    inPlace: optional(InPlaceStatus),
    deprecated: deprecatedStatus({
      updatedReplicas: optional(integer("How many machines have the new template.")),
      readyReplicas: optional(integer("How many machines have a ready node.")),
      availableReplicas: optional(integer("How many machines have an available node.")),
      unavailableReplicas: optional(integer("How many machines are missing or not available.")),
    }),
  },
  { minProperties: 1 },
);
