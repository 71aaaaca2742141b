/** The duration of each step that a rollout waits for; the accuracy of a forecast depends on them. */
export interface StepTimes {
  /** Azure accepts a new model or a new capacity. */
  readonly putMs: number;
  /** Azure creates an instance. */
  readonly createMs: number;
  /** From power on until the Node is Ready. */
  readonly bootMs: number;
  /** How long a Node must be Ready before the machine is available. */
  readonly minReadyMs: number;
  /** The pods of a Node are evicted. */
  readonly drainMs: number;
  /** Azure deletes an instance. */
  readonly deleteMs: number;
  /** Azure updates an instance to the model of its scale set. */
  readonly updateMs: number;
}
