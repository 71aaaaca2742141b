/** Fields that several kinds have in v1beta2. */
import { TemplateMetadata } from "../../kubernetes/template-metadata.ts";
import { MachineTaints } from "../../kubernetes/taint.ts";
import { CONDITION_TYPE, Conditions } from "../../kubernetes/condition.ts";
import {
  type Static,
  described,
  integer,
  listMap,
  long,
  object,
  oneOf,
  optional,
  string,
} from "../../schema/schema.ts";
import { ClusterName, DeletePolicy, KubernetesVersion } from "../machine-fields.ts";

/** The form of the names of objects. */
export const DNS_SUBDOMAIN = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";
const KIND = "^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$";

/** The fields of a reference that name a kind and an object. */
export const namedObject = {
  kind: string("The kind of the object.", { minLength: 1, maxLength: 63, pattern: KIND }),
  name: string("The name of the object.", { minLength: 1, maxLength: 253, pattern: DNS_SUBDOMAIN }),
};

/** A reference to an object in the same namespace. The version of its kind comes from its CRD. */
export const ContractReference = object("Points to an object in the same namespace.", {
  apiGroup: string("The API group of the object.", {
    minLength: 1,
    maxLength: 253,
    pattern: DNS_SUBDOMAIN,
  }),
  ...namedObject,
});

/** A reference to an object in the same namespace. */
export type ContractReference = Static<typeof ContractReference>;

const timeoutSeconds = (description: string) => optional(integer(description, { minimum: 0 }));

/** How long the steps of a deletion may take. */
export const deletionTimeouts = {
  nodeDrainTimeoutSeconds: timeoutSeconds(
    "How long draining the node may take; without it or with 0 there is no limit.",
  ),
  nodeVolumeDetachTimeoutSeconds: timeoutSeconds(
    "How long to wait for volumes to be detached; without it or with 0 there is no limit.",
  ),
  nodeDeletionTimeoutSeconds: timeoutSeconds(
    "How long to try to delete the node; default 10, and with 0 there is no limit.",
  ),
};

/** Further conditions that count. */
export const ConditionGates = listMap(
  "Further conditions that must be true before it counts as ready.",
  object("A condition that must be true.", {
    conditionType: string("The type of the condition.", CONDITION_TYPE),
    polarity: optional(oneOf("Whether True or False is good; default Positive.", ["Positive", "Negative"])),
  }),
  { keys: ["conditionType"], minItems: 1, maxItems: 32 },
);

/** The fields of a machine. */
export const machineFields = {
  clusterName: ClusterName,
  bootstrap: object("How a machine gets its bootstrap data.", {
    configRef: optional(described("The object that creates the bootstrap data.", ContractReference)),
    dataSecretName: optional(
      string("The Secret with the bootstrap data; set by the controller if there is a configRef.", {
        minLength: 0,
        maxLength: 253,
      }),
    ),
  }),
  infrastructureRef: described("The infrastructure object, or its template.", ContractReference),
  version: optional(KubernetesVersion),
  providerID: optional(
    string("The id of the machine at the cloud provider; equal to that of its node.", {
      minLength: 1,
      maxLength: 512,
    }),
  ),
  failureDomain: optional(string("The failure domain to create it in.", { minLength: 1, maxLength: 256 })),
  minReadySeconds: optional(
    integer("How long a machine must be ready before it counts as available.", { minimum: 0 }),
  ),
  readinessGates: optional(ConditionGates),
  deletion: optional(object("How the machine is deleted.", deletionTimeouts, { minProperties: 1 })),
  taints: optional(MachineTaints),
};

/** Labels and annotations of objects that a template creates. */
export const NonEmptyTemplateMetadata = object(
  "Labels and annotations of objects that the template creates.",
  TemplateMetadata.properties,
  { minProperties: 1 },
);

const MachineTemplateSpec = object("The desired state of the machines.", machineFields);

/** The fields of a machine, as a template has them. */
export type MachineTemplateSpec = Static<typeof MachineTemplateSpec>;

/** The template of machines. */
export const MachineTemplate = object("The template of machines.", {
  metadata: optional(NonEmptyTemplateMetadata),
  spec: MachineTemplateSpec,
});

/** The template of machines. */
export type MachineTemplate = Static<typeof MachineTemplate>;

/** How machines are named. */
export const MachineNaming = object(
  "How machines are named.",
  {
    template: optional(
      string(
        "A template with {{ .random }} and, if wanted, {{ .cluster.name }} and {{ .machineSet.name }}.",
        {
          minLength: 1,
          maxLength: 256,
        },
      ),
    ),
  },
  { minProperties: 1 },
);

/** Which machines are deleted first when there are too many. */
export const DeletionOrder = object(
  "How machines are deleted when there are too many.",
  { order: optional(DeletePolicy) },
  { minProperties: 1 },
);

/** The fields of a status that only clients of v1beta1 read. */
export function deprecatedStatus<F extends Parameters<typeof object>[1]>(fields: F) {
  return optional(
    object("Fields that are no longer used, for clients of older versions.", {
      v1beta1: optional(
        object("Fields of v1beta1.", {
          conditions: optional(described("The conditions of v1beta1.", Conditions)),
          ...fields,
        }),
      ),
    }),
  );
}

/** Why an object can never work, in the sense of v1beta1. */
export const deprecatedFailure = {
  failureReason: optional(string("The reason of a failure that needs a user.")),
  failureMessage: optional(string("The same, for people.", { minLength: 1, maxLength: 10_240 })),
};

/** The generation that the controller last observed. */
export const observedGeneration = optional(
  long("The generation that the controller last observed.", { minimum: 1 }),
);

/** How many machines there are, and how many of them have the conditions of v1beta2. */
export const replicaCounters = {
  replicas: optional(integer("How many machines there are.")),
  readyReplicas: optional(integer("How many machines are ready.")),
  availableReplicas: optional(integer("How many machines are available.")),
  upToDateReplicas: optional(integer("How many machines have the current template.")),
};
