/** Which machines a MachineSet deletes first. */
type DeletePolicy = "Random" | "Newest" | "Oldest";

/** The facts about one machine of a MachineSet. */
export interface SetMachine {
  readonly name: string;
  readonly createdMs: number;
  readonly isDeleting: boolean;
  /** A user asks to delete this machine first. */
  readonly hasDeleteAnnotation: boolean;
  /** Updaters change it in place, or are about to: it serves no pods, and its update may be half done. */
  readonly isUpdating: boolean;
  /** It has no Node, or its Node or a health check says that it is not healthy. */
  readonly isUnhealthy: boolean;
  readonly isAvailable: boolean;
  /** A health check asks the set to replace it; by a user's annotation, or by what the check observed. */
  readonly remediation?: "Requested" | "Unhealthy";
}

/** The facts about a MachineSet and its machines. */
export interface MachineSetView {
  readonly namespace: string;
  readonly name: string;
  readonly replicas: number;
  readonly deletePolicy: DeletePolicy;
  /** All machines of the set, also those that are being deleted. */
  readonly machines: readonly SetMachine[];
  /** The names of machines whose creation the controller has recorded, but which the cache does not show yet. */
  readonly creating: readonly string[];
  /** The names of machines that another set hands over, and which the cache does not show in this one yet. */
  readonly arriving: readonly string[];
  /** The MachineDeployment has a newer template and waits until users delete the machines of this one. */
  readonly isCreateDisabled: boolean;
  /** Whether new machines have the template of the MachineDeployment; true without one. */
  readonly isCurrent: boolean;
  /** Why no machine may be created now, from the preflight checks. */
  readonly preflight: readonly string[];
  /** The most machines that may be replaced at once because they are unhealthy; undefined means no limit. */
  readonly maxInFlight?: number;
  readonly nowMs: number;
}
