import { formatFieldError, type Frozen, invalid, type MachinePool } from "@capstan/api";
import { CommandError } from "../../command-error.ts";
import { titleOf } from "../read/given-objects.ts";

// Azure's limit for a scale set. A forecast keeps each of its machines in memory.
const MACHINES_AT_MOST = 1000;

/** Throws when the desired number of machines exceeds the limit of a scale set. */
export function refuseImpossibleSize(machinePool: Frozen<MachinePool>): void {
  const { replicas = 1 } = machinePool.spec;
  if (replicas >= 0 && replicas <= MACHINES_AT_MOST) return;
  const error = invalid(
    "spec.replicas",
    replicas,
    `must be from 0 to ${MACHINES_AT_MOST}, the most that a scale set holds`,
  );
  throw new CommandError(`${titleOf(machinePool)} cannot be planned: ${formatFieldError(error)}`);
}
