/** The conditions of a Machine; the names are Cluster API's. */
export const BOOTSTRAP_READY = "BootstrapReady";
export const INFRASTRUCTURE_READY = "InfrastructureReady";
export const NODE_HEALTHY = "NodeHealthy";
export const AVAILABLE = "Available";
export const UP_TO_DATE = "UpToDate";
export const UPDATING = "Updating";
export const HEALTH_CHECK_SUCCEEDED = "HealthCheckSucceeded";
export const OWNER_REMEDIATED = "OwnerRemediated";
export const DRAINING_SUCCEEDED = "DrainingSucceeded";
export const VOLUME_DETACH_SUCCEEDED = "VolumeDetachSucceeded";
export const PRE_DRAIN_HOOK_SUCCEEDED = "PreDrainDeleteHookSucceeded";
export const PRE_TERMINATE_HOOK_SUCCEEDED = "PreTerminateDeleteHookSucceeded";

/** The finalizer of a Machine. */
export const MACHINE_FINALIZER = "machine.cluster.x-k8s.io";
