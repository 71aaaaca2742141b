import { Conditions } from "../../kubernetes/condition.ts";
import { ObjectReference } from "../../kubernetes/object-reference.ts";
import {
  anyObject,
  boolean,
  described,
  integer,
  listOf,
  long,
  object,
  oneOf,
  optional,
  string,
} from "../../schema/schema.ts";
import { ControlPlaneEndpoint, FailureDomains } from "../infrastructure-contract.ts";
import { ConditionGates } from "./fields.ts";
import { Topology } from "./topology.ts";

const NetworkRanges = object("Address ranges.", {
  cidrBlocks: listOf(
    "The ranges.",
    string("A CIDR block, such as 10.0.0.0/16.", { minLength: 1, maxLength: 43 }),
    {
      maxItems: 100,
    },
  ),
});

const ClusterNetwork = object("The network of the cluster.", {
  apiServerPort: optional(integer("The port of the API server; default: 6443.")),
  services: optional(described("The addresses of services.", NetworkRanges)),
  pods: optional(described("The addresses of pods.", NetworkRanges)),
  serviceDomain: optional(string("The domain of services.", { minLength: 1, maxLength: 253 })),
});

/** The spec of a Cluster of v1beta1. */
export const Spec = object("The desired state of the cluster.", {
  paused: optional(boolean("Whether the controllers ignore the cluster and everything in it.")),
  clusterNetwork: optional(ClusterNetwork),
  controlPlaneEndpoint: optional(ControlPlaneEndpoint),
  controlPlaneRef: optional(described("The object that runs the control plane.", ObjectReference)),
  infrastructureRef: optional(
    described("The object that has the infrastructure of the cluster.", ObjectReference),
  ),
  topology: optional(Topology),
  availabilityGates: optional(
    described("Further conditions that must be true before the cluster counts as available.", ConditionGates),
  ),
});

/** The status of a Cluster of v1beta1. */
export const Status = object("The observed state of the cluster.", {
  failureDomains: optional(FailureDomains),
  failureReason: optional(string("Why the cluster failed for good, in CamelCase.")),
  failureMessage: optional(string("Why the cluster failed for good.", { minLength: 1, maxLength: 10240 })),
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
  infrastructureReady: optional(boolean("Whether the infrastructure is ready.")),
  controlPlaneReady: optional(boolean("Whether the control plane answers.")),
  observedGeneration: optional(long("The generation that the controller last observed.")),
  conditions: optional(Conditions),
  v1beta2: optional(anyObject("Fields of the next version of the API, preserved.")),
});
