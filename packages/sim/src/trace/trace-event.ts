/** One thing that happened in a world, in the order in which things happened. */
export interface TraceEvent {
  /** Virtual milliseconds since the world began. */
  readonly atMs: number;
  /** The step of the scheduler it happened in. */
  readonly step: number;
  /** Who did it: `user`, `azure`, `guests`, `world`, or a controller as `manager-1/azuremachinepool`. */
  readonly actor: string;
  readonly happening: Happening;
}

/** What can happen in a world. */
export type Happening =
  /** A step of the scenario begins. */
  | { readonly kind: "step"; readonly text: string }
  | KubeWrite
  | ArmCall
  /** Azure did something to a virtual machine. */
  | {
      readonly kind: "machine";
      /** `SET/INSTANCE` for an instance of a scale set, else the name of the machine. */
      readonly machine: string;
      readonly event: "created" | "booted" | "reimaged" | "modelApplied" | "started" | "stopped" | "deleted";
    }
  /** A Node of a workload cluster changed in a way that matters to people. */
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
  /** A guest will not become a node. */
  | {
      readonly kind: "guestFailure";
      readonly machine: string;
      readonly reason: string;
      readonly message: string;
    }
  /** Something was made to go wrong. */
  | { readonly kind: "fault"; readonly fault: string; readonly text: string }
  /** A process of the world began, ended or stood still. */
  | {
      readonly kind: "process";
      readonly process: string;
      readonly event: "started" | "crashed" | "stalled" | "resumed" | "led" | "lost the Lease";
    }
  /** An invariant does not hold. */
  | { readonly kind: "violation"; readonly invariant: string; readonly text: string };

/** A write to a Kubernetes API, as it was answered. */
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

/** A request to Azure Resource Manager, as it was answered. */
export interface ArmCall {
  readonly kind: "arm";
  readonly method: string;
  /** As the journal names it: `PUT virtualMachineScaleSets`. */
  readonly operation: string;
  readonly path: string;
  readonly status: number;
  readonly code?: string;
}
