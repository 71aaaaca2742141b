import {
  DEFAULT_FEATURES,
  type Features,
  type Frozen,
  type Machine,
  type MachineDeployment,
  type MachineSet,
  REVISION_HISTORY_LIMIT_ANNOTATION,
} from "@capstan/api";
import type { DeploymentView, SetView } from "@capstan/plan";
import { recordsOf } from "../../machines/recorded-moves.ts";
import { isInPlace } from "../../in-place/strategy.ts";
import { limitsOf } from "./limits.ts";
import { inPlaceView } from "./in-place/update-view.ts";
import { isUpToDate, templateDifference } from "../../machines/rollout-fields.ts";
import { newSetName, revisionOf } from "./set-object.ts";

/** The inputs of the view of a MachineDeployment. */
export interface ViewInput {
  readonly deployment: Frozen<MachineDeployment>;
  readonly sets: readonly Frozen<MachineSet>[];
  /** Whether a MachineSet of the name exists. */
  readonly isTaken: (name: string) => boolean;
  readonly nowMs: number;
  /** The machines of all sets; only needed if machines are updated in place. */
  readonly machines?: readonly Frozen<Machine>[];
  /** Why machines of the template could not join their cluster. */
  readonly preflight?: readonly string[];
  /** Which features are on; the defaults unless given. */
  readonly features?: Features;
}

/** The facts about a MachineDeployment, for its planner. */
export function viewOf(input: ViewInput): DeploymentView {
  const { deployment, sets, isTaken, nowMs, features = DEFAULT_FEATURES } = input;
  const { metadata, spec } = deployment;
  const replicas = spec.replicas ?? 1;
  const hold = holdOf(deployment, features);
  const setViews = sets.map((set) => setView(deployment, set, nowMs));
  const targetName = newSetName(deployment, nowMs, isTaken);
  const inPlace = inPlaceView({ ...input, replicas, setViews, targetName });
  return {
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    replicas,
    strategy: spec.rollout?.strategy?.type === "OnDelete" ? "OnDelete" : "RollingUpdate",
    ...limitsOf(deployment, replicas),
    ...(hold && { hold }),
    sets: setViews,
    keptRevisions: keptRevisionsOf(deployment),
    ...(inPlace && { inPlace }),
    newSetName: targetName,
    whyNewSet: templateDifference(deployment, newest(sets)),
  };
}

function holdOf({ spec }: Frozen<MachineDeployment>, features: Features): DeploymentView["hold"] {
  if (spec.paused === true) {
    const why = "spec.paused is true: the MachineDeployment scales, and no rollout starts or continues";
    return { reason: "RolloutPaused", why };
  }
  if (!isInPlace(spec.rollout?.strategy) || features.InPlaceUpdates) return undefined;
  const why = `spec.rollout.strategy.type ${spec.rollout?.strategy?.type} needs the feature gate InPlaceUpdates, which is off; machines are neither updated nor replaced`;
  return { reason: "InPlaceUpdatesDisabled", why };
}

function setView(deployment: Frozen<MachineDeployment>, set: Frozen<MachineSet>, nowMs: number): SetView {
  const { metadata, spec, status } = set;
  return {
    name: metadata.name,
    createdMs: Date.parse(metadata.creationTimestamp ?? ""),
    revision: revisionOf(set),
    replicas: spec.replicas ?? 1,
    current: status?.replicas ?? 0,
    deleting: status?.deletingReplicas ?? 0,
    available: status?.availableReplicas ?? 0,
    isUpToDate: isUpToDate(deployment, set, nowMs),
    isDeleting: metadata.deletionTimestamp !== undefined,
    ...recordsOf(set),
  };
}

/** How many old sets are kept for a return to their template; v1beta2 has no field for it. */
function keptRevisionsOf({ metadata }: Frozen<MachineDeployment>): number {
  const text = metadata.annotations?.[REVISION_HISTORY_LIMIT_ANNOTATION] ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

/** The set with the highest revision. */
function newest(sets: readonly Frozen<MachineSet>[]): Frozen<MachineSet> | undefined {
  return sets.toSorted((a, b) => revisionOf(b) - revisionOf(a))[0];
}
