import type { Frozen, MachineDeployment, MachineSet } from "@capstan/api";
import type { ConditionUpdate } from "../../contract/ready.ts";
import { isUpToDate, templateDifference } from "../../machines/rollout-fields.ts";
import { UP_TO_DATE } from "../../machines/conditions.ts";

/** The owners that say whether a machine is outdated. */
export interface MachineOwners {
  /** The MachineSet that controls the machine, if one does. */
  readonly set: Frozen<MachineSet> | undefined;
  /** The MachineDeployment that controls the set, if one does. */
  readonly deployment: Frozen<MachineDeployment> | undefined;
}

/** Whether the MachineDeployment of a machine has another template by now, or `spec.rolloutAfter` has passed. */
export function isOutdated({ set, deployment }: MachineOwners, nowMs: number): boolean {
  return set !== undefined && deployment !== undefined && !isUpToDate(deployment, set, nowMs);
}

/** The condition UpToDate of a machine that no updater changes now; undefined without a MachineDeployment. */
export function judgeUpToDate(owners: MachineOwners, nowMs: number): ConditionUpdate | undefined {
  const { set, deployment } = owners;
  if (!set || !deployment) return undefined;
  const type = UP_TO_DATE;
  if (!isOutdated(owners, nowMs)) return { type, status: "True", reason: "UpToDate" };
  const message = `MachineDeployment ${deployment.metadata.name}: ${templateDifference(deployment, set)}`;
  return { type, status: "False", severity: "Info", reason: "NotUpToDate", message };
}
