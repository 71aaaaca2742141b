import { type Frozen, type Machine, REMEDIATE_MACHINE_ANNOTATION, reportedCondition } from "@capstan/api";
import { HEALTH_CHECK_SUCCEEDED, NODE_HEALTHY, OWNER_REMEDIATED } from "./conditions.ts";

/** Whether a condition of a machine is False; an unknown one is not. */
export function isFalse(machine: Frozen<Machine>, type: string): boolean {
  return reportedCondition(machine, type)?.status === "False";
}

/** Whether a health check asks the owner of a machine to replace it. */
export function remediationOf(machine: Frozen<Machine>): "Requested" | "Unhealthy" | undefined {
  if (!isFalse(machine, HEALTH_CHECK_SUCCEEDED) || !isFalse(machine, OWNER_REMEDIATED)) return undefined;
  return machine.metadata.annotations?.[REMEDIATE_MACHINE_ANNOTATION] === undefined
    ? "Unhealthy"
    : "Requested";
}

/** A Node of which the controller knows nothing is not unhealthy: the workload cluster may not answer. */
export function isUnhealthy(machine: Frozen<Machine>): boolean {
  return (
    !machine.status?.nodeRef || isFalse(machine, NODE_HEALTHY) || isFalse(machine, HEALTH_CHECK_SUCCEEDED)
  );
}
