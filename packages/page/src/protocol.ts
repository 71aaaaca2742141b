/** The views that a server streams. */
export type ViewName = "fleet" | "cluster" | "rollout" | "object" | "azure";

/** How something stands: as desired, on its way, in need of a user, or not known. */
export type Tone = "good" | "waiting" | "bad" | "unknown";

/** Whatever a view lists. A change of a view replaces rows by their keys. */
export interface Row {
  readonly key: string;
}

/** What a view shows at one moment. */
export interface ViewState<H extends object = object, R extends Row = Row> {
  readonly head: H;
  readonly rows: readonly R[];
}

/**
 * One message of a stream. All of them have the time of the cluster, which may run on another clock than the browser. The
 * first message, and the first after a lost connection, is a snapshot.
 */
export type Message<H extends object = object, R extends Row = Row> = { readonly nowMs: number } & (
  | ({ readonly type: "snapshot" } & ViewState<H, R>)
  | {
      readonly type: "change";
      /** Absent if it has not changed. */
      readonly head?: H;
      /** The rows that are new or have changed. */
      readonly rows: readonly R[];
      /** The keys of the rows that are gone. */
      readonly gone: readonly string[];
    }
  /**
   * Why the view cannot be read now. What was shown before stays, unless it is the first message of a stream: then it may be what
   * the user may not see any more.
   */
  | { readonly type: "problem"; readonly text: string; readonly isFirst: boolean }
  /** Nothing has changed. */
  | { readonly type: "time" }
);

/** Names an object. */
export interface ObjectName {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** The fleet: which clusters are shown. */
export interface FleetHead {
  /** Whose objects are shown, such as `all namespaces`. */
  readonly scope: string;
  /** What the user may not see, a sentence each. */
  readonly notes: readonly string[];
}

/** A rollout by its numbers. */
export interface RolloutSummary {
  readonly kind: string;
  readonly name: string;
  readonly upToDate: number;
  readonly desired: number;
}

/** A cluster in the fleet. */
export interface FleetRow extends Row {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  readonly tone: Tone;
  readonly createdMs: number;
  /** Ready and desired machines; absent if no machines of ours run the control plane. */
  readonly controlPlane?: { readonly ready: number; readonly desired: number };
  readonly workers: { readonly ready: number; readonly desired: number };
  /** The version of the control plane, and the oldest and the number of others among its workers. */
  readonly versions: { readonly newest?: string; readonly oldest?: string; readonly minorsApart: number };
  /** When the image of the pool with the oldest one was taken. */
  readonly imageMs?: number;
  /** The groups of machines that are not up to date yet. */
  readonly rollouts: readonly RolloutSummary[];
  /** How many machines may become unavailable: of the group that can spare the fewest. */
  readonly budgetLeft?: number;
  /** What the cluster needs, or waits for. */
  readonly needs: string;
  /** Whether a user must do something. */
  readonly needsUser: boolean;
}

/** The facts of a rollout: those of `capstan rollout status -o json`. */
export interface RolloutNumbers {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly state: "RolledOut" | "Waiting" | "Failed";
  readonly machines: {
    readonly desired: number;
    readonly upToDate: number;
    readonly outdated: number;
    readonly available: number;
    readonly updating?: number;
    readonly leaving?: number;
  };
  readonly causes: readonly { readonly reason: string; readonly message: string }[];
}

/** What a rollout waits for. */
export interface Obstacle {
  readonly reason: string;
  readonly message: string;
  /** The machine or the object that reports it. */
  readonly who: string;
  /** The object that blocks, such as `PodDisruptionBudget default/web`. */
  readonly blocking?: string;
  /** What shows or removes it, to be copied. */
  readonly command?: string;
}

/** A rollout beside its lanes. */
export interface RolloutHead {
  readonly numbers: RolloutNumbers;
  readonly tone: Tone;
  /** `Waiting for AzureMachinePool a/b: …`, as `capstan rollout status` prints it. */
  readonly sentence: string;
  readonly obstacles: readonly Obstacle[];
  readonly notes: readonly string[];
  /** `desired 3 · up to date 1 · …`, as `capstan rollout watch` prints it; absent where no budget is known. */
  readonly budget?: string;
  /** How many machines must stay available. */
  readonly floor?: number;
  /** How many machines were available since when, in order. */
  readonly levels: readonly (readonly [atMs: number, available: number])[];
  readonly beganMs: number;
  readonly endedMs?: number;
  /** When it ends, by the forecast. */
  readonly expectedEndMs?: number;
  /** `elapsed 5m, about 3m left`, as `capstan rollout watch` prints it. */
  readonly pace?: string;
  /** The command that prints the same in a terminal. */
  readonly command: string;
}

/** What happens to a machine. */
export type LanePhase =
  | "create"
  | "boot"
  | "join"
  | "ready"
  | "unready"
  | "cordon"
  | "drain"
  | "delete"
  | "update"
  | "image";

/** A phase of a machine; without an end it lasts. */
export interface LaneSegment {
  readonly phase: LanePhase;
  readonly fromMs: number;
  readonly toMs?: number;
  /** The message of the condition behind it. */
  readonly message?: string;
}

/** A phase that the forecast expects. */
export interface LaneForecast {
  readonly phase: LanePhase;
  readonly fromMs: number;
  readonly toMs: number;
}

/** A machine over time. */
export interface Lane extends Row {
  readonly name: string;
  readonly kind: string;
  readonly namespace: string;
  readonly group: string;
  readonly tone: Tone;
  readonly segments: readonly LaneSegment[];
  readonly forecast: readonly LaneForecast[];
  readonly message: string;
  readonly goneMs?: number;
}

/** A condition as the page shows it. */
export interface ShownCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly sinceMs?: number;
}

/** The tree of a cluster. */
export interface TreeHead {
  readonly cluster: ObjectName;
  /** The objects whose rollouts can be shown. */
  readonly rollouts: readonly ObjectName[];
  readonly command: string;
}

/** An object of the tree, or a heading. */
export interface TreeRow extends Row {
  readonly depth: number;
  readonly text: string;
  readonly role: string;
  readonly object?: ObjectName;
  readonly counts?: {
    readonly desired?: number;
    readonly ready?: number;
    readonly available?: number;
    readonly upToDate?: number;
  };
  readonly warnings: readonly string[];
  readonly condition?: ShownCondition;
  readonly tone: Tone;
}

/** An event as the page shows it. */
export interface ShownEvent extends Row {
  readonly atMs: number;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
}

/** One object; its events are the rows. */
export interface ObjectHead {
  readonly object: ObjectName;
  readonly owners: readonly ObjectName[];
  readonly conditions: readonly ShownCondition[];
  readonly yaml: string;
  /** kubectl lines to copy. */
  readonly commands: readonly string[];
}
