import {
  deprecatedConditionsOf,
  type Frozen,
  getCondition,
  isTrue,
  isUpdatingInPlace,
  type Machine,
  REMEDIATE_MACHINE_ANNOTATION,
} from "@capstan/api";
import { AVAILABLE, HEALTH_CHECK_SUCCEEDED, OWNER_REMEDIATED } from "./conditions.ts";

/** Whether a condition of a machine is False; an unknown one is not. */
export function isFalse(machine: Frozen<Machine>, type: string): boolean {
  return getCondition(deprecatedConditionsOf(machine), type)?.status === "False";
}

/** Whether a health check asks the owner of a machine to replace it. */
export function remediationOf(machine: Frozen<Machine>): "Requested" | "Unhealthy" | undefined {
  if (!isFalse(machine, HEALTH_CHECK_SUCCEEDED) || !isFalse(machine, OWNER_REMEDIATED)) return undefined;
  return machine.metadata.annotations?.[REMEDIATE_MACHINE_ANNOTATION] === undefined
    ? "Unhealthy"
    : "Requested";
}

/** Whether a machine counts as ready. */
export function isReadyMachine(machine: Frozen<Machine>): boolean {
  return machine.metadata.deletionTimestamp === undefined && isTrue(deprecatedConditionsOf(machine), "Ready");
}

/** Whether a machine counts as available: an updater may stop its Node at any time. */
export function isAvailable(machine: Frozen<Machine>): boolean {
  return (
    isReadyMachine(machine) &&
    isTrue(deprecatedConditionsOf(machine), AVAILABLE) &&
    !isUpdatingInPlace(machine)
  );
}
