import type { Frozen, Machine } from "@capstan/api";
import { type OwnerPlan, ownerRemediated } from "@capstan/plan";
import { withStandardConditions } from "@capstan/runtime";
import { type MachineConditions, machineConditionsOf, writeMachineConditions } from "./conditions.ts";
import { remediationOf } from "./health.ts";
import type { OwnerScope } from "./owner.ts";

/** The conditions of a machine with the answer of its owner to a health check. */
export function withRemediation(
  conditions: MachineConditions,
  machine: Frozen<Machine>,
  { plan, nowMs }: { readonly plan: OwnerPlan | undefined; readonly nowMs: number },
): MachineConditions {
  const update = remediationOf(machine) && plan && ownerRemediated(machine, plan);
  if (!update) return conditions;
  const { standard } = conditions;
  return {
    ...conditions,
    standard: withStandardConditions(standard, [update], nowMs),
  };
}

/** Writes the answers of an owner to the machines that a health check asks it to replace, where they have changed. */
export async function reportRemediation(
  { context, machines }: Pick<OwnerScope, "context" | "machines">,
  plan: OwnerPlan | undefined,
): Promise<void> {
  const nowMs = context.env.clock.now();
  for (const machine of machines.filter(remediationOf))
    await writeMachineConditions(
      context.client,
      machine,
      withRemediation(machineConditionsOf(machine), machine, { plan, nowMs }),
    );
}
