/** What the controller knows about a part of a machine. */
export type Health = "healthy" | "unhealthy" | "unknown";

/** The health of one part of a machine: a static pod, its member of etcd, or its Node. */
export interface PartHealth {
  /** The condition that reports it, such as `APIServerPodHealthy`. */
  readonly part: string;
  readonly health: Health;
  readonly why: string;
}

/** A remediation, as it is recorded in annotations. */
export interface RemediationRecord {
  readonly machine: string;
  readonly timestampMs: number;
  readonly retryCount: number;
}

/** The facts about one machine of a control plane. */
export interface ControlPlaneMachine {
  readonly name: string;
  readonly createdMs: number;
  /** When its deletion was requested; undefined while it was not. */
  readonly deletingSinceMs?: number;
  /** The name of its Node; undefined until it has one. */
  readonly nodeName?: string;
  /** What keeps it from becoming a Node, in the words of its Ready condition; undefined while it only takes its time. */
  readonly trouble?: string;
  /** Whether its kubelet answers, so that its member of etcd can be asked to hand over the leadership. */
  readonly isReachable: boolean;
  readonly failureDomain?: string;
  /** Why it differs from the desired state; empty for an up-to-date machine. */
  readonly outdated: readonly string[];
  /** A user asks to delete this machine first. */
  readonly hasDeleteAnnotation: boolean;
  /** A health check asks to replace it; by a user's annotation, or by what the check observed. */
  readonly remediation?: "Requested" | "Unhealthy";
  /** All parts that must be healthy before another machine is changed. */
  readonly parts: readonly PartHealth[];
  /** Whether its deletion waits for the control plane to take its member out of etcd. */
  readonly waitsForRelease: boolean;
  /** Whether it still has the hook by which its deletion waits for the control plane. */
  readonly hasHook: boolean;
  /** Pre-terminate hooks of other controllers; they come first. */
  readonly otherHooks: readonly string[];
  /** The remediation that created this machine. */
  readonly remediationFor?: RemediationRecord;
  /** Its update in place; undefined while there is none. */
  readonly update?: MachineUpdate;
}

/** The update in place of one machine. */
export interface MachineUpdate {
  /**
   * `begun`: the desired state is not written completely, and no updater runs yet. `running`: updaters work on the machine.
   * `failed`: an updater gave up, and the machine waits for a user.
   */
  readonly state: "begun" | "running" | "failed";
  /** The desired state that the update leads to. */
  readonly key: string;
}

/** What the updaters said about one machine. */
export type MachineUpdateVerdict =
  | {
      readonly result: "Covered";
      readonly updaters: readonly string[];
      readonly paths: readonly string[];
      /** Whether the Node is drained before the updaters run. */
      readonly needsDrain?: boolean;
      readonly why: string;
    }
  | { readonly result: "Uncovered" | "Unknown"; readonly why: string };

/** The facts for updates in place. */
export interface ControlPlaneUpdateView {
  /** Identifies the desired state of the machines. */
  readonly key: string;
  /** Whether the feature is off; then no machine is updated or replaced. */
  readonly isDisabled: boolean;
  /** What the updaters said about outdated machines, by the names of the machines. */
  readonly verdicts: ReadonlyMap<string, MachineUpdateVerdict>;
  /** The surge of the rolling update that follows if updaters cannot make all changes; without it nothing is replaced. */
  readonly fallbackSurge?: 0 | 1;
  /** After the first machine a user must approve the update; `approved` is the key of the approved one. */
  readonly approval?: { readonly approved: string | undefined };
}

/** A member of etcd. Ids are uint64 in decimal, and never numbers. */
export interface MemberView {
  readonly id: string;
  /** The name of its Node; empty until the member has started. */
  readonly name: string;
  readonly isLearner: boolean;
  readonly hasAlarm: boolean;
}

/** What the controller knows about etcd. */
export type EtcdView =
  | { readonly state: "known"; readonly members: readonly MemberView[]; readonly leader: string | undefined }
  /** The members cannot be read at the moment. */
  | { readonly state: "unknown"; readonly why: string }
  /** Users run etcd elsewhere: machines have no members. */
  | { readonly state: "external" };

/** How often and how fast unhealthy machines are replaced. */
interface RemediationPolicy {
  /** Undefined means no limit. */
  readonly maxRetry?: number;
  readonly retryPeriodMs: number;
  readonly minHealthyPeriodMs: number;
}

/** The facts about a control plane and its machines. */
export interface ControlPlaneView {
  readonly namespace: string;
  readonly name: string;
  readonly replicas: number;
  readonly version: string;
  readonly maxSurge: 0 | 1;
  readonly isInitialized: boolean;
  /** Why the workload cluster does not answer; undefined while it does. */
  readonly unreachable?: string;
  /** Why no machine can join because of the certificates of the cluster; undefined when they are there. */
  readonly certificateProblem?: string;
  /** The failure domains for control planes. */
  readonly failureDomains: readonly string[];
  readonly machines: readonly ControlPlaneMachine[];
  /** The name of a machine whose creation is recorded, but which the cache does not show yet. */
  readonly creating?: string;
  readonly etcd: EtcdView;
  readonly remediation: RemediationPolicy;
  /** A remediation whose replacement does not exist yet. */
  readonly remediationInProgress?: RemediationRecord;
  /** The facts for updates in place; undefined if the strategy is another one. */
  readonly inPlace?: ControlPlaneUpdateView;
  readonly nowMs: number;
}
