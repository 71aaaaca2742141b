import { Conditions } from "../../kubernetes/condition.ts";
import { LabelSelector } from "../../kubernetes/label-selector.ts";
import { ObjectReference } from "../../kubernetes/object-reference.ts";
import {
  anyObject,
  described,
  duration,
  intOrPercent,
  integer,
  listOf,
  long,
  object,
  oneOf,
  optional,
  string,
} from "../../schema/schema.ts";
import { unhealthyMachineConditionType } from "../health-check-conditions.ts";
import { ClusterName } from "../machine-fields.ts";

const UnhealthyNodeCondition = object("A condition of the node that makes the machine unhealthy.", {
  type: string("The type of the condition.", { minLength: 1 }),
  status: string("The status that makes it unhealthy.", { minLength: 1 }),
  timeout: duration("How long it must last."),
});

const UnhealthyMachineCondition = object("A condition of the machine that makes it unhealthy.", {
  type: unhealthyMachineConditionType,
  status: oneOf("The status that makes it unhealthy.", ["True", "False", "Unknown"]),
  timeout: duration("How long it must last."),
});

/** The fields that define when a machine is unhealthy and when it is replaced. */
export const healthCheckFields = {
  unhealthyConditions: optional(
    listOf("Conditions of the node of which each makes a machine unhealthy.", UnhealthyNodeCondition, {
      maxItems: 100,
    }),
  ),
  unhealthyMachineConditions: optional(
    listOf("Conditions of the machine of which each makes it unhealthy.", UnhealthyMachineCondition, {
      minItems: 1,
      maxItems: 100,
    }),
  ),
  maxUnhealthy: optional(
    intOrPercent("No machine is replaced while more machines than this are unhealthy; default 100%."),
  ),
  unhealthyRange: optional(
    string("Machines are replaced only while the number of unhealthy ones is in this range, such as [3-5].", {
      minLength: 1,
      maxLength: 32,
      pattern: "^\\[[0-9]+-[0-9]+\\]$",
    }),
  ),
  nodeStartupTimeout: optional(
    duration("How long a machine may take to become a node; default 10m, and with 0 there is no limit."),
  ),
  remediationTemplate: optional(
    described(
      "The template of the object by which an external controller repairs the machine.",
      ObjectReference,
    ),
  ),
};

/** The spec of a MachineHealthCheck of v1beta1. */
export const Spec = object("When a machine is unhealthy.", {
  clusterName: ClusterName,
  selector: described("Selects the machines to check.", LabelSelector),
  ...healthCheckFields,
});

/** The status of a MachineHealthCheck of v1beta1. */
export const Status = object("The observed state of the machines.", {
  expectedMachines: optional(integer("How many machines the selector matches.", { minimum: 0 })),
  currentHealthy: optional(integer("How many of them are healthy.", { minimum: 0 })),
  remediationsAllowed: optional(integer("How many more may be replaced now.", { minimum: 0 })),
  observedGeneration: optional(long("The generation that the controller last observed.")),
  targets: optional(
    listOf(
      "The machines that the selector matches.",
      string("The name of a machine.", { minLength: 1, maxLength: 253 }),
      {
        maxItems: 10000,
      },
    ),
  ),
  conditions: optional(Conditions),
  v1beta2: optional(anyObject("Fields of the next version of the API, preserved.")),
});
