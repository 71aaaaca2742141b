/** One event of a world, in order. */
export interface TraceEvent {
  /** Virtual milliseconds since the start of the world. */
  readonly atMs: number;
  /** The scheduler step of the event. */
  readonly step: number;
  /** The actor: `user`, `azure`, `guests`, `world`, or a controller as `manager-1/azuremachinepool`. */
  readonly actor: string;
  readonly happening: Happening;
}

/** The kinds of events. */
export type Happening =
  /** A step of the scenario begins. */
  | { readonly kind: "step"; readonly text: string }
  | KubeWrite
  | ArmCall
  /** Azure changed a virtual machine. */
  | {
      readonly kind: "machine";
      /** `SET/INSTANCE` for an instance of a scale set, else the name of the machine. */
      readonly machine: string;
      readonly event: "created" | "booted" | "reimaged" | "modelApplied" | "started" | "stopped" | "deleted";
    }
  /** A relevant change of a Node in a workload cluster. */
  | {
      readonly kind: "node";
      readonly cluster: string;
      readonly node: string;
      readonly event: "joined" | "ready" | "notReady" | "cordoned" | "uncordoned" | "gone";
    }
  /** A condition of one of our objects changed. */
  | {
      readonly kind: "condition";
      readonly object: string;
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly message: string;
    }
  /** A guest failed to become a node. */
  | {
      readonly kind: "guestFailure";
      readonly machine: string;
      readonly reason: string;
      readonly message: string;
    }
  /** A fault hit. */
  | { readonly kind: "fault"; readonly fault: string; readonly text: string }
  /** A process started, ended or was paused. */
  | {
      readonly kind: "process";
      readonly process: string;
      readonly event: "started" | "crashed" | "stalled" | "resumed" | "led" | "lost the Lease";
    }
  /** An invariant was violated. */
  | { readonly kind: "violation"; readonly invariant: string; readonly text: string };

/** A write to a Kubernetes API, with its answer. */
export interface KubeWrite {
  readonly kind: "write";
  readonly cluster: string;
  readonly verb: "create" | "update" | "patch" | "delete";
  /** Plural name, as in the path: `machines`, `nodes`. */
  readonly resource: string;
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly subresource?: string | undefined;
  readonly status: number;
}

/** A request to Azure Resource Manager, with its answer. */
export interface ArmCall {
  readonly kind: "arm";
  readonly method: string;
  /** The operation's name in the journal: `PUT virtualMachineScaleSets`. */
  readonly operation: string;
  readonly path: string;
  readonly status: number;
  readonly code?: string;
}
