import {
  formatTimestamp,
  type Frozen,
  getCondition,
  isUpdatingInPlace,
  type Machine,
  setCondition,
  type StandardConditionUpdate,
} from "@capstan/api";
import { next, type Outcome, withStandardConditions } from "@capstan/runtime";
import {
  type ControlPlaneView,
  ETCD_MEMBER_HEALTHY,
  type Health,
  type PartHealth,
  upToDateInV1Beta2,
} from "@capstan/plan";
import { NODE_PART } from "./machine-health.ts";
import type { Scope } from "./scope.ts";
import {
  type MachineConditions,
  machineConditionsOf,
  writeMachineConditions,
} from "../../machines/conditions.ts";
import { withRemediation } from "../../machines/report-remediation.ts";
import { upToDateCondition } from "../../machines/up-to-date.ts";

const STATUS: Readonly<Record<Health, StandardConditionUpdate["status"]>> = {
  healthy: "True",
  unhealthy: "False",
  unknown: "Unknown",
};

type MachineView = ControlPlaneView["machines"][number];

/**
 * Writes to the conditions of the machines, where it has changed, the health of static pods and members of etcd, whether the
 * machine is up to date, and why one that a health check marked is not replaced.
 */
export async function reportMachineHealth(scope: Scope): Promise<Outcome> {
  for (const machine of scope.machines) {
    const seen = scope.view?.machines.find(({ name }) => name === machine.metadata.name);
    if (seen) await reportHealth(scope, machine, seen);
  }
  return next;
}

async function reportHealth(
  { context, plan }: Scope,
  machine: Frozen<Machine>,
  seen: MachineView,
): Promise<void> {
  const nowMs = context.env.clock.now();
  // A machine without a Node says so itself.
  const parts = machine.status?.nodeRef === undefined ? [] : seen.parts;
  const judged = parts
    .filter(({ part }) => part !== NODE_PART)
    .reduce<MachineConditions>(
      (conditions, part) => withPart(conditions, part, nowMs),
      machineConditionsOf(machine),
    );
  const answered = withRemediation(judged, machine, { plan, nowMs });
  const conditions = withUpToDate(answered, machine, { outdated: seen.outdated, nowMs });
  await writeMachineConditions(context.client, machine, conditions);
}

/** While updaters run, or after one has failed, the controller of the machine reports whether it is up to date. */
function withUpToDate(
  conditions: MachineConditions,
  machine: Frozen<Machine>,
  { outdated, nowMs }: { readonly outdated: readonly string[]; readonly nowMs: number },
): MachineConditions {
  if (isUpdatingInPlace(machine)) return conditions;
  const update = upToDateCondition(machine, outdated.length > 0 ? outdated.join("; ") : undefined);
  const { deprecated, standard } = conditions;
  return {
    deprecated: setCondition(deprecated, { ...update, lastTransitionTime: formatTimestamp(nowMs) }),
    standard: withStandardConditions(standard, [upToDateInV1Beta2(update)], nowMs),
  };
}

/** The same conditions if they say the same already. */
function withPart(
  { deprecated, standard }: MachineConditions,
  { part: type, health, why: message }: PartHealth,
  nowMs: number,
): MachineConditions {
  const status = STATUS[health];
  const reason = { healthy: "Healthy", unhealthy: "NotHealthy", unknown: "InspectionFailed" }[health];
  // Static pods that are healthy have Cluster API's reason for pods.
  const isPod = type !== ETCD_MEMBER_HEALTHY;
  const update = { type, status, reason: isPod && health === "healthy" ? "Running" : reason, message };
  const known = getCondition(deprecated, type);
  const isKnown = known?.status === status && (known.message ?? "") === message;
  const older = { type, status, reason, ...(message !== "" && { message }) };
  const severity = health === "unhealthy" ? { severity: "Error" as const } : {};
  return {
    deprecated: isKnown
      ? deprecated
      : setCondition(deprecated, { ...older, ...severity, lastTransitionTime: formatTimestamp(nowMs) }),
    standard: withStandardConditions(standard, [update], nowMs),
  };
}
