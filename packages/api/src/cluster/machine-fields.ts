/** The fields of a machine, as a Machine has them and as every template of machines repeats them. */
import { ObjectReference } from "../kubernetes/object-reference.ts";
import { MachineTaints } from "../kubernetes/taint.ts";
import { TemplateMetadata } from "../kubernetes/template-metadata.ts";
import {
  type Static,
  described,
  duration,
  integer,
  intOrPercent,
  listMap,
  object,
  oneOf,
  optional,
  string,
} from "../schema/schema.ts";

/** The form of the name of a condition. */
export const CONDITION_TYPE = {
  minLength: 1,
  maxLength: 316,
  pattern:
    "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
};

/** The cluster that an object belongs to. Immutable. */
export const ClusterName = string("The cluster it belongs to.", {
  minLength: 1,
  maxLength: 63,
  rules: [{ rule: "self == oldSelf", message: "clusterName is immutable", reason: "FieldValueForbidden" }],
});

/** The Kubernetes version of a machine. */
export const KubernetesVersion = string("The Kubernetes version, such as v1.31.2.", {
  minLength: 1,
  maxLength: 256,
});

/** Further conditions that count. */
export const ConditionGates = listMap(
  "Further conditions that must be true before it counts as ready.",
  object("A condition that must be true.", {
    conditionType: string("The type of the condition.", CONDITION_TYPE),
    polarity: optional(oneOf("Whether True or False is good; default Positive.", ["Positive", "Negative"])),
  }),
  { keys: ["conditionType"], maxItems: 32 },
);

/** How long the steps of a deletion may take. */
export const deletionTimeouts = {
  nodeDrainTimeout: optional(
    duration("How long draining the node may take; without it or with 0 there is no limit."),
  ),
  nodeVolumeDetachTimeout: optional(
    duration("How long to wait for volumes to be detached; without it or with 0 there is no limit."),
  ),
  nodeDeletionTimeout: optional(
    duration("How long to try to delete the node; default 10s, and with 0 there is no limit."),
  ),
};

const Bootstrap = object("How a machine gets its bootstrap data.", {
  configRef: optional(described("The object that creates the bootstrap data.", ObjectReference)),
  dataSecretName: optional(
    string("The Secret with the bootstrap data; set by the controller if there is a configRef.", {
      maxLength: 253,
    }),
  ),
});

/** The fields of a machine. */
export const machineFields = {
  clusterName: ClusterName,
  bootstrap: Bootstrap,
  infrastructureRef: described("The infrastructure object, or its template.", ObjectReference),
  version: optional(KubernetesVersion),
  providerID: optional(
    string("The id of the machine at the cloud provider; equal to that of its node.", {
      minLength: 1,
      maxLength: 512,
    }),
  ),
  failureDomain: optional(string("The failure domain to create it in.", { minLength: 1, maxLength: 256 })),
  readinessGates: optional(ConditionGates),
  taints: optional(MachineTaints),
  ...deletionTimeouts,
};

/** The fields of a machine, as a template has them. */
export const MachineTemplateSpec = object("The desired state of the machines.", machineFields);

/** The fields of a machine, as a template has them. */
export type MachineTemplateSpec = Static<typeof MachineTemplateSpec>;

/** The template of machines. */
export const MachineTemplate = object("The template of machines.", {
  metadata: optional(TemplateMetadata),
  spec: MachineTemplateSpec,
});

/** The template of machines. */
export type MachineTemplate = Static<typeof MachineTemplate>;

/** How machines are named. */
export const MachineNaming = object("How machines are named.", {
  template: optional(
    string("A template with {{ .random }} and, if wanted, {{ .cluster.name }} and {{ .machineSet.name }}.", {
      minLength: 1,
      maxLength: 256,
    }),
  ),
});

/** The desired number of machines, and when a machine counts. */
export const replicaFields = {
  replicas: optional(integer("The desired number of machines; default 1.", { minimum: 0 })),
  minReadySeconds: optional(
    integer("How long a machine must be ready before it counts as available.", { minimum: 0 }),
  ),
};

/** The selector of the machines in the status, which `kubectl scale` reads. */
export const ScaleSelector = string("The selector as text, for `kubectl scale`.", {
  minLength: 1,
  maxLength: 4096,
});

/** Which machines are deleted first when there are too many. */
export const DeletePolicy = oneOf("Which machines are deleted first when there are too many.", [
  "Random",
  "Newest",
  "Oldest",
]);

/** How many machines of which version there are. */
export const Versions = listMap(
  "The versions of the machines.",
  object("How many machines have a version.", {
    version: string("The Kubernetes version.", { minLength: 1, maxLength: 256 }),
    replicas: optional(integer("How many machines have it.", { minimum: 1 })),
  }),
  { keys: ["version"], minItems: 1, maxItems: 100 },
);

/** The limits of a rolling update. */
export const rolloutLimits = {
  maxSurge: optional(
    intOrPercent("How many machines may exist beyond the desired number; a percentage rounds up."),
  ),
  maxUnavailable: optional(
    intOrPercent("How many machines may be unavailable during an update; a percentage rounds down."),
  ),
};

/** Refuses limits with which a rollout could never progress. */
export const ROOM_TO_MOVE = {
  rule: "!(has(self.maxSurge) && has(self.maxUnavailable) && type(self.maxSurge) == int && type(self.maxUnavailable) == int && int(self.maxSurge) == 0 && int(self.maxUnavailable) == 0)",
  message: "maxUnavailable and maxSurge cannot both be 0",
};
