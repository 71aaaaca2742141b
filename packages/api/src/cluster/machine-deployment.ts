import { Conditions } from "../kubernetes/condition.ts";
import { LabelSelector } from "../kubernetes/label-selector.ts";
import type { Frozen } from "../kubernetes/meta.ts";
import { labelValueProblems } from "../kubernetes/names.ts";
import { DEFAULT_FEATURES, type Features } from "../features.ts";
import { type ObjectOf, defineKind } from "../kind.ts";
import {
  type Static,
  anyObject,
  boolean,
  described,
  integer,
  intOrPercent,
  listMap,
  listOf,
  long,
  object,
  oneOf,
  optional,
  string,
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
import { CLUSTER_NAME_LABEL, DEPLOYMENT_NAME_LABEL } from "./well-known.ts";

/** The strategies that update machines in place; they are synonyms. */
export const IN_PLACE_STRATEGIES: readonly string[] = ["ExternalUpdate", "InPlace"];

/** Refuses a fallback for strategies that never need one. */
export const FALLBACK_ONLY_IN_PLACE = {
  rule: "!has(self.fallbackRollingUpdate) || (has(self.type) && self.type in ['ExternalUpdate', 'InPlace'])",
  message: "fallbackRollingUpdate may only be set when type is ExternalUpdate or InPlace",
};

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
  revisionHistoryLimit: optional(integer("Has no effect; kept for old manifests.")),
  paused: optional(boolean("Scale, but do not roll out.")),
  progressDeadlineSeconds: optional(integer("Has no effect; kept for old manifests.")),
});

const Path = string("The path of a field, such as machine.spec.version.", { minLength: 1, maxLength: 512 });

const InPlaceDecision = object("Whether the updaters can update the machines of one MachineSet in place.", {
  machineSet: string("The MachineSet with the old template.", { minLength: 1, maxLength: 253 }),
  key: string("A hash of the templates and the updaters that the decision is based on.", { maxLength: 64 }),
  result: oneOf(
    "Covered: updaters make all changes. Uncovered: no updater makes some of them. Unknown: an updater did not answer.",
    ["Covered", "Uncovered", "Unknown"],
  ),
  updaters: optional(
    listOf(
      "The updaters to run, in order.",
      object("An updater, and the changes that it makes.", {
        name: string("The name of the updater.", { minLength: 1, maxLength: 512 }),
        changes: listOf("The fields that it changes.", Path, { maxItems: 256 }),
      }),
      { maxItems: 32 },
    ),
  ),
  uncovered: optional(listOf("The fields that no updater changes.", Path, { maxItems: 256 })),
  message: optional(string("Why, for users.", { maxLength: 2048 })),
  retryAfter: optional(timestamp("When the updaters are asked again.")),
});

const InPlaceStatus = object("How machines are updated in place.", {
  machineSet: string("The MachineSet that the machines move to.", { minLength: 1, maxLength: 253 }),
  decisions: listMap("One decision for each MachineSet with an old template.", InPlaceDecision, {
    keys: ["machineSet"],
    maxItems: 100,
  }),
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

/** The old and the new type of a strategy, under the features that are on. */
interface StrategyChange {
  readonly type: string | undefined;
  readonly oldType: string | undefined;
  readonly features: Features | undefined;
}

/** Refuses to choose an update in place while its feature is off; an object that has chosen it before is kept. */
function inPlaceGateErrors(
  field: string,
  { type = "", oldType = "", features = DEFAULT_FEATURES }: StrategyChange,
): FieldError[] {
  if (!IN_PLACE_STRATEGIES.includes(type) || features.InPlaceUpdates) return [];
  if (IN_PLACE_STRATEGIES.includes(oldType)) return [];
  const problem =
    "needs the feature gate InPlaceUpdates; start the manager with --feature-gates InPlaceUpdates=true";
  return [invalid(field, type, problem)];
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
