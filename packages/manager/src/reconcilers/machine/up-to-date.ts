import {
  controllerOf,
  type Frozen,
  type Machine,
  type MachineDeployment,
  type MachineSet,
} from "@capstan/api";
import type { ConditionUpdate } from "../../contract/ready.ts";
import { isUpToDate, templateDifference } from "../../machines/rollout-fields.ts";
import { upToDateCondition } from "../../machines/up-to-date.ts";

/** The owners that say whether a machine is outdated. */
export interface MachineOwners {
  /** The MachineSet that controls the machine, if one does. */
  readonly set: Frozen<MachineSet> | undefined;
  /** The MachineDeployment that controls the set, if one does. */
  readonly deployment: Frozen<MachineDeployment> | undefined;
}

/** Whether the MachineDeployment of a machine has another template by now, or `spec.rollout.after` has passed. */
export function isOutdated({ set, deployment }: MachineOwners, nowMs: number): boolean {
  return set !== undefined && deployment !== undefined && !isUpToDate(deployment, set, nowMs);
}

/**
 * The condition UpToDate of a machine of a MachineSet that no updater changes now. A KubeadmControlPlane reports on its own
 * machines, and a machine without an owner is as its user wants it.
 */
export function upToDateOfWorker(
  machine: Frozen<Machine>,
  owners: MachineOwners,
  nowMs: number,
): ConditionUpdate | undefined {
  const { set, deployment } = owners;
  if (!set) return controllerOf(machine) ? undefined : upToDateCondition(machine, undefined);
  const why =
    deployment && isOutdated(owners, nowMs)
      ? `MachineDeployment ${deployment.metadata.name}: ${templateDifference(deployment, set)}`
      : otherVersion(machine, set);
  return upToDateCondition(machine, why);
}

/** A set creates machines of its version; an adopted machine, or one that a user has changed, may have another one. */
function otherVersion({ spec }: Frozen<Machine>, set: Frozen<MachineSet>): string | undefined {
  const { version } = set.spec.template.spec;
  if (version === spec.version) return undefined;
  return `spec.version is ${spec.version ?? "empty"}, that of MachineSet ${set.metadata.name} is ${version ?? "empty"}`;
}
