import { Conditions } from "../kubernetes/condition.ts";
import { LabelSelector } from "../kubernetes/label-selector.ts";
import type { Frozen } from "../kubernetes/meta.ts";
import { labelValueProblems } from "../kubernetes/names.ts";
import { machineDeploymentV1Beta2 } from "../conversion/machine-deployment.ts";
import { type ObjectOf, defineKind } from "../kind.ts";
import {
  type Static,
  anyObject,
  boolean,
  described,
  integer,
  intOrPercent,
  long,
  object,
  oneOf,
  optional,
  timestamp,
} from "../schema/schema.ts";
import { type FieldError, forbidden, invalid } from "../values/field-error.ts";
import { CLUSTER_API, CORE_PROVIDER_LABELS, SCALE_BY_SELECTOR } from "./group.ts";
import {
  AGE_COLUMN,
  CLUSTER_COLUMN,
  DESIRED_COLUMN,
  PHASE_COLUMN,
  countColumn,
  versionColumn,
} from "../printer-columns.ts";
import {
  ClusterName,
  DeletePolicy,
  MachineNaming,
  MachineTemplate,
  ROOM_TO_MOVE,
  ScaleSelector,
  Versions,
  replicaFields,
  rolloutLimits,
} from "./machine-fields.ts";
import { defaultMachineSpec, labelWithCluster, rolloutLimitErrors } from "./machine-rules.ts";
import { intOrPercentErrors } from "../values/value-errors.ts";
import { defaultReplicas } from "./replicas.ts";
import { addTemplateLabel, defaultSelector, machineOwnerErrors } from "./machine-owner-rules.ts";
import { FALLBACK_ONLY_IN_PLACE, IN_PLACE_STRATEGIES, inPlaceGateErrors } from "./in-place-strategy.ts";
import { InPlaceStatus } from "./machine-deployment-status.ts";
import { CLUSTER_NAME_LABEL, DEPLOYMENT_NAME_LABEL } from "./well-known.ts";

const Strategy = object(
  "How machines are updated to a new template.",
  {
    type: optional(
      oneOf(
        "RollingUpdate replaces machines within the limits, OnDelete waits until they are deleted, ExternalUpdate (also called InPlace) lets updaters change them in place.",
        ["RollingUpdate", "OnDelete", "ExternalUpdate", "InPlace"],
      ),
    ),
    rollingUpdate: optional(
      object(
        "The limits of a rolling update.",
        { ...rolloutLimits, deletePolicy: optional(DeletePolicy) },
        { rules: [ROOM_TO_MOVE] },
      ),
    ),
    fallbackRollingUpdate: optional(
      object(
        "The limits of the rolling update that follows when the updaters cannot make all changes. Without it nothing is replaced.",
        { ...rolloutLimits },
        { rules: [ROOM_TO_MOVE] },
      ),
    ),
    remediation: optional(
      object("How unhealthy machines are replaced.", {
        maxInFlight: optional(intOrPercent("How many may be replaced at once; default: all of them.")),
      }),
    ),
  },
  { rules: [FALLBACK_ONLY_IN_PLACE] },
);

type Strategy = Static<typeof Strategy>;

const Spec = object("The desired state of the deployment.", {
  clusterName: ClusterName,
  ...replicaFields,
  rolloutAfter: optional(
    timestamp("Replace all machines that are older than this time, once it has passed."),
  ),
  selector: described(
    "Selects the machines of the deployment. It must match the labels of the template.",
    LabelSelector,
  ),
  template: MachineTemplate,
  strategy: optional(Strategy),
  machineNamingStrategy: optional(MachineNaming),
  revisionHistoryLimit: optional(
    integer(
      "How many old MachineSets without machines are kept for a return to their template; none unless given.",
      {
        minimum: 0,
      },
    ),
  ),
  paused: optional(boolean("Scale, but do not roll out.")),
  progressDeadlineSeconds: optional(integer("Has no effect; kept for old manifests.")),
});

