import { StandardConditions } from "../../kubernetes/condition.ts";
import { LabelSelector } from "../../kubernetes/label-selector.ts";
import {
  described,
  integer,
  intOrPercent,
  listOf,
  object,
  oneOf,
  optional,
  string,
} from "../../schema/schema.ts";
import { unhealthyMachineConditionType } from "../health-check-conditions.ts";
import { ClusterName } from "../machine-fields.ts";
import { deprecatedStatus, namedObject, observedGeneration } from "./fields.ts";

const timeoutSeconds = integer("How long it must last.", { minimum: 0 });

/** When a machine is unhealthy. */
export const healthChecks = {
  nodeStartupTimeoutSeconds: optional(
    integer("How long a machine may take to become a node; default 600, and with 0 there is no limit.", {
      minimum: 0,
    }),
  ),
  unhealthyNodeConditions: optional(
    listOf(
      "Conditions of the node of which each makes a machine unhealthy.",
      object("A condition of the node that makes the machine unhealthy.", {
        type: string("The type of the condition.", { minLength: 1 }),
        status: string("The status that makes it unhealthy.", { minLength: 1 }),
        timeoutSeconds,
      }),
      { minItems: 1, maxItems: 100 },
    ),
  ),
  unhealthyMachineConditions: optional(
    listOf(
      "Conditions of the machine of which each makes it unhealthy.",
      object("A condition of the machine that makes it unhealthy.", {
        type: unhealthyMachineConditionType,
        status: oneOf("The status that makes it unhealthy.", ["True", "False", "Unknown"]),
        timeoutSeconds,
      }),
      { minItems: 1, maxItems: 100 },
    ),
  ),
};

/** When and how an unhealthy machine is replaced. */
export const remediationFields = {
  triggerIf: optional(
    object(
      "When machines are replaced.",
      {
        unhealthyLessThanOrEqualTo: optional(
          intOrPercent("No machine is replaced while more machines than this are unhealthy; default 100%."),
        ),
        unhealthyInRange: optional(
          string(
            "Machines are replaced only while the number of unhealthy ones is in this range, such as [3-5].",
            { minLength: 1, maxLength: 32, pattern: "^\\[[0-9]+-[0-9]+\\]$" },
          ),
        ),
      },
      { minProperties: 1 },
    ),
  ),
  templateRef: optional(
    object("The template of the object by which an external controller repairs the machine.", {
      apiVersion: string("The API version of the template, with its group.", {
        minLength: 1,
        maxLength: 317,
        pattern:
          "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\\/[a-z]([-a-z0-9]*[a-z0-9])?$",
      }),
      ...namedObject,
    }),
  ),
};

/** The spec of a MachineHealthCheck of v1beta2. */
export const Spec = object("When a machine is unhealthy.", {
  clusterName: ClusterName,
  selector: described("Selects the machines to check.", LabelSelector),
  checks: optional(object("When a machine is unhealthy.", healthChecks, { minProperties: 1 })),
  remediation: optional(
    object("When and how an unhealthy machine is replaced.", remediationFields, { minProperties: 1 }),
  ),
});

/** The status of a MachineHealthCheck of v1beta2. */
export const Status = object(
  "The observed state of the machines.",
  {
    conditions: optional(StandardConditions),
    expectedMachines: optional(integer("How many machines the selector matches.", { minimum: 0 })),
    currentHealthy: optional(integer("How many of them are healthy.", { minimum: 0 })),
    remediationsAllowed: optional(integer("How many more may be replaced now.", { minimum: 0 })),
    observedGeneration,
    targets: optional(
      listOf(
        "The machines that the selector matches.",
        string("The name of a machine.", { minLength: 1, maxLength: 253 }),
        { maxItems: 10_000 },
      ),
    ),
    deprecated: deprecatedStatus({}),
  },
  { minProperties: 1 },
);
