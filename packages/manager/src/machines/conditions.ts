import {
  type Condition,
  deepEqual,
  deprecatedConditionsOf,
  type Frozen,
  Machine,
  type StandardCondition,
} from "@capstan/api";
import { type Client, isConflict, isNotFound } from "@capstan/runtime";

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

/** The conditions of a Machine in both forms. */
export interface MachineConditions {
  /** In the form of v1beta1. */
  readonly deprecated: readonly Frozen<Condition>[];
  readonly standard: readonly Frozen<StandardCondition>[];
}

/** The conditions that a Machine has. */
export function machineConditionsOf(machine: Frozen<Machine>): MachineConditions {
  const { conditions = [] } = machine.status ?? {};
  return { deprecated: deprecatedConditionsOf(machine) ?? [], standard: conditions };
}

/**
 * Writes conditions that another controller than the machine's own decides, if they differ from those that the machine has.
 * Returns whether it wrote them; a conflict is not a failure, because the change that caused it enqueues the caller again.
 */
export async function writeMachineConditions(
  client: Client,
  machine: Frozen<Machine>,
  { deprecated, standard }: MachineConditions,
): Promise<boolean> {
  const before = machineConditionsOf(machine);
  if (deepEqual(before, { deprecated, standard })) return false;
  const { name, namespace, resourceVersion } = machine.metadata;
  const status = { conditions: standard, deprecated: { v1beta1: { conditions: deprecated } } };
  const body = { metadata: { resourceVersion }, status };
  try {
    await client.patch(Machine, { name, namespace }, { type: "merge", subresource: "status", body });
    return true;
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error;
    return false;
  }
}
