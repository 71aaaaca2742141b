/** Fields that several kinds have in v1beta1. */
import { ObjectReference } from "../../kubernetes/object-reference.ts";
import { MachineTaints } from "../../kubernetes/taint.ts";
import { TemplateMetadata } from "../../kubernetes/template-metadata.ts";
import {
  described,
  duration,
  integer,
  listMap,
  object,
  oneOf,
  optional,
  string,
} from "../../schema/schema.ts";
import { CONDITION_TYPE } from "../../kubernetes/condition.ts";
import { ClusterName, KubernetesVersion } from "../machine-fields.ts";

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
const MachineTemplateSpec = object("The desired state of the machines.", machineFields);

/** The template of machines. */
export const MachineTemplate = object("The template of machines.", {
  metadata: optional(TemplateMetadata),
  spec: MachineTemplateSpec,
});

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
