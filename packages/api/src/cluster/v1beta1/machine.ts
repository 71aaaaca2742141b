import { Conditions } from "../../kubernetes/condition.ts";
import { ObjectReference } from "../../kubernetes/object-reference.ts";
import {
  anyObject,
  boolean,
  described,
  listOf,
  long,
  object,
  optional,
  string,
} from "../../schema/schema.ts";
import { MachineAddress, machineObservations, machineUpdaters } from "../machine-status.ts";
import { machineFields } from "./fields.ts";

/** The spec of a Machine of v1beta1. */
export const Spec = object("The desired state of the machine.", {
  ...machineFields,
  ...machineUpdaters,
});

/** The status of a Machine of v1beta1. */
export const Status = object("The observed state of the machine.", {
  nodeRef: optional(described("The node of the machine.", ObjectReference)),
  ...machineObservations,
  failureReason: optional(string("Why the machine failed for good, in CamelCase.")),
  failureMessage: optional(string("Why the machine failed for good.", { minLength: 1, maxLength: 10240 })),
  addresses: optional(listOf("The addresses of the machine.", MachineAddress)),
  bootstrapReady: optional(boolean("Whether the bootstrap data is available.")),
  infrastructureReady: optional(boolean("Whether the infrastructure is ready.")),
  observedGeneration: optional(long("The generation that the controller last observed.")),
  conditions: optional(Conditions),
  v1beta2: optional(anyObject("Fields of the next version of the API, preserved.")),
});
