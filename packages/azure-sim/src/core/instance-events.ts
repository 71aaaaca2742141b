/** Something that happened to a virtual machine of a scale set: what its guest would notice. */
export interface InstanceEvent {
  readonly kind: "created" | "booted" | "reimaged" | "stopped" | "started" | "deleted" | "modelApplied";
  /** The ARM id of the scale set. */
  readonly scaleSetId: string;
  readonly instanceId: string;
  readonly atMs: number;
}

/** Is told of what happens to instances, at the moment it happens. */
export type InstanceListener = (event: InstanceEvent) => void;