const Status = object("The observed state of the deployment.", {
  observedGeneration: optional(long("The generation that the controller last observed.")),
  selector: optional(ScaleSelector),
  replicas: optional(integer("How many machines there are.")),
  updatedReplicas: optional(integer("How many machines have the new template.")),
  readyReplicas: optional(integer("How many machines are ready.")),
  availableReplicas: optional(integer("How many machines are available.")),
  unavailableReplicas: optional(integer("How many machines are missing or not available.")),
  phase: optional(
    oneOf("The phase of the deployment.", ["ScalingUp", "ScalingDown", "Running", "Failed", "Unknown"]),
  ),
  inPlace: optional(InPlaceStatus),
  conditions: optional(Conditions),
  versions: optional(Versions),
  v1beta2: optional(anyObject("Fields of the next version of the API, preserved.")),
});

/** Updates a number of equal machines to a new template, a few at a time. */
export const MachineDeployment = defineKind({
  ...CLUSTER_API,
  kind: "MachineDeployment",
  plural: "machinedeployments",
  shortNames: ["md"],
  description: "Updates a number of equal machines to a new template, a few at a time.",
  spec: Spec,
  status: Status,
  crdLabels: CORE_PROVIDER_LABELS,
  scale: SCALE_BY_SELECTOR,
  columns: [
    CLUSTER_COLUMN,
    DESIRED_COLUMN,
    countColumn("Replicas", "replicas", "The number of machines."),
    countColumn("Ready", "readyReplicas", "The number of ready machines."),
    countColumn("Updated", "updatedReplicas", "The number of machines of the new template."),
    countColumn("Unavailable", "unavailableReplicas", "The number of machines missing or not available."),
    PHASE_COLUMN,
    AGE_COLUMN,
    versionColumn(".spec.template.spec.version"),
  ],
  converted: [machineDeploymentV1Beta2],
  applyDefaults(draft, old) {
    const { metadata, spec: deployment } = draft;
    labelWithCluster(metadata, deployment.clusterName);
    deployment.replicas ??= defaultReplicas(metadata, old?.spec.replicas);
    deployment.strategy = defaultStrategy(deployment.strategy);
    defaultSelector(deployment, DEPLOYMENT_NAME_LABEL, metadata.name);
    // A selector that matches another cluster would take over its machines.
    deployment.selector.matchLabels = {
      ...deployment.selector.matchLabels,
      [CLUSTER_NAME_LABEL]: deployment.clusterName,
    };
    addTemplateLabel(deployment.template, CLUSTER_NAME_LABEL, deployment.clusterName);
    defaultMachineSpec(deployment.template.spec, metadata.namespace);
  },
  validate({ object: deployment, old, features }) {
    const { metadata, spec: wanted } = deployment;
    return [
      ...labelValueProblems(metadata.name).map((problem) =>
        invalid("metadata.name", metadata.name, `must be a valid label value: ${problem}`),
      ),
      ...machineOwnerErrors(deployment, old),
      ...strategyErrors(wanted.strategy),
      ...inPlaceGateErrors("spec.strategy.type", {
        type: wanted.strategy?.type,
        oldType: old?.spec.strategy?.type,
        features,
      }),
    ];
  },
  warn({ object: { spec: wanted } }) {
    if (wanted.rolloutAfter === undefined || !IN_PLACE_STRATEGIES.includes(wanted.strategy?.type ?? ""))
      return [];
    return [
      "spec.rolloutAfter: has no effect on machines that are updated in place, because no updater makes new ones; leave it out, or replace machines with spec.strategy.type RollingUpdate",
    ];
  },
});

/** Updates a number of equal machines to a new template, a few at a time. */
export type MachineDeployment = ObjectOf<typeof MachineDeployment>;

function defaultStrategy(strategy: Strategy = {}): Strategy {
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
  const uselessFallback =
    strategy?.fallbackRollingUpdate && !IN_PLACE_STRATEGIES.includes(strategy.type ?? "");
  return [
    ...rolloutLimitErrors("spec.strategy.rollingUpdate", strategy?.rollingUpdate),
    ...rolloutLimitErrors("spec.strategy.fallbackRollingUpdate", strategy?.fallbackRollingUpdate),
    ...intOrPercentErrors("spec.strategy.remediation.maxInFlight", strategy?.remediation?.maxInFlight),
    ...(uselessFallback
      ? [forbidden("spec.strategy.fallbackRollingUpdate", FALLBACK_ONLY_IN_PLACE.message)]
      : []),
  ];
}
