/**
 * The steps that a rollout waits for:
 * - `put`: Azure accepts a new model or a new capacity
 * - `create`: Azure creates an instance
 * - `boot`: from power on until the Node is Ready
 * - `minReady`: a Node must be Ready for so long before the machine is available
 * - `drain`: the pods of a Node are evicted
 * - `delete`: Azure deletes an instance
 * - `update`: Azure updates an instance to the model of its scale set
 * - `notice`: the controller reads that Azure has done something
 * - `list`: the pool controller lists the instances again, and reads that Azure deletes one
 */
export type RolloutStep =
  | "put"
  | "create"
  | "boot"
  | "minReady"
  | "drain"
  | "delete"
  | "update"
  | "notice"
  | "list";

/** The duration of one step in milliseconds. A forecast asks once for each step of each machine, so a source may draw. */
export type StepTimes = (step: RolloutStep) => number;
