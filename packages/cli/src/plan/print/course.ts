import { humanDuration } from "@capstan/apiserver/human-duration";
import { counted } from "../../render/amounts.ts";
import type { ReplacementTime } from "../times/replacement-time.ts";
import { type UpdatePace, updateTimeLine } from "../times/update-pace.ts";
import { changeLine, type FieldChange } from "../read/spec-changes.ts";

/** What a change leads to for all machines of an owner, beyond the next step. */
export interface Course {
  /** Machines that are not as the manifest wants them. */
  readonly outdated: number;
  readonly desired: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
  /** Updaters change the machines, and none is replaced. */
  readonly isInPlace: boolean;
  /** How many of them are updated in place, and how many stay as they are; the others are replaced. */
  readonly split?: { readonly updated: number; readonly staying: number };
  /** How long it takes; absent if no times are known of such machines. */
  readonly time?: ReplacementTime;
  /** How fast machines of the owner were updated in place so far, if that is known. */
  readonly pace?: UpdatePace;
}

/** The changed fields, and what the rollout does to how many machines; a line each. */
export function courseLines(course: Course | undefined, changes: readonly FieldChange[]): readonly string[] {
  const fields = changes.map(changeLine);
  if (!course) return fields;
  const { desired, maxSurge, maxUnavailable, time } = course;
  const updated = course.isInPlace ? course.outdated : (course.split?.updated ?? 0);
  const unchecked = "quota and capacity of Azure, disruption budgets; the actions are the next ones";
  return [
    ...fields,
    fateOf(course),
    ...(time
      ? [
          `about ${humanDuration(time.typicalMs)}, one run in ten takes longer than ${humanDuration(time.slowMs)}`,
        ]
      : []),
    ...(updated > 0 ? [updateTimeLine(course.pace, updated)] : []),
    `at least ${Math.max(0, desired - maxUnavailable)} available, at most ${counted(desired + maxSurge, "machine")} at any time`,
    time
      ? `times are those of recorded traffic; not checked: ${unchecked}`
      : `not checked: ${updated > 0 ? "" : "how long it takes, "}${unchecked}`,
  ];
}

/** The same with its duration in one line, for a summary. */
export function briefOf(course: Course): string {
  const { time } = course;
  return time ? `${fateOf(course)}, about ${humanDuration(time.typicalMs)}` : fateOf(course);
}

/** How many machines are changed, and how. */
function fateOf({ outdated, isInPlace, split }: Course): string {
  if (split) {
    const { updated, staying } = split;
    const replaced = outdated - updated - staying;
    return [
      `${counted(updated, "machine")} updated in place`,
      ...(replaced > 0 ? [`${replaced} replaced`] : []),
      ...(staying > 0 ? [`${staying} not changed`] : []),
    ].join(", ");
  }
  return `${counted(outdated, "machine")} ${isInPlace ? "updated in place" : "replaced"}`;
}
