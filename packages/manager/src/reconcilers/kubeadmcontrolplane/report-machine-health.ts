import {
  type Condition,
  deprecatedConditionsOf,
  formatTimestamp,
  type Frozen,
  Machine,
  setCondition,
} from "@capstan/api";
import { isConflict, isNotFound, next, type Outcome } from "@capstan/runtime";
import type { Health, PartHealth } from "@capstan/plan";
import { NODE_PART } from "./machine-health.ts";
import type { Scope } from "./scope.ts";
import { withMachineConditions } from "../../machines/conditions.ts";

const STATUS: Readonly<Record<Health, Condition["status"]>> = {
  healthy: "True",
  unhealthy: "False",
  unknown: "Unknown",
};

/** Writes the health of static pods and members of etcd to the conditions of the machines, where it has changed. */
export async function reportMachineHealth(scope: Scope): Promise<Outcome> {
  for (const machine of scope.machines) {
    const parts = scope.view?.machines.find(({ name }) => name === machine.metadata.name)?.parts ?? [];
    await reportHealth(scope, machine, parts);
  }
  return next;
}

async function reportHealth(
  { context }: Scope,
  machine: Frozen<Machine>,
  parts: readonly PartHealth[],
): Promise<void> {
  const { name, namespace, resourceVersion } = machine.metadata;
  // A machine without a Node says so itself.
  if (machine.status?.nodeRef === undefined) return;
  const before = deprecatedConditionsOf(machine) ?? [];
  const now = formatTimestamp(context.env.clock.now());
  const conditions = parts
    .filter(({ part }) => part !== NODE_PART)
    .reduce<readonly Frozen<Condition>[]>((list, part) => withPart(list, part, now), before);
  if (conditions === before) return;
  const body = { metadata: { resourceVersion }, status: withMachineConditions(machine, conditions) };
  try {
    await context.client.patch(Machine, { name, namespace }, { type: "merge", subresource: "status", body });
  } catch (error) {
    // The change of the machine that caused the conflict enqueues the control plane again.
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}

/** The same list if the condition says the same already. */
function withPart(
  list: readonly Frozen<Condition>[],
  { part, health, why }: PartHealth,
  now: string,
): readonly Frozen<Condition>[] {
  const known = list.find(({ type }) => type === part);
  const status = STATUS[health];
  if (known?.status === status && (known.message ?? "") === why) return list;
  const reason = { healthy: "Healthy", unhealthy: "NotHealthy", unknown: "InspectionFailed" }[health];
  return setCondition(list, {
    type: part,
    status,
    reason,
    ...(why !== "" && { message: why }),
    ...(health === "unhealthy" && { severity: "Error" as const }),
    lastTransitionTime: known?.status === status ? known.lastTransitionTime : now,
  });
}
