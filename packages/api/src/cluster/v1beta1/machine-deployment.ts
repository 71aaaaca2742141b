import { Conditions } from "../../kubernetes/condition.ts";
import { LabelSelector } from "../../kubernetes/label-selector.ts";
import {
  anyObject,
  boolean,
  described,
  intOrPercent,
  integer,
  long,
  object,
  oneOf,
  optional,
  timestamp,
} from "../../schema/schema.ts";
import { FALLBACK_ONLY_IN_PLACE } from "../in-place-strategy.ts";
import { InPlaceStatus } from "../machine-deployment-status.ts";
import {
  ClusterName,
  DeletePolicy,
  ROOM_TO_MOVE,
  ScaleSelector,
  Versions,
  rolloutLimits,
} from "../machine-fields.ts";
import { MachineNaming, MachineTemplate, replicaFields } from "./fields.ts";

const Strategy = object(
  "How machines are updated to a new template.",
  {
    type: optional(
      oneOf(
        "RollingUpdate replaces machines within the limits, OnDelete waits until they are deleted, ExternalUpdate (also called InPlace) lets updaters change them in place.",
        ["RollingUpdate", "OnDelete", "ExternalUpdate", "InPlace"],
      ),
    ),
    rollingUpdate: optional(
      object(
        "The limits of a rolling update.",
        { ...rolloutLimits, deletePolicy: optional(DeletePolicy) },
        { rules: [ROOM_TO_MOVE] },
      ),
    ),
    fallbackRollingUpdate: optional(
      object(
        "The limits of the rolling update that follows when the updaters cannot make all changes. Without it nothing is replaced.",
        { ...rolloutLimits },
        { rules: [ROOM_TO_MOVE] },
      ),
    ),
    remediation: optional(
      object("How unhealthy machines are replaced.", {
        maxInFlight: optional(intOrPercent("How many may be replaced at once; default: all of them.")),
      }),
    ),
  },
  { rules: [FALLBACK_ONLY_IN_PLACE] },
);

/** The spec of a MachineDeployment of v1beta1. */
export const Spec = object("The desired state of the deployment.", {
  clusterName: ClusterName,
  ...replicaFields,
  rolloutAfter: optional(
    timestamp("Replace all machines that are older than this time, once it has passed."),
  ),
  selector: described(
    "Selects the machines of the deployment. It must match the labels of the template.",
    LabelSelector,
  ),
  template: MachineTemplate,
  strategy: optional(Strategy),
  machineNamingStrategy: optional(MachineNaming),
  revisionHistoryLimit: optional(
    integer(
      "How many old MachineSets without machines are kept for a return to their template; none unless given.",
      {
        minimum: 0,
      },
    ),
  ),
  paused: optional(boolean("Scale, but do not roll out.")),
  progressDeadlineSeconds: optional(integer("Has no effect; kept for old manifests.")),
});

/** The status of a MachineDeployment of v1beta1. */
export const Status = object("The observed state of the deployment.", {
  observedGeneration: optional(long("The generation that the controller last observed.")),
  selector: optional(ScaleSelector),
  replicas: optional(integer("How many machines there are.")),
  updatedReplicas: optional(integer("How many machines have the new template.")),
  readyReplicas: optional(integer("How many machines are ready.")),
  availableReplicas: optional(integer("How many machines are available.")),
  unavailableReplicas: optional(integer("How many machines are missing or not available.")),
  phase: optional(
    oneOf("The phase of the deployment.", ["ScalingUp", "ScalingDown", "Running", "Failed", "Unknown"]),
  ),
  inPlace: optional(InPlaceStatus),
  conditions: optional(Conditions),
  versions: optional(Versions),
  v1beta2: optional(anyObject("Fields of the next version of the API, preserved.")),
});
