import { Conditions } from "../kubernetes/condition.ts";
import { LabelSelector, labelSelectorProblem, selectorOf } from "../kubernetes/label-selector.ts";
import type { Frozen } from "../kubernetes/meta.ts";
import { ObjectReference } from "../kubernetes/object-reference.ts";
import { machineHealthCheckV1Beta2 } from "../conversion/machine-health-check.ts";
import { type ObjectOf, defineKind } from "../kind.ts";
import {
  type Static,
  anyObject,
  described,
  duration,
  integer,
  intOrPercent,
  listOf,
  long,
  object,
  oneOf,
  optional,
  string,
} from "../schema/schema.ts";
import { durationProblem, parseDuration } from "../values/duration.ts";
import { type FieldError, invalid, required } from "../values/field-error.ts";
import { CLUSTER_API, CORE_PROVIDER_LABELS } from "./group.ts";
import { AGE_COLUMN, CLUSTER_COLUMN, countColumn } from "../printer-columns.ts";
import { unhealthyMachineConditionType } from "./health-check-conditions.ts";
import { ClusterName } from "./machine-fields.ts";
import {
  defaultReferenceNamespaces,
  immutableErrors,
  labelWithCluster,
  referenceNamespaceErrors,
} from "./machine-rules.ts";
import { durationErrors, intOrPercentErrors } from "../values/value-errors.ts";
import { CLUSTER_NAME_LABEL } from "./well-known.ts";

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

const Spec = object("When a machine is unhealthy.", {
  clusterName: ClusterName,
  selector: described("Selects the machines to check.", LabelSelector),
  ...healthCheckFields,
});

type Spec = Static<typeof Spec>;

const Status = object("The observed state of the machines.", {
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

/** Finds unhealthy machines and has them replaced. */
export const MachineHealthCheck = defineKind({
  ...CLUSTER_API,
  kind: "MachineHealthCheck",
  plural: "machinehealthchecks",
  shortNames: ["mhc", "mhcs"],
  description: "Finds unhealthy machines and has them replaced.",
  spec: Spec,
  status: Status,
  crdLabels: CORE_PROVIDER_LABELS,
  columns: [
    CLUSTER_COLUMN,
    countColumn("ExpectedMachines", "expectedMachines", "The number of checked machines."),
    { name: "MaxUnhealthy", type: "string", jsonPath: ".spec.maxUnhealthy", description: "The limit." },
    countColumn("CurrentHealthy", "currentHealthy", "The number of healthy machines."),
    AGE_COLUMN,
  ],
  converted: [machineHealthCheckV1Beta2],
  applyDefaults(draft) {
    labelWithCluster(draft.metadata, draft.spec.clusterName);
    draft.spec.maxUnhealthy ??= "100%";
    draft.spec.nodeStartupTimeout ??= "10m0s";
    defaultReferenceNamespaces([draft.spec.remediationTemplate], draft.metadata.namespace);
  },
  validate({ object: check, old }) {
    const wanted = check.spec;
    return [
      ...selectorErrors(wanted),
      ...startupTimeoutErrors(wanted.nodeStartupTimeout),
      ...intOrPercentErrors("spec.maxUnhealthy", wanted.maxUnhealthy),
      ...rangeErrors(wanted.unhealthyRange),
      ...conditionErrors(wanted),
      ...referenceNamespaceErrors(
        "spec.remediationTemplate",
        wanted.remediationTemplate,
        check.metadata.namespace,
      ),
      ...(old ? immutableErrors("spec.clusterName", wanted.clusterName, old.spec.clusterName) : []),
    ];
  },
});

/** Finds unhealthy machines and has them replaced. */
export type MachineHealthCheck = ObjectOf<typeof MachineHealthCheck>;

function selectorErrors({ selector, clusterName }: Frozen<Spec>): FieldError[] {
  const problem = labelSelectorProblem(selector);
  if (problem !== undefined) return [invalid("spec.selector", selector, problem)];
  if (selectorOf(selector).length === 0) {
    return [required("spec.selector", "an empty selector would pick every machine; name at least one label")];
  }
  const cluster = selector.matchLabels?.[CLUSTER_NAME_LABEL];
  return cluster === undefined || cluster === clusterName
    ? []
    : [
        invalid(
          "spec.selector",
          selector,
          `must not pick another cluster than spec.clusterName, ${clusterName}`,
        ),
      ];
}

const SHORTEST_STARTUP_MS = 30_000;

function startupTimeoutErrors(timeout: string | undefined): FieldError[] {
  const field = "spec.nodeStartupTimeout";
  if (timeout === undefined || durationProblem(timeout) !== undefined) return durationErrors(field, timeout);
  const milliseconds = parseDuration(timeout);
  const fine = milliseconds === 0 || milliseconds >= SHORTEST_STARTUP_MS;
  return fine ? [] : [invalid(field, timeout, "must be at least 30s, or 0 for no limit")];
}

function rangeErrors(range: string | undefined): FieldError[] {
  const [, low, high] = /^\[([0-9]+)-([0-9]+)\]$/.exec(range ?? "") ?? [];
  return low !== undefined && Number(low) > Number(high)
    ? [invalid("spec.unhealthyRange", range, "must begin with its smaller number, such as [3-5]")]
    : [];
}

function conditionErrors(wanted: Frozen<Spec>): FieldError[] {
  const lists = [
    { field: "spec.unhealthyConditions", conditions: wanted.unhealthyConditions },
    { field: "spec.unhealthyMachineConditions", conditions: wanted.unhealthyMachineConditions },
  ];
  return lists.flatMap(({ field, conditions = [] }) =>
    conditions.flatMap(({ timeout }, index) => durationErrors(`${field}[${index}].timeout`, timeout)),
  );
}
