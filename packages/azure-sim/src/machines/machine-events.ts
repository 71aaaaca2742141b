/** A change of a virtual machine that its guest would notice. */
export interface MachineEvent {
  readonly kind: "created" | "booted" | "reimaged" | "stopped" | "started" | "deleted" | "modelApplied";
  /** The ARM id of the machine in lower case. */
  readonly machineId: string;
  readonly atMs: number;
}

/** Runs for each change of a machine, at the moment of the change. */
export type MachineListener = (event: MachineEvent) => void;
