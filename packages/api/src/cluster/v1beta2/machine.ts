import { StandardConditions } from "../../kubernetes/condition.ts";
import { boolean, listOf, object, optional, string } from "../../schema/schema.ts";
import { MachineAddress, machineObservations, machineUpdaters } from "../machine-status.ts";
import {
  deprecatedFailure,
  deprecatedStatus,
  machineFields,
  namedObject,
  observedGeneration,
} from "./fields.ts";

/** The spec of a Machine of v1beta2. */
export const Spec = object("The desired state of the machine.", { ...machineFields, ...machineUpdaters });

/** What had to be done once for a machine. */
export const Initialization = object(
  "What has been done since the machine was created.",
  {
    bootstrapDataSecretCreated: optional(boolean("Whether the bootstrap data is available.")),
    infrastructureProvisioned: optional(boolean("Whether the infrastructure is ready.")),
  },
  { minProperties: 1 },
);

/** The status of a Machine of v1beta2. */
export const Status = object(
  "The observed state of the machine.",
  {
    conditions: optional(StandardConditions),
    initialization: optional(Initialization),
    nodeRef: optional(object("The node of the machine.", { name: namedObject.name })),
    ...machineObservations,
    addresses: optional(listOf("The addresses of the machine.", MachineAddress, { maxItems: 256 })),
    failureDomain: optional(string("Where the machine runs.", { minLength: 1, maxLength: 256 })),
    observedGeneration,
    deprecated: deprecatedStatus(deprecatedFailure),
  },
  { minProperties: 1 },
);
