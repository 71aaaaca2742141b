import type { Instance } from "./scale-sets.ts";

/** One line of an instance view. */
export interface Status {
  readonly code: string;
  readonly level: "Info" | "Error";
  readonly displayStatus: string;
  readonly message?: string;
  readonly time?: string;
}

/** The code of an instance's provisioning state; a failed one includes the error code. */
export function provisioningCode({ state, error }: Instance): string {
  const code = `ProvisioningState/${state.toLowerCase()}`;
  return state === "Failed" && error ? `${code}/${error.code}` : code;
}

const DISPLAY = {
  Creating: "Creating",
  Updating: "Updating",
  Succeeded: "Provisioning succeeded",
  Failed: "Provisioning failed",
  Deleting: "Deleting",
} as const;

/** The provisioning state and the power state of an instance. */
export function statusesOf(instance: Instance): Status[] {
  const { state, power, error, changedMs } = instance;
  const provisioning: Status = {
    code: provisioningCode(instance),
    level: state === "Failed" ? "Error" : "Info",
    displayStatus: DISPLAY[state],
    ...(state === "Failed" && error && { message: error.message }),
    time: new Date(changedMs).toISOString(),
  };
  if (power === "creating") return [provisioning];
  return [provisioning, { code: `PowerState/${power}`, level: "Info", displayStatus: `VM ${power}` }];
}
