import { type Blocked, isDisruptive, type PoolAction } from "@capstan/manager";
import { budgetLine } from "../rollout/budget-line.ts";
import type { PlanForm } from "./plan-form.ts";
import type { Obstacle } from "./obstacles.ts";
import type { PlannedPool } from "./pool-plan.ts";

/** What the controllers of some pools would do next, in the form that was asked for. */
export function printPlan(pools: readonly PlannedPool[], form: PlanForm): string {
  if (form === "json") return planJson(pools);
  return pools.map(form === "text" ? poolText : poolMarkdown).join("\n");
}

/** Whether machines would be taken away from their pods. */
export function hasDisruption(pools: readonly PlannedPool[]): boolean {
  return pools.some(({ plan }) => plan.actions.some(isDisruptive));
}

/** The schema is in docs/reference/plan.md; actions have their fields in the order that it names them in. */
function planJson(pools: readonly PlannedPool[]): string {
  const actions = pools.flatMap(({ plan }) => plan.actions.map(actionJson));
  const blocked = pools.flatMap(({ plan }) => plan.blocked.map(blockedJson));
  return `${JSON.stringify({ actions, blocked }, undefined, 2)}\n`;
}

/** An action as the schema has it. */
export function actionJson({ controller, object, action, targets, detail, why }: PoolAction): object {
  return { controller, object, action, targets, detail, why };
}

/** What stands in the way as the schema has it. */
export function blockedJson({ controller, object, reason, targets, why }: Blocked | Obstacle): object {
  return { controller, object, reason, targets, why };
}

function poolText({ view, plan }: PlannedPool): string {
  const lines = [
    `AzureMachinePool ${view.namespace}/${view.name}`,
    `  ${budgetLine(plan.budget)}`,
    ...plan.actions.map(actionText),
    ...plan.blocked.map(blockedText),
    ...(plan.actions.length + plan.blocked.length === 0 ? ["  nothing to do"] : []),
  ];
  return `${lines.join("\n")}\n`;
}

/** An action in two lines: what, and why. */
export function actionText(action: PoolAction): string {
  return `  ${action.action} ${subjectOf(action)}\n      ${action.why}`;
}

/** What stands in the way, in two lines. */
export function blockedText({ reason, targets, why }: Blocked | Obstacle): string {
  return `  blocked: ${reason} ${namesOf(targets)}\n      ${why}`;
}

function poolMarkdown({ view, plan }: PlannedPool): string {
  const { actions, blocked, budget } = plan;
  const verdict = actions.some(isDisruptive)
    ? "**Disruptive**: machines are taken away from their pods."
    : "Not disruptive.";
  const heading = `### AzureMachinePool \`${view.namespace}/${view.name}\`\n\n${verdict}\n\n${budgetLine(budget)}\n`;
  return heading + actionTable(actions) + blockedTable(blocked);
}

/** Actions as a table of Markdown; a sentence where there are none. */
export function actionTable(actions: readonly PoolAction[]): string {
  if (actions.length === 0) return "\nNothing to do.\n";
  const rows = actions.map((action) => cells([action.action, subjectOf(action), action.why]));
  return `\n| action | of | why |\n|---|---|---|\n${rows.join("")}`;
}

/** What stands in the way as a table of Markdown; nothing where nothing does. */
export function blockedTable(blocked: readonly (Blocked | Obstacle)[]): string {
  if (blocked.length === 0) return "";
  const rows = blocked.map(({ reason, targets, why }) => cells([reason, namesOf(targets), why]));
  return `\n| blocked by | of | why |\n|---|---|---|\n${rows.join("")}`;
}

function cells(texts: readonly string[]): string {
  return `| ${texts.map((text) => text.replaceAll("|", String.raw`\|`)).join(" | ")} |\n`;
}

function subjectOf({ targets, detail }: PoolAction): string {
  if ("to" in detail) {
    return `${namesOf(targets)}, capacity ${detail.from} to ${detail.to}`;
  }
  return namesOf(targets);
}

// A line names so many machines; the rest is counted, and JSON has them all.
const NAMED_AT_MOST = 10;

/** Names in a line, the last of many left out. */
function namesOf(targets: readonly string[]): string {
  const more = targets.length - NAMED_AT_MOST;
  const named = targets.slice(0, NAMED_AT_MOST).join(", ");
  return more > 0 ? `${named} and ${more} more` : named;
}
