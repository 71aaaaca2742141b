/** Kinds that own machines, as the answer names them. */
export type GroupKind =
  | "MachinePool"
  | "MachineDeployment"
  | "KubeadmControlPlane"
  | "MachineSet"
  | "Machine"
  | "AzureManagedControlPlane";

/** The owner of machines, before and after a change. */
export interface GroupRecord {
  /** `KIND/NAMESPACE/NAME`. */
  readonly key: string;
  readonly kind: GroupKind;
  readonly namespace: string;
  readonly name: string;
  readonly cluster: string;
  readonly replicasBefore: number;
  readonly replicasAfter: number;
  /** How many machines its own strategy lets be away at once; undefined where another program decides. */
  readonly maxUnavailable?: number;
  /** Why its machines are replaced or updated, as its conditions say it first. */
  readonly why: readonly string[];
  /** Why it was not settled when the change came; undefined if it was, or did not exist. */
  readonly unfinishedBefore?: string;
  /** Why it is not rolled out at the end; undefined if it is. */
  readonly unfinished?: string;
  /** Whether its cluster or itself is paused, so that no controller acts on it. */
  readonly isPaused: boolean;
}

/** One machine from its creation to its end. Times are milliseconds since the change; before it they are negative. */
export interface MachineHistory {
  readonly id: string;
  readonly group: string;
  readonly name: string;
  readonly createdMs: number;
  readonly goneMs?: number;
  readonly cores: number;
  /** Each change of its availability. */
  readonly availability: readonly (readonly [atMs: number, isAvailable: boolean])[];
  /** When Azure gave it another model or disk after the change. */
  readonly updatedMs: readonly number[];
  readonly versionBefore?: string;
  readonly versionAfter?: string;
}

/** One request to evict a pod. */
export interface EvictionRecord {
  readonly atMs: number;
  readonly cluster: string;
  /** `NAMESPACE/NAME` of the pod. */
  readonly pod: string;
  readonly isRefused: boolean;
  /** The disruption budgets that select the pod, when it was refused. */
  readonly budgets: readonly string[];
}

/** A pod that was refused to be evicted, and how it ended. */
export interface PodEnd {
  readonly cluster: string;
  readonly pod: string;
  /** When the pod was gone; undefined if it still runs at the end. */
  readonly goneMs?: number;
}

/** What happened in one world after a change. Plain data. */
export interface RunRecord {
  readonly seed: string;
  /** The change was applied, or the server refused it. */
  readonly refusal?: string;
  /** What was not settled before the change. */
  readonly ungrown: readonly string[];
  readonly grownMs: number;
  /** Whether the world came to rest after the change. */
  readonly isAtRest: boolean;
  /** Whether the time of the run was over while machines still moved. */
  readonly isCutOff: boolean;
  /** A statement about every run that did not hold: the world is not to be trusted. */
  readonly defect?: string;
  /** From the change to the last work. */
  readonly endMs: number;
  readonly groups: readonly GroupRecord[];
  readonly machines: readonly MachineHistory[];
  readonly evictions: readonly EvictionRecord[];
  readonly refusedPods: readonly PodEnd[];
  readonly azure: { readonly requests: number; readonly writes: number; readonly throttled: number };
  readonly faults: number;
  readonly steps: number;
}
