import { type Condition, type Frozen, Machine } from "@capstan/api";
import { withConditions } from "@capstan/runtime";

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

/** The part of the status of a Machine that has its conditions, in both forms; for a merge patch. */
export function withMachineConditions(
  { status }: Frozen<Machine>,
  conditions: readonly Frozen<Condition>[],
): object {
  const { conditions: standard, deprecated } = withConditions(Machine, status, conditions);
  return { conditions: standard, deprecated: { v1beta1: { conditions: deprecated?.v1beta1?.conditions } } };
}
