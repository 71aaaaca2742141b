/** The conditions of a machine, by CAPZ's names where it has them, and what they are False for. */

/** Azure runs the VM. */
export const VM_RUNNING = "VMRunning";
/** The machine has become a Node. */
export const BOOTSTRAP_SUCCEEDED = "BootstrapSucceeded";
/** The Node says that it is well. */
export const NODE_HEALTHY = "NodeHealthy";
/** The instance may be deleted or updated now: the pool waits for it. There only while the machine leaves or is updated. */
export const DRAINED = "Drained";
/** Why it may not yet: somebody keeps pods from being evicted. */
export const DRAIN_BLOCKED = "DrainBlocked";
/** Cluster API's name: no volume is attached to the drained Node any more. There only while one is. */
export const VOLUMES_DETACHED = "VolumeDetachSucceeded";
/** The instance has got its new model. There only after Azure has failed to give it one. */
export const INSTANCE_UPDATED = "InstanceUpdated";

/** What Ready sums up. */
export const SUMMED_UP: readonly string[] = [VM_RUNNING, BOOTSTRAP_SUCCEEDED, NODE_HEALTHY];

/** Why a machine that has been drained is still there. */
export const WAITING_FOR_INSTANCE = "WaitingForInstanceDeletion";
/** Why a machine that is updated in place is not Ready. */
export const UPDATING_IN_PLACE = "UpdatingInPlace";
