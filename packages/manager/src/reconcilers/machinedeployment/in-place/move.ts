import {
  controllerReferenceTo,
  type Frozen,
  Machine,
  type MachineSet,
  PENDING_HOOKS_ANNOTATION,
  UPDATE_IN_PROGRESS_ANNOTATION,
} from "@capstan/api";
import { waiting } from "@capstan/runtime";
import type { DeploymentAction } from "@capstan/plan";
import { propagatedMetadata } from "../../../machines/configuration.ts";
import { setOwner } from "../../../machines/set-owner.ts";
import type { Scope } from "../scope.ts";

type Move = DeploymentAction & { readonly action: "MoveMachine" };

/**
 * Gives a machine to another set and stores the plan of its update, in one write. The sets have recorded the move before.
 * The write is refused if the machine has changed since it was read.
 */
export async function moveMachine(scope: Scope, { targets, detail }: Move): Promise<void> {
  const { context, deployment } = scope;
  const [name = ""] = targets;
  const machine = findMachine(scope, name);
  const set = scope.sets.find(({ metadata }) => metadata.name === detail.to);
  if (!machine || !set) return;
  const { namespace } = deployment.metadata;
  await context.client.patch(
    Machine,
    { name, namespace },
    { type: "merge", body: moved(machine, set, detail) },
  );
  const message = `Moved Machine ${name} from MachineSet ${detail.from} to ${detail.to}, updaters: ${detail.updaters.join(", ")}`;
  context.event({ type: "Normal", reason: "MachineMoved", message });
}

function findMachine({ machines }: Scope, name: string): Frozen<Machine> | undefined {
  for (const some of machines.values()) {
    const machine = some.find(({ metadata }) => metadata.name === name);
    if (machine) return machine;
  }
  return undefined;
}

function moved(machine: Frozen<Machine>, set: Frozen<MachineSet>, { updaters }: Move["detail"]): object {
  const { resourceVersion, ownerReferences = [] } = machine.metadata;
  const others = ownerReferences.filter(({ controller }) => controller !== true);
  // A failed update left changes undone: its updaters run again, beside those of the new plan.
  const left = machine.spec.updaters ?? [];
  const plan = [...new Set([...updaters, ...left])];
  if (set.metadata.uid === undefined)
    throw waiting("WaitingForCache", `MachineSet ${set.metadata.name} has no UID`, 1_000);
  return {
    metadata: {
      resourceVersion,
      ownerReferences: [...others, controllerReferenceTo(set)],
      labels: propagatedMetadata(setOwner(set)).labels,
      annotations: { [UPDATE_IN_PROGRESS_ANNOTATION]: "", [PENDING_HOOKS_ANNOTATION]: null },
    },
    spec: { updaters: plan.length > 0 ? plan : null },
  };
}
