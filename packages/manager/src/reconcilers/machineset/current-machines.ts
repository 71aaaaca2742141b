import {
  controllerOf,
  deepEqual,
  DELETE_MACHINE_ANNOTATION,
  type Frozen,
  HANDS_OVER_MACHINES_ANNOTATION,
  labelValueFor,
  Machine,
  MachineSet,
  SET_NAME_LABEL,
} from "@capstan/api";
import { waiting } from "@capstan/runtime";
import { isInPlace } from "../../in-place/strategy.ts";
import { expectedMachines, forgedRecords, namesIn, recordsIn } from "../../machines/recorded-moves.ts";
import type { Scope } from "./scope.ts";

// The cache of a new leader may be behind for a moment.
const SOON_MS = 1_000;

/**
 * Machines of a deployment that updates in place change their set. The cache follows sets and machines separately, so it may
 * show a machine in two sets or in none; before a set creates or deletes a machine, it counts its machines at the server.
 */
export async function requireCurrentMachines({ context, set, deployment, machines }: Scope): Promise<void> {
  if (!isInPlace(deployment?.spec.rollout?.strategy)) return;
  const { name, namespace, uid } = set.metadata;
  const labelSelector = `${SET_NAME_LABEL}=${labelValueFor(name)}`;
  const live = await context.client.list(Machine, {
    ...(namespace !== undefined && { namespace }),
    labelSelector,
  });
  const own = live.filter((machine) => controllerOf(machine)?.uid === uid);
  const cached = new Map(machines.map((machine) => [machine.metadata.uid, isMarked(machine)]));
  const isCurrent = own.every((machine) => cached.get(machine.metadata.uid) === isMarked(machine));
  if (own.length === cached.size && isCurrent) return;
  const message = `The cache shows ${cached.size} machines of the set, the server ${own.length}, or other ones are marked`;
  throw waiting("WaitingForCache", message, SOON_MS);
}

/** Its MachineDeployment marks the machine to delete before it scales the set. */
function isMarked({ metadata }: Frozen<Machine>): boolean {
  return metadata.annotations?.[DELETE_MACHINE_ANNOTATION] !== undefined;
}

/**
 * Its MachineDeployment may have scaled the set, and recorded moves there, in writes that the cache does not show yet: a set
 * that sees the arrived machine but not its own new size would delete one.
 */
export async function requireCurrentSet({ context, set, deployment }: Scope): Promise<void> {
  if (!isInPlace(deployment?.spec.rollout?.strategy)) return;
  const { name, namespace } = set.metadata;
  const live = await context.client.find(MachineSet, { name, namespace });
  const facts = (one: Frozen<MachineSet>): readonly unknown[] => [
    one.spec.replicas,
    expectedMachines(one),
    namesIn(one, HANDS_OVER_MACHINES_ANNOTATION),
  ];
  if (live && deepEqual(facts(live), facts(set))) return;
  throw waiting("WaitingForCache", "The cache shows another size of the set than the server", SOON_MS);
}

/**
 * A set counts machines by the recorded moves of its MachineDeployment. By records that another client wrote, it would create or
 * delete machines for moves that the MachineDeployment did not plan.
 */
export async function requireOwnRecords({ context, set }: Scope): Promise<void> {
  if (recordsIn(set).length === 0) return;
  const { name, namespace } = set.metadata;
  const live = await context.client.find(MachineSet, { name, namespace });
  const forged = live ? forgedRecords(live) : [];
  if (forged.length === 0) return;
  const message = `metadata.annotations has ${forged.join(" and ")}, which no MachineDeployment wrote; remove it`;
  throw waiting("ForgedMoves", message);
}
