import type { ErrorBody } from "../arm/errors.ts";
import type { MachineRecord } from "./machine.ts";

/** What the statuses of a machine are made from. */
interface MachineStatus extends Pick<MachineRecord, "state" | "power"> {
  readonly error?: ErrorBody | undefined;
  /** When state or power last changed. */
  readonly changedMs: number;
}

/** One line of an instance view. */
export interface Status {
  readonly code: string;
  readonly level: "Info" | "Error";
  readonly displayStatus: string;
  readonly message?: string;
  readonly time?: string;
}

/** The code of a machine's provisioning state; a failed one includes the error code. */
export function provisioningCode({ state, error }: Pick<MachineStatus, "state" | "error">): string {
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

/** The provisioning state and the power state of a machine. */
export function statusesOf(machine: MachineStatus): Status[] {
  const { state, power, error, changedMs } = machine;
  const provisioning: Status = {
    code: provisioningCode(machine),
    level: state === "Failed" ? "Error" : "Info",
    displayStatus: DISPLAY[state],
    ...(state === "Failed" && error && { message: error.message }),
    time: new Date(changedMs).toISOString(),
  };
  if (power === "creating") return [provisioning];
  return [provisioning, { code: `PowerState/${power}`, level: "Info", displayStatus: `VM ${power}` }];
}
