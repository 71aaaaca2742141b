import { counted } from "../../render/amounts.ts";
import { briefOf, type Course, courseLines } from "./course.ts";
import type { PlanReport } from "../planners/planner.ts";
import type { FieldChange } from "../read/spec-changes.ts";

/** An action of any planner of machines. */
export interface PlannedAction {
  readonly action: string;
  readonly targets: readonly string[];
  readonly detail: object;
  readonly why: string;
}

/** The next steps of one owner of machines, and what prevents more. */
export interface PlannedOwner<A extends PlannedAction> {
  readonly title: string;
  /** What else was found out, a line each, such as what updaters said about machines. */
  readonly verdicts?: readonly string[];
  readonly actions: readonly A[];
  /** Set when outdated machines are updated or replaced, now or by later actions. */
  readonly course?: Course | undefined;
  readonly blocked: readonly {
    readonly reason: string;
    readonly targets: readonly string[];
    readonly why: string;
  }[];
}

/** An owner after a change, and the fields that the change sets. */
export interface ChangedOwner<A extends PlannedAction> {
  readonly owner: PlannedOwner<A>;
  readonly changes: readonly FieldChange[];
}

/** The report of a change: it is disruptive if a later action is. */
export function changeReport<A extends PlannedAction>(
  changed: readonly ChangedOwner<A>[],
  isDisruptive: (action: A) => boolean,
): PlanReport {
  const owners = changed.map(({ owner, changes }) => ({
    ...owner,
    verdicts: [...courseLines(owner.course, changes), ...(owner.verdicts ?? [])],
  }));
  const report = ownerReport(owners, isDisruptive);
  const effective = owners.flatMap((owner) => summaryOf(owner));
  return {
    ...report,
    isDisruptive: report.isDisruptive || owners.some(({ course }) => course !== undefined),
    summary: effective.length === 0 ? "nothing to do" : effective.join("; "),
  };
}

function summaryOf({ title, course, actions, blocked }: PlannedOwner<PlannedAction>): readonly string[] {
  if (course) return [`${title}: ${briefOf(course)}`];
  if (blocked.length > 0) return [`${title}: blocked`];
  return actions.length === 0 ? [] : [`${title}: ${counted(actions.length, "action")}`];
}

/** What the owners of machines do next, for people and for programs. */
function ownerReport<A extends PlannedAction>(
  owners: readonly PlannedOwner<A>[],
  isDisruptive: (action: A) => boolean,
): PlanReport {
  return {
    print: (form) => owners.map(form === "markdown" ? ownerMarkdown : ownerText).join("\n"),
    json: {
      actions: owners.flatMap(({ actions }) => actions),
      blocked: owners.flatMap(({ blocked }) => blocked),
    },
    isDisruptive: owners.some(({ actions }) => actions.some(isDisruptive)),
    notes: [],
  };
}

function ownerText({ title, verdicts = [], actions, blocked }: PlannedOwner<PlannedAction>): string {
  const lines = [
    title,
    ...verdicts.map((verdict) => `  ${verdict}`),
    ...actions.map((action) => `  ${action.action} ${subjectOf(action)}\n      ${action.why}`),
    ...blocked.map(({ reason, targets, why }) => `  blocked: ${reason} ${targets.join(", ")}\n      ${why}`),
    ...(actions.length + blocked.length === 0 ? ["  nothing to do"] : []),
  ];
  return `${lines.join("\n")}\n`;
}

function ownerMarkdown({ title, verdicts = [], actions, blocked }: PlannedOwner<PlannedAction>): string {
  const rows = [
    ...actions.map((action) => [action.action, subjectOf(action), action.why]),
    ...blocked.map(({ reason, targets, why }) => [`blocked: ${reason}`, targets.join(", "), why]),
  ].map((cells) => `| ${cells.join(" | ")} |\n`);
  const table =
    rows.length === 0 ? "Nothing to do.\n" : `| action | of | why |\n|---|---|---|\n${rows.join("")}`;
  const list = verdicts.map((verdict) => `- ${verdict}\n`).join("");
  return `### ${title}\n\n${list === "" ? "" : `${list}\n`}${table}`;
}

function subjectOf({ targets, detail }: PlannedAction): string {
  const names = targets.join(", ");
  const fields = detail as Readonly<Record<string, unknown>>;
  const texts = (field: string): readonly string[] =>
    Array.isArray(fields[field]) ? fields[field].map(String) : [];
  if ("paths" in fields)
    return `${names}, ${texts("paths").join(", ")} by ${texts("updaters").join(", then ")}`;
  if ("updaters" in fields)
    return `${names}, from MachineSet ${String(fields["from"])} to ${String(fields["to"])}`;
  if (typeof fields["to"] === "number")
    return `${names}, ${String(fields["from"])} to ${counted(fields["to"], "replica")}`;
  if (typeof fields["count"] === "number") return `${names}, ${fields["count"]} more`;
  if (typeof fields["replicas"] === "number") return `${names}, ${counted(fields["replicas"], "replica")}`;
  return names;
}
