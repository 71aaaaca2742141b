import { CLUSTER_COLUMN, AGE_COLUMN, countColumn, PAUSED_COLUMN } from "../printer-columns.ts";
import { machineHealthCheckV1Beta1 } from "../conversion/machine-health-check.ts";
import { type ObjectOf, defineKind } from "../kind.ts";
import { labelSelectorProblem, selectorOf } from "../kubernetes/label-selector.ts";
import type { Frozen } from "../kubernetes/meta.ts";
import type { Static } from "../schema/schema.ts";
import { type FieldError, errorIf, invalid, required } from "../values/field-error.ts";
import { intOrPercentErrors } from "../values/value-errors.ts";
import { CLUSTER_API, CORE_PROVIDER_LABELS } from "./group.ts";
import { immutableErrors, labelWithCluster } from "./machine-rules.ts";
import { Spec, Status } from "./v1beta2/machine-health-check.ts";
import { CLUSTER_NAME_LABEL } from "./well-known.ts";

type Spec = Static<typeof Spec>;

/** Finds unhealthy machines and has them replaced. */
export const MachineHealthCheck = defineKind({
  ...CLUSTER_API,
  kind: "MachineHealthCheck",
  plural: "machinehealthchecks",
  shortNames: ["mhc", "mhcs"],
  description: "Finds unhealthy machines and has them replaced.",
  spec: Spec,
  status: Status,
  conditionForm: "v1beta2",
  crdLabels: CORE_PROVIDER_LABELS,
  columns: [
    CLUSTER_COLUMN,
    countColumn("Replicas", "expectedMachines", "The number of checked machines."),
    countColumn("Healthy", "currentHealthy", "The number of healthy machines."),
    PAUSED_COLUMN,
    AGE_COLUMN,
  ],
  converted: [machineHealthCheckV1Beta1],
  applyDefaults(draft) {
    labelWithCluster(draft.metadata, draft.spec.clusterName);
    draft.spec.checks = { nodeStartupTimeoutSeconds: DEFAULT_STARTUP_SECONDS, ...draft.spec.checks };
  },
  validate({ object: { spec }, old }) {
    const { unhealthyLessThanOrEqualTo: limit, unhealthyInRange: range } = spec.remediation?.triggerIf ?? {};
    return [
      ...selectorErrors(spec),
      ...startupTimeoutErrors(spec.checks?.nodeStartupTimeoutSeconds),
      ...intOrPercentErrors("spec.remediation.triggerIf.unhealthyLessThanOrEqualTo", limit),
      ...rangeErrors(range),
      ...(old ? immutableErrors("spec.clusterName", spec.clusterName, old.spec.clusterName) : []),
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

const DEFAULT_STARTUP_SECONDS = 600;
const SHORTEST_STARTUP_SECONDS = 30;

function startupTimeoutErrors(seconds = 0): readonly FieldError[] {
  return errorIf(
    seconds > 0 && seconds < SHORTEST_STARTUP_SECONDS,
    invalid("spec.checks.nodeStartupTimeoutSeconds", seconds, "must be at least 30, or 0 for no limit"),
  );
}

function rangeErrors(range: string | undefined): readonly FieldError[] {
  const [, low, high] = /^\[([0-9]+)-([0-9]+)\]$/.exec(range ?? "") ?? [];
  return errorIf(
    low !== undefined && Number(low) > Number(high),
    invalid(
      "spec.remediation.triggerIf.unhealthyInRange",
      range,
      "must begin with its smaller number, such as [3-5]",
    ),
  );
}
