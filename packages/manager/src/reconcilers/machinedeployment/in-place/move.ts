import {
  controllerReferenceTo,
  type Frozen,
  Machine,
  type MachineSet,
  PENDING_HOOKS_ANNOTATION,
  UPDATE_IN_PROGRESS_ANNOTATION,
} from "@capstan/api";
import { waiting } from "@capstan/runtime";
import { propagatedMetadata } from "../../../machines/configuration.ts";
import { setOwner } from "../../../machines/set-owner.ts";
import type { Scope } from "../scope.ts";
import { type Move, plannedUpdate } from "./started-updates.ts";

/**
 * Gives a machine to another set and stores the plan of its update, in one write. The sets have recorded the move before.
 * The write is refused if the machine has changed since it was read.
 */
export async function moveMachine(scope: Scope, move: Move): Promise<void> {
  const { context, deployment, sets } = scope;
  const { detail, targets } = move;
  const [name = ""] = targets;
  const machine = machineNamed(scope, name);
  const from = sets.find(({ metadata }) => metadata.name === detail.from);
  const to = sets.find(({ metadata }) => metadata.name === detail.to);
  if (!machine || !from || !to) return;
  const { updaters } = plannedUpdate(machine, { from, to, move });
  const { namespace } = deployment.metadata;
  await context.client.patch(
    Machine,
    { name, namespace },
    { type: "merge", body: moved(machine, to, updaters) },
  );
  const message = `Moved Machine ${name} from MachineSet ${detail.from} to ${detail.to}, updaters: ${updaters.join(", ")}`;
  context.event({ type: "Normal", reason: "MachineMoved", message });
}

/** A machine of one of the sets, by its name. */
export function machineNamed(
  { machines }: Pick<Scope, "machines">,
  name: string,
): Frozen<Machine> | undefined {
  for (const some of machines.values()) {
    const machine = some.find(({ metadata }) => metadata.name === name);
    if (machine) return machine;
  }
  return undefined;
}

function moved(machine: Frozen<Machine>, set: Frozen<MachineSet>, updaters: readonly string[]): object {
  const { resourceVersion, ownerReferences = [] } = machine.metadata;
  const others = ownerReferences.filter(({ controller }) => controller !== true);
  if (set.metadata.uid === undefined)
    throw waiting("WaitingForCache", `MachineSet ${set.metadata.name} has no UID`, 1_000);
  return {
    metadata: {
      resourceVersion,
      ownerReferences: [...others, controllerReferenceTo(set)],
      labels: propagatedMetadata(setOwner(set)).labels,
      annotations: { [UPDATE_IN_PROGRESS_ANNOTATION]: "", [PENDING_HOOKS_ANNOTATION]: null },
    },
    spec: { updaters: updaters.length > 0 ? updaters : null },
  };
}
