import {
  type Frozen,
  IN_PLACE_STRATEGIES,
  type MachineDeployment,
  type MachineSet,
  resolveRolloutBudget,
} from "@capstan/api";
import { type DeploymentView, type SetView } from "../../rollout/machine-deployment/view.ts";
import { isUpToDate, newSetName, templateDifference } from "./template.ts";
import { revisionOf } from "./revision.ts";

/** The inputs of the view of a MachineDeployment. */
export interface ViewInput {
  readonly deployment: Frozen<MachineDeployment>;
  readonly sets: readonly Frozen<MachineSet>[];
  /** Whether a MachineSet of the name exists. */
  readonly isTaken: (name: string) => boolean;
  readonly nowMs: number;
}

/** The facts about a MachineDeployment, for its planner. */
export function viewOf({ deployment, sets, isTaken, nowMs }: ViewInput): DeploymentView {
  const { metadata, spec } = deployment;
  const replicas = spec.replicas ?? 1;
  const hold = holdOf(deployment);
  return {
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    replicas,
    strategy: spec.strategy?.type === "OnDelete" ? "OnDelete" : "RollingUpdate",
    ...limitsOf(deployment, replicas),
    ...(hold && { hold }),
    sets: sets.map((set) => setView(deployment, set, nowMs)),
    newSetName: newSetName(deployment, nowMs, isTaken),
    whyNewSet: templateDifference(deployment, newest(sets)),
  };
}

/** The resolved limits of a rolling update; none for other strategies. */
export function limitsOf(
  { spec }: Frozen<MachineDeployment>,
  replicas: number,
): Pick<DeploymentView, "maxSurge" | "maxUnavailable"> {
  if (spec.strategy?.type !== undefined && spec.strategy.type !== "RollingUpdate") {
    return { maxSurge: 0, maxUnavailable: 0 };
  }
  const { maxSurge = 1, maxUnavailable = 0 } = spec.strategy?.rollingUpdate ?? {};
  return resolveRolloutBudget({ maxSurge, maxUnavailable }, replicas);
}

function holdOf({ spec }: Frozen<MachineDeployment>): DeploymentView["hold"] {
  if (spec.paused === true) {
    const why = "spec.paused is true: the MachineDeployment scales, and no rollout starts or continues";
    return { reason: "RolloutPaused", why };
  }
  const type = spec.strategy?.type ?? "";
  if (!IN_PLACE_STRATEGIES.includes(type)) return undefined;
  const why = `spec.strategy.type ${type} needs the feature gate InPlaceUpdates, which is off; machines are neither updated nor replaced`;
  return { reason: "InPlaceUpdatesDisabled", why };
}

function setView(deployment: Frozen<MachineDeployment>, set: Frozen<MachineSet>, nowMs: number): SetView {
  const { metadata, spec, status } = set;
  return {
    name: metadata.name,
    createdMs: Date.parse(metadata.creationTimestamp ?? ""),
    replicas: spec.replicas ?? 1,
    current: status?.replicas ?? 0,
    deleting: status?.deletingReplicas ?? 0,
    available: status?.availableReplicas ?? 0,
    isUpToDate: isUpToDate(deployment, set, nowMs),
    isDeleting: metadata.deletionTimestamp !== undefined,
  };
}

/** The set with the highest revision. */
function newest(sets: readonly Frozen<MachineSet>[]): Frozen<MachineSet> | undefined {
  return sets.toSorted((a, b) => revisionOf(b) - revisionOf(a))[0];
}
