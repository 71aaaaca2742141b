import {
  CLUSTER_COLUMN,
  DESIRED_COLUMN,
  PHASE_COLUMN,
  AGE_COLUMN,
  conditionColumn,
  PAUSED_COLUMN,
  MACHINE_COUNT_COLUMNS,
  versionColumn,
} from "../printer-columns.ts";
import { machineDeploymentV1Beta1 } from "../conversion/machine-deployment.ts";
import { type ObjectOf, defineKind } from "../kind.ts";
import type { Frozen } from "../kubernetes/meta.ts";
import { labelValueProblems } from "../kubernetes/names.ts";
import type { Static } from "../schema/schema.ts";
import { type FieldError, forbidden, invalid } from "../values/field-error.ts";
import { intOrPercentErrors } from "../values/value-errors.ts";
import { CLUSTER_API, CORE_PROVIDER_LABELS, SCALE_BY_SELECTOR } from "./group.ts";
import { FALLBACK_ONLY_IN_PLACE, IN_PLACE_STRATEGIES, inPlaceGateErrors } from "./in-place-strategy.ts";
import { addTemplateLabel, defaultSelector, machineOwnerErrors } from "./machine-owner-rules.ts";
import { defaultMachineSpec, labelWithCluster, rolloutLimitErrors } from "./machine-rules.ts";
import { defaultReplicas } from "./replicas.ts";
import { Spec, Status } from "./v1beta2/machine-deployment.ts";
import { CLUSTER_NAME_LABEL, DEPLOYMENT_NAME_LABEL } from "./well-known.ts";

type Strategy = NonNullable<NonNullable<Static<typeof Spec>["rollout"]>["strategy"]>;

/** Updates a number of equal machines to a new template, a few at a time. */
export const MachineDeployment = defineKind({
  ...CLUSTER_API,
  kind: "MachineDeployment",
  plural: "machinedeployments",
  shortNames: ["md"],
  description: "Updates a number of equal machines to a new template, a few at a time.",
  spec: Spec,
  status: Status,
  conditionForm: "v1beta2",
  crdLabels: CORE_PROVIDER_LABELS,
  scale: SCALE_BY_SELECTOR,
  columns: [
    CLUSTER_COLUMN,
    conditionColumn("Available", "Available"),
    DESIRED_COLUMN,
    ...MACHINE_COUNT_COLUMNS,
    PAUSED_COLUMN,
    PHASE_COLUMN,
    AGE_COLUMN,
    versionColumn(".spec.template.spec.version"),
  ],
  converted: [machineDeploymentV1Beta1],
  defaulted: ["spec.rollout.strategy.type"],
  applyDefaults(draft, old) {
    const { metadata, spec: deployment } = draft;
    labelWithCluster(metadata, deployment.clusterName);
    deployment.replicas ??= defaultReplicas(metadata, old?.spec.replicas);
    deployment.rollout = {
      ...deployment.rollout,
      strategy: defaultStrategy(deployment.rollout?.strategy),
    };
    defaultSelector(deployment, DEPLOYMENT_NAME_LABEL, metadata.name);
    // A selector that matches another cluster would take over its machines.
    deployment.selector.matchLabels = {
      ...deployment.selector.matchLabels,
      [CLUSTER_NAME_LABEL]: deployment.clusterName,
    };
    addTemplateLabel(deployment.template, CLUSTER_NAME_LABEL, deployment.clusterName);
    defaultMachineSpec(deployment.template.spec);
  },
  validate({ object: deployment, old, features }) {
    const { metadata, spec: wanted } = deployment;
    return [
      ...labelValueProblems(metadata.name).map((problem) =>
        invalid("metadata.name", metadata.name, `must be a valid label value: ${problem}`),
      ),
      ...machineOwnerErrors(deployment, old),
      ...strategyErrors(wanted.rollout?.strategy),
      ...intOrPercentErrors("spec.remediation.maxInFlight", wanted.remediation?.maxInFlight),
      ...inPlaceGateErrors("spec.rollout.strategy.type", {
        type: wanted.rollout?.strategy?.type,
        oldType: old?.spec.rollout?.strategy?.type,
        features,
      }),
    ];
  },
  warn({ object: { spec: wanted } }) {
    const { after, strategy } = wanted.rollout ?? {};
    if (after === undefined || !IN_PLACE_STRATEGIES.includes(strategy?.type ?? "")) return [];
    return [
      "spec.rollout.after: has no effect on machines that are updated in place, because no updater makes new ones; leave it out, or replace machines with spec.rollout.strategy.type RollingUpdate",
    ];
  },
});

/** Updates a number of equal machines to a new template, a few at a time. */
export type MachineDeployment = ObjectOf<typeof MachineDeployment>;

function defaultStrategy(strategy: Partial<Strategy> = {}): Strategy {
  const { type = "RollingUpdate", rollingUpdate, fallbackRollingUpdate } = strategy;
  const limits = { maxSurge: 1, maxUnavailable: 0 };
  const inPlaceLimits = { maxSurge: 0, maxUnavailable: 1 };
  return {
    ...strategy,
    type,
    ...(type === "RollingUpdate" && { rollingUpdate: { ...limits, ...rollingUpdate } }),
    ...(IN_PLACE_STRATEGIES.includes(type) && { rollingUpdate: { ...inPlaceLimits, ...rollingUpdate } }),
    ...(fallbackRollingUpdate && { fallbackRollingUpdate: { ...limits, ...fallbackRollingUpdate } }),
  };
}

function strategyErrors(strategy: Frozen<Strategy> | undefined): FieldError[] {
  const uselessFallback = strategy?.fallbackRollingUpdate && !IN_PLACE_STRATEGIES.includes(strategy.type);
  return [
    ...rolloutLimitErrors("spec.rollout.strategy.rollingUpdate", strategy?.rollingUpdate),
    ...rolloutLimitErrors("spec.rollout.strategy.fallbackRollingUpdate", strategy?.fallbackRollingUpdate),
    ...(uselessFallback
      ? [forbidden("spec.rollout.strategy.fallbackRollingUpdate", FALLBACK_ONLY_IN_PLACE.message)]
      : []),
  ];
}
