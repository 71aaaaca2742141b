/** The conditions of a machine, with CAPZ's names where it has them, and their reasons. */

/** Azure runs the VM. */
export const VM_RUNNING = "VMRunning";
/** The machine has joined as a Node. */
export const BOOTSTRAP_SUCCEEDED = "BootstrapSucceeded";
/** The Node reports that it is healthy. */
export const NODE_HEALTHY = "NodeHealthy";
/** The instance may be deleted or updated now; the pool controller waits for it. Set only during deletion and update. */
export const DRAINED = "Drained";
/** The reason while pods cannot be evicted. */
export const DRAIN_BLOCKED = "DrainBlocked";
/** Cluster API's name: no volume is attached to the drained Node any more. Set only while one is. */
export const VOLUMES_DETACHED = "VolumeDetachSucceeded";
/** The instance has its new model. Set only after Azure has failed to update it. */
export const INSTANCE_UPDATED = "InstanceUpdated";

/** The conditions that Ready summarizes. */
export const SUMMED_UP: readonly string[] = [VM_RUNNING, BOOTSTRAP_SUCCEEDED, NODE_HEALTHY];

/** The reason of a drained machine that still exists. */
export const WAITING_FOR_INSTANCE = "WaitingForInstanceDeletion";
/** The reason of a machine that is not Ready because it is updated in place. */
export const UPDATING_IN_PLACE = "UpdatingInPlace";
