import { StandardConditions } from "../../kubernetes/condition.ts";
import { nonEmpty } from "../../schema/non-empty.ts";
import { boolean, described, integer, listOf, object, oneOf, optional, string } from "../../schema/schema.ts";
import {
  ConditionGates,
  ContractReference,
  deprecatedFailure,
  deprecatedStatus,
  observedGeneration,
} from "./fields.ts";
import { ControlPlaneEndpoint, FailureDomains, PORT } from "./infrastructure-contract.ts";
import { Topology } from "./topology.ts";

const NetworkRanges = object("Address ranges.", {
  cidrBlocks: listOf(
    "The ranges.",
    string("A CIDR block, such as 10.0.0.0/16.", { minLength: 1, maxLength: 43 }),
    { maxItems: 100 },
  ),
});

/** The spec of a Cluster of v1beta2. */
export const Spec = nonEmpty(
  object(
    "The desired state of the cluster.",
    {
      paused: optional(boolean("Whether the controllers ignore the cluster and everything in it.")),
      clusterNetwork: optional(
        object("The network of the cluster.", {
          apiServerPort: optional(integer("The port of the API server; default: 6443.", PORT)),
          services: optional(described("The addresses of services.", NetworkRanges)),
          pods: optional(described("The addresses of pods.", NetworkRanges)),
          serviceDomain: optional(string("The domain of services.", { minLength: 1, maxLength: 253 })),
        }),
      ),
      controlPlaneEndpoint: optional(ControlPlaneEndpoint),
      controlPlaneRef: optional(described("The object that runs the control plane.", ContractReference)),
      infrastructureRef: optional(
        described("The object that has the infrastructure of the cluster.", ContractReference),
      ),
      topology: optional(Topology),
      availabilityGates: optional(
        described(
          "Further conditions that must be true before the cluster counts as available.",
          ConditionGates,
        ),
      ),
    },
    { minProperties: 1 },
  ),
);

const Version = string("The Kubernetes version.", { minLength: 1, maxLength: 256 });

const Machines = object("The machines of a part of the cluster.", {
  desiredReplicas: optional(integer("How many machines there should be.")),
  replicas: optional(integer("How many machines there are.")),
  upToDateReplicas: optional(integer("How many machines have the current template.")),
  readyReplicas: optional(integer("How many machines are ready.")),
  availableReplicas: optional(integer("How many machines are available.")),
  versions: optional(
    listOf(
      "The versions of the machines.",
      object("How many machines have a version.", {
        version: Version,
        replicas: optional(integer("How many machines have it.", { minimum: 1 })),
      }),
      { minItems: 1, maxItems: 32 },
    ),
  ),
  upgradePlan: optional(
    listOf(
      "The versions to upgrade to, in order.",
      object("A version to upgrade to.", { version: Version }),
      {
        minItems: 1,
        maxItems: 32,
      },
    ),
  ),
});

/** The status of a Cluster of v1beta2. */
export const Status = object(
  "The observed state of the cluster.",
  {
    conditions: optional(StandardConditions),
    initialization: optional(
      object(
        "What has been done since the cluster was created.",
        {
          infrastructureProvisioned: optional(boolean("Whether the infrastructure is ready.")),
          controlPlaneInitialized: optional(boolean("Whether the control plane answers.")),
        },
        { minProperties: 1 },
      ),
    ),
    controlPlane: optional(described("The machines of the control plane.", Machines)),
    workers: optional(described("The machines of the workers.", Machines)),
    failureDomains: optional(FailureDomains),
    phase: optional(
      oneOf("The phase of the cluster.", [
        "Pending",
        "Provisioning",
        "Provisioned",
        "Deleting",
        "Failed",
        "Unknown",
      ]),
    ),
    observedGeneration,
    deprecated: deprecatedStatus(deprecatedFailure),
  },
  { minProperties: 1 },
);
