/** The facts about one MachineSet of a MachineDeployment. */
export interface SetView {
  readonly name: string;
  readonly createdMs: number;
  /** A higher one was the target later. */
  readonly revision: number;
  /** The desired number of machines. */
  readonly replicas: number;
  /** The number of existing machines, also those that are being deleted. */
  readonly current: number;
  /** How many of them are being deleted. */
  readonly deleting: number;
  readonly available: number;
  /** Whether the set has the template of the MachineDeployment and is not too old for `spec.rollout.after`. */
  readonly isUpToDate: boolean;
  /** Whether the set itself is being deleted. */
  readonly isDeleting: boolean;
  /** Machines that are recorded to move to this set, sorted. */
  readonly receives: readonly string[];
  /** Machines that are recorded to move away from this set, sorted. */
  readonly handsOver: readonly string[];
  /** Whether one of its machines was added only to stand in for machines that are updated in place. */
  readonly hasSpare?: boolean;
}

/** The facts about one machine of a MachineDeployment that updates in place. */
export interface InPlaceMachine {
  readonly name: string;
  /** The MachineSet that controls it. */
  readonly set: string;
  readonly createdMs: number;
  /**
   * `ready`: it had a Node, and can be updated. `starting`: it never had a Node. `unhealthy`: a health check wants it replaced.
   * `failed`: an updater gave up.
   */
  readonly state: "ready" | "starting" | "unhealthy" | "updating" | "failed" | "deleting";
  readonly isAvailable: boolean;
  /** Whether its set deletes it before healthy machines. */
  readonly isFirstToGo: boolean;
  /** Whether it has the annotation by which its set deletes it before all others. */
  readonly isMarked: boolean;
}

/** Whether the machines of an old set can be updated in place. */
export type SetUpdateVerdict =
  | {
      readonly result: "Covered";
      readonly updaters: readonly string[];
      /** Whether the Node of a machine is drained before its updaters run. */
      readonly needsDrain?: boolean;
      readonly why: string;
    }
  | { readonly result: "Uncovered" | "Unknown"; readonly why: string };

/** The facts about updates in place. */
export interface DeploymentUpdateView {
  /** Whether the strategy is to update in place; otherwise only recorded moves are settled. */
  readonly isChosen: boolean;
  /** All machines of all sets. */
  readonly machines: readonly InPlaceMachine[];
  /** The verdict for each set but the target that has machines which had a Node. */
  readonly verdicts: ReadonlyMap<string, SetUpdateVerdict>;
  /** The limits of the replacement when updaters do not cover all changes; undefined when nothing may be replaced. */
  readonly fallback?: { readonly maxSurge: number; readonly maxUnavailable: number };
  /** Whether a user must approve all machines after the first; `approved` is the MachineSet that is approved. */
  readonly approval?: { readonly approved: string | undefined };
  /** Why machines of the new template could not join their cluster; no update starts meanwhile. */
  readonly preflight: readonly string[];
}

/** How a MachineDeployment moves machines to a new template. */
type Strategy = "RollingUpdate" | "OnDelete";

/** The facts about a MachineDeployment and its MachineSets. */
export interface DeploymentView {
  readonly namespace: string;
  readonly name: string;
  readonly replicas: number;
  readonly strategy: Strategy;
  /** Resolved numbers; both are 0 for OnDelete. */
  readonly maxSurge: number;
  readonly maxUnavailable: number;
  /** Why the MachineDeployment scales, but does not roll out; undefined when it does. */
  readonly hold?: { readonly reason: "RolloutPaused" | "InPlaceUpdatesDisabled"; readonly why: string };
  readonly sets: readonly SetView[];
  /** How many old MachineSets without machines are kept. */
  readonly keptRevisions: number;
  /** Present if machines are updated in place, or were about to be. */
  readonly inPlace?: DeploymentUpdateView;
  /** The name of the MachineSet to create if no set has the template. */
  readonly newSetName: string;
  /** Why a set with this template is needed, if none has it. */
  readonly whyNewSet: string;
}

/** The MachineSets in the order in which the one with the template is chosen: most replicas, then oldest, then by name. */
function byPreference(sets: readonly SetView[]): readonly SetView[] {
  return sets.toSorted((a, b) => b.replicas - a.replicas || byAge(a, b));
}

/** The oldest MachineSet first. */
export function byAge(a: SetView, b: SetView): number {
  return a.createdMs - b.createdMs || (a.name === b.name ? 0 : a.name < b.name ? -1 : 1);
}

/** The MachineSet that new machines are created in; undefined when none has the template. */
export function targetOf({ sets }: Pick<DeploymentView, "sets">): SetView | undefined {
  return byPreference(sets.filter(({ isUpToDate, isDeleting }) => isUpToDate && !isDeleting))[0];
}

/**
 * How many machines of a set are certainly available after the set has deleted what its replicas already ask for: the
 * controller of the set may pick available ones.
 */
export function availableAfterPicks({ current, deleting, replicas, available }: SetView): number {
  const toPick = Math.max(current - deleting - replicas, 0);
  return Math.max(available - toPick, 0);
}

/** How many machines a set has that are neither being deleted nor about to be. */
export function staying({ current, deleting, replicas }: SetView): number {
  return Math.min(Math.max(current - deleting, 0), replicas);
}
