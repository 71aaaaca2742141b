/** How long each thing that a rollout waits for takes. A forecast is as good as these. */
export interface StepTimes {
  /** Azure takes a new model or a new capacity. */
  readonly putMs: number;
  /** Azure makes an instance. */
  readonly createMs: number;
  /** From power on until the Node is Ready. */
  readonly bootMs: number;
  /** How long a Node must be Ready before it counts. */
  readonly minReadyMs: number;
  /** The pods of a Node find another place. */
  readonly drainMs: number;
  /** Azure deletes an instance. */
  readonly deleteMs: number;
  /** Azure brings an instance to the model of its scale set. */
  readonly updateMs: number;
}
