import type { ConditionUpdate } from "../../../contract/ready.ts";

/** What the status of a pool says about the provisioning state of its scale set. */
export interface SetStatus {
  /** CAPZ's rule: a set that has not the desired number of instances is Updating, whatever Azure says of its last write. */
  readonly provisioningState: string;
  /** Cluster API reads the machines of a pool only while the pool is ready. */
  readonly ready: boolean;
}

/** The condition of a scale set in a state other than Succeeded and Updating. */
type Trouble = Pick<ConditionUpdate, "severity" | "message"> & { readonly reason: string };

const WRITE_FAILED = "ScaleSetProvisionFailed";

// Reasons and severities are CAPZ's.
const TROUBLES: Readonly<Record<string, Trouble>> = {
  Creating: { severity: "Info", reason: "ScaleSetCreating", message: "Azure is creating the scale set" },
  Deleting: { severity: "Info", reason: "ScaleSetDeleting", message: "Azure is deleting the scale set" },
  Deleted: { severity: "Info", reason: "ScaleSetDeleting", message: "Azure has deleted the scale set" },
  Failed: {
    severity: "Warning",
    reason: WRITE_FAILED,
    message: "Azure reports that the last change of the scale set has failed",
  },
  Canceled: {
    severity: "Warning",
    reason: WRITE_FAILED,
    message: "Azure reports that the last change of the scale set was canceled",
  },
};

/** Whether Azure leaves a scale set in this state until it is written again. */
export function needsAnotherWrite(provisioningState: string | undefined): boolean {
  return provisioningState === "Failed" || provisioningState === "Canceled";
}

/** Why a scale set in this state does not run; undefined if it does. */
export function troubleOf(provisioningState: string | undefined): Trouble | undefined {
  return TROUBLES[provisioningState ?? "Creating"];
}

/** The reported state of a scale set. In states that are unknown to us readiness stays as it was. */
export function setStatus(
  provisioningState: string,
  { isSized, wasReady }: { readonly isSized: boolean; readonly wasReady: boolean },
): SetStatus {
  if (provisioningState === "Succeeded")
    return { provisioningState: isSized ? provisioningState : "Updating", ready: true };
  const ready = provisioningState === "Updating" || (wasReady && !(provisioningState in TROUBLES));
  return { provisioningState, ready };
}
