import type { Frozen, Machine } from "@capstan/api";
import { ownerRemediated } from "@capstan/plan";
import { withStandardConditions } from "@capstan/runtime";
import { type MachineConditions, machineConditionsOf, writeMachineConditions } from "./conditions.ts";
import { remediationOf } from "./health.ts";
import type { OwnerScope } from "./owner.ts";

/** A plan of an owner, as far as it says why machines are not replaced. */
interface Plan {
  readonly blocked: Parameters<typeof ownerRemediated>[1];
}

/** The conditions of a machine with the answer of its owner to a health check. */
export function withRemediation(
  conditions: MachineConditions,
  machine: Frozen<Machine>,
  { plan, nowMs }: { readonly plan: Plan | undefined; readonly nowMs: number },
): MachineConditions {
  const update = remediationOf(machine) && plan && ownerRemediated(machine, plan.blocked);
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
  plan: Plan | undefined,
): Promise<void> {
  const nowMs = context.env.clock.now();
  for (const machine of machines.filter(remediationOf))
    await writeMachineConditions(
      context.client,
      machine,
      withRemediation(machineConditionsOf(machine), machine, { plan, nowMs }),
    );
}
