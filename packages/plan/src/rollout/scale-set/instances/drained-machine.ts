/** A machine whose Node is drained: its instance can be deleted or updated. */
export interface DrainedMachine {
  readonly name: string;
  readonly instanceID: string;
  /** Whether its resource is being deleted. */
  readonly isDeleting: boolean;
  /** Whether it has the annotation of an update in place. */
  readonly isUpdateAsked: boolean;
  /** The update that its own controller has started; the Node from before it has the UID `nodeUID`. */
  readonly update: { readonly startedMs: number; readonly nodeUID: string | undefined } | undefined;
  /** As Azure writes it. */
  readonly provisioningState: string;
  readonly provisionedMs: number | undefined;
  /** Whether Azure says that the instance has the latest model; undefined if it does not say. */
  readonly isLatestModel: boolean | undefined;
  /** Whether its image is that of the scale set: updating an instance replaces its disk only if the image differs. */
  readonly hasImageOfSet: boolean;
  /** Whether a re-image was recorded when its update started. */
  readonly isReimageRecorded: boolean;
  /** Its Node by the watch. */
  readonly node: { readonly uid: string; readonly isReady: boolean } | undefined;
  /** Whether it counted as drained because it had no Node. */
  readonly hadNoNode: boolean;
  /** Whether a live read, made because the watch lags, found a Ready Node that was not drained. */
  readonly hasUndrainedNode?: boolean;
}

/** Whether the instance may be deleted or updated now. */
export function isDisruptable(machine: DrainedMachine): boolean {
  return isDeletable(machine) || isUpdatable(machine);
}

/** Whether the instance may be deleted now. */
export function isDeletable({
  isDeleting,
  provisioningState,
  update,
  node,
  hadNoNode,
}: DrainedMachine): boolean {
  if (!isDeleting || provisioningState === "Deleting") return false;
  if (!node) return true;
  // A machine that is deleted right after its update: the Drained condition is about the Node before the update.
  const isNodeBefore = update?.nodeUID === undefined || node.uid === update.nodeUID;
  // A Node has joined after its machine counted as drained because it had none: the machine drains it first.
  return isNodeBefore && !(hadNoNode && node.isReady);
}

/** Whether the instance may be updated now. */
export function isUpdatable({
  isDeleting,
  isUpdateAsked,
  update,
  provisioningState,
}: DrainedMachine): boolean {
  // Azure refuses a second operation on an instance; the rollout handles one whose operation failed.
  return !isDeleting && isUpdateAsked && update !== undefined && provisioningState === "Succeeded";
}

/** Whether the machine gets the model of the scale set. */
export function needsUpgrade(machine: DrainedMachine): boolean {
  return machine.isLatestModel === false && !isBack(machine);
}

/**
 * Whether an instance has the new model but still its old disk: the image is the same, or only a restart was requested. An
 * instance whose Node is back has a new disk, even if Azure's clock is behind ours and suggests otherwise.
 */
export function needsReimage(machine: DrainedMachine): boolean {
  const { isLatestModel, isReimageRecorded, provisionedMs = Infinity, update } = machine;
  if (isLatestModel !== true || isBack(machine)) return false;
  return isReimageRecorded || (update !== undefined && provisionedMs < update.startedMs);
}

/** Whether a machine is back from its update while yet another model is desired: pods may run on it, so it must be drained again. */
function isBack({ node, update }: DrainedMachine): boolean {
  return node?.isReady === true && node.uid !== update?.nodeUID;
}
