import { counted } from "../render/amounts.ts";
import { changeLine, type FieldChange } from "./spec-changes.ts";

/** What a change leads to for all machines of an owner, beyond the next step. */
export interface Course {
  /** Machines that are not as the manifest wants them. */
  readonly outdated: number;
  readonly desired: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
  /** Updaters change the machines, and none is replaced. */
  readonly isInPlace: boolean;
}

/** The changed fields, and what the rollout does to how many machines; a line each. */
export function courseLines(course: Course | undefined, changes: readonly FieldChange[]): readonly string[] {
  const fields = changes.map(changeLine);
  if (!course) return fields;
  const { desired, maxSurge, maxUnavailable } = course;
  return [
    ...fields,
    fateOf(course),
    `at least ${Math.max(0, desired - maxUnavailable)} available, at most ${counted(desired + maxSurge, "machine")} at any time`,
    "not checked: how long it takes, quota and capacity of Azure, disruption budgets; the actions are the next ones",
  ];
}

/** How many machines are changed, and how. */
export function fateOf({ outdated, isInPlace }: Course): string {
  return `${counted(outdated, "machine")} ${isInPlace ? "updated in place" : "replaced"}`;
}
