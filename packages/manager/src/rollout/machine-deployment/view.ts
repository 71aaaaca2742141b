/** The facts about one MachineSet of a MachineDeployment. */
export interface SetView {
  readonly name: string;
  readonly createdMs: number;
  /** The desired number of machines. */
  readonly replicas: number;
  /** The number of existing machines, also those that are being deleted. */
  readonly current: number;
  /** How many of them are being deleted. */
  readonly deleting: number;
  readonly available: number;
  /** Whether the set has the template of the MachineDeployment and is not too old for `spec.rolloutAfter`. */
  readonly isUpToDate: boolean;
  /** Whether the set itself is being deleted. */
  readonly isDeleting: boolean;
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
