import type { MachineSetView, SetMachine } from "./view.ts";

/** Why a machine of a MachineSet is deleted, in one word. */
export type DeletionCause = "Annotated" | "Updating" | "Unhealthy" | "ScaleDown";

// Cluster API's priorities, and the days after which age no longer makes a difference.
const DELETING = 100;
const ANNOTATED = 80;
const UPDATING = 75;
const UNHEALTHY = 50;
const RANDOM = 20;
const DAYS_MS = 10 * 24 * 60 * 60_000;

/** The machines of a set, the first to delete first; equal ones by name. */
export function byDeletionPriority(view: MachineSetView): readonly SetMachine[] {
  const ranked = view.machines.map((machine) => ({ machine, priority: priorityOf(view, machine) }));
  return ranked
    .toSorted((a, b) => b.priority - a.priority || compareNames(a.machine.name, b.machine.name))
    .map(({ machine }) => machine);
}

/** Why a machine goes before others. */
export function causeOf({ hasDeleteAnnotation, isUpdating, isUnhealthy }: SetMachine): DeletionCause {
  if (hasDeleteAnnotation) return "Annotated";
  if (isUpdating) return "Updating";
  return isUnhealthy ? "Unhealthy" : "ScaleDown";
}

function priorityOf({ deletePolicy, nowMs }: MachineSetView, machine: SetMachine): number {
  if (machine.isDeleting) return DELETING;
  if (machine.hasDeleteAnnotation) return ANNOTATED;
  if (machine.isUpdating) return UPDATING;
  if (machine.isUnhealthy) return UNHEALTHY;
  if (deletePolicy === "Random") return RANDOM;
  const ageMs = Math.max(nowMs - machine.createdMs, 0);
  const oldest = UNHEALTHY * (1 - Math.exp(-ageMs / DAYS_MS));
  return deletePolicy === "Oldest" ? oldest : UNHEALTHY - oldest;
}

/** A locale-aware comparison takes fifty times as long. */
function compareNames(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
