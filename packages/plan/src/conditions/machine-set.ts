import type { Frozen, Machine, MachineSet, StandardConditionUpdate } from "@capstan/api";
import { counted } from "../rollout/shared/action.ts";
import { machinesReady, machinesUpToDate, remediating } from "./machines.ts";
import { deletingCondition, scalingDown, scalingUp } from "./owner.ts";

/** The facts about a MachineSet that its own object does not have. */
export interface MachineSetFacts {
  readonly machines: readonly Frozen<Machine>[];
  /** Whether a health check asks for the replacement of a machine. */
  readonly isMarked: (machine: Frozen<Machine>) => boolean;
  /** Why no machine is created now. */
  readonly blocked: readonly string[];
  /** What a user must mend at a machine. */
  readonly trouble: string | undefined;
}

/** The conditions of a MachineSet in v1beta2. */
export function machineSetConditions(
  set: Frozen<MachineSet>,
  { machines, isMarked, blocked, trouble }: MachineSetFacts,
): readonly StandardConditionUpdate[] {
  const isDeleting = set.metadata.deletionTimestamp !== undefined;
  const { replicas = 0 } = set.status ?? {};
  const size = { desired: isDeleting ? 0 : (set.spec.replicas ?? 1), replicas };
  return [
    scalingUp({ ...size, blocked }),
    scalingDown(size),
    machinesReady(machines, trouble),
    machinesUpToDate(machines),
    remediating(machines, isMarked),
    deletingCondition(set, { message: `Deleting ${counted(replicas, "machine")}` }),
  ];
}
