import { humanDuration } from "@capstan/apiserver/human-duration";
import { type Blocked, isDisruptive, needsAttention, type PoolAction } from "@capstan/plan";
import type { BlockedDrain } from "../planners/blocked-drains.ts";
import { budgetLine } from "../../rollout/budget-line.ts";
import type { PlanForm } from "./plan-form.ts";
import type { Obstacle } from "../planners/obstacles.ts";
import type { PoolBlock } from "./pool-block.ts";
import type { PlanJson } from "../planners/planner.ts";
import type { PlannedPool } from "../planners/pool-plan.ts";

/** The pools of a dump: those that were planned, and why others were not. */
export interface DumpPlan {
  readonly pools: readonly PlannedPool[];
  readonly unplanned: readonly PoolBlock[];
}

/** Anything that blocks a pool. */
export type Block = Blocked | BlockedDrain | Obstacle | PoolBlock;

const NEXT_ONLY = "The actions are those of the next step; later ones are planned when it is done.";

/** Prints what the controllers of some pools would do next, in the chosen form. */
export function printPlan({ pools, unplanned }: DumpPlan, form: PlanForm): string {
  if (form === "json") return `${JSON.stringify(planJson({ pools, unplanned }), undefined, 2)}\n`;
  const parts =
    form === "text"
      ? [...pools.map(poolText), ...unplanned.map(unplannedText)]
      : [...pools.map(poolMarkdown), ...unplanned.map(unplannedMarkdown)];
  const goesOn = pools.some(({ plan }) => plan.actions.length + plan.blocked.length > 0);
  return [...parts, ...(goesOn ? [`${NEXT_ONLY}\n`] : [])].join("\n");
}

/** Whether machines would be disrupted, by the next step or by a later one. */
export function hasDisruption(pools: readonly PlannedPool[]): boolean {
  return pools.some((pool) => isDisrupted(pool) || isDisruptedLater(pool));
}

// A reader of "adds a machine" should know that the deletion of another follows.
function isDisruptedLater({ course }: PlannedPool): boolean {
  return course !== undefined && course.deleted + course.updatedInPlace > 0;
}

/** The whole rollout in a line, if it disrupts machines. */
function courseLine(pool: PlannedPool): readonly string[] {
  const { course } = pool;
  if (!course || !isDisruptedLater(pool)) return [];
  const { created, deleted, updatedInPlace, lowestAvailable, durationMs } = course;
  return [
    `until its end: ${created} created, ${deleted} deleted, ${updatedInPlace} updated in place, at least ${lowestAvailable} available, about ${humanDuration(durationMs)}`,
  ];
}

/** A pool that is being deleted loses its machines as well, unless a pause holds that up. */
function isDisrupted({ plan, standstill, view }: PlannedPool): boolean {
  const isGoing = standstill?.reason === "BeingDeleted" && !view.isPaused;
  return plan.actions.some(isDisruptive) || (isGoing && view.machines.length > 0);
}

/** docs/reference/plan.md has the schema; the fields of actions are in its order. */
export function planJson({ pools, unplanned }: DumpPlan): PlanJson {
  const actions = pools.flatMap(({ plan }) => plan.actions.map(actionJson));
  const blocked = [...pools.flatMap(blocksOf), ...unplanned].map(blockedJson);
  return { actions, blocked };
}

function blocksOf({ plan, standstill, refusal, drains }: PlannedPool): readonly Block[] {
  return [...(standstill ? [standstill] : []), ...(refusal ? [refusal] : []), ...plan.blocked, ...drains];
}

/** Separates blocks that need a user's action from those that end by themselves. */
function sortedBlocks(pool: PlannedPool): {
  readonly alarms: readonly Block[];
  readonly waits: readonly Block[];
} {
  const lasting = new Set<Block>(needsAttention(pool.plan));
  const waits = pool.plan.blocked.filter((one) => !lasting.has(one));
  return { alarms: blocksOf(pool).filter((one) => !waits.some((wait) => wait === one)), waits };
}

/** An action as the schema has it. */
export function actionJson({ controller, object, action, targets, detail, why }: PoolAction): object {
  return { controller, object, action, targets, detail, why };
}

/** A block as the schema has it. */
export function blockedJson({ controller, object, reason, targets, why }: Block): object {
  return { controller, object, reason, targets, why };
}

function poolText(pool: PlannedPool): string {
  const { view, plan } = pool;
  const { alarms, waits } = sortedBlocks(pool);
  const lines = [
    `AzureMachinePool ${view.namespace}/${view.name}`,
    `  ${budgetLine(plan.budget)}`,
    ...courseLine(pool).map((line) => `  ${line}`),
    ...plan.actions.map(actionText),
    ...waits.map((wait) => blockedText(wait, "not yet")),
    ...alarms.map((alarm) => blockedText(alarm)),
    ...(plan.actions.length + waits.length + alarms.length === 0 ? ["  nothing to do"] : []),
  ];
  return `${lines.join("\n")}\n`;
}

function unplannedText(block: PoolBlock): string {
  const { kind, namespace, name } = block.object;
  return `${kind} ${namespace}/${name}\n${blockedText(block)}\n`;
}

/** An action in two lines: what, and why. */
export function actionText(action: PoolAction): string {
  return `  ${action.action} ${subjectOf(action)}\n      ${action.why}`;
}

/** A block in two lines; `word` distinguishes those that end by themselves. */
export function blockedText({ reason, targets, why }: Block, word = "blocked"): string {
  return `  ${word}: ${reason} ${namesOf(targets)}\n      ${why}`;
}

function poolMarkdown(pool: PlannedPool): string {
  const { view, plan } = pool;
  const { actions, budget } = plan;
  const { alarms, waits } = sortedBlocks(pool);
  const verdict = isDisrupted(pool)
    ? "**Disruptive**: machines are taken away from their pods."
    : isDisruptedLater(pool)
      ? "The next step is not disruptive; a later one is."
      : "The next step is not disruptive.";
  const facts = [budgetLine(budget), ...courseLine(pool)].join("  \n");
  const heading = `### AzureMachinePool \`${view.namespace}/${view.name}\`\n\n${verdict}\n\n${facts}\n`;
  return heading + actionTable(actions) + blockedTable(waits, "not yet, for") + blockedTable(alarms);
}

function unplannedMarkdown(block: PoolBlock): string {
  const { kind, namespace, name } = block.object;
  return `### ${kind} \`${namespace}/${name}\`\n${blockedTable([block])}`;
}

/** Actions as a Markdown table; a sentence if there are none. */
export function actionTable(actions: readonly PoolAction[]): string {
  if (actions.length === 0) return "\nNothing to do.\n";
  const rows = actions.map((action) => cells([action.action, subjectOf(action), action.why]));
  return `\n| action | of | why |\n|---|---|---|\n${rows.join("")}`;
}

/** Blocks as a Markdown table; empty if there are none. */
export function blockedTable(blocked: readonly Block[], word = "blocked by"): string {
  if (blocked.length === 0) return "";
  const rows = blocked.map(({ reason, targets, why }) => cells([reason, namesOf(targets), why]));
  return `\n| ${word} | of | why |\n|---|---|---|\n${rows.join("")}`;
}

function cells(texts: readonly string[]): string {
  return `| ${texts.map((text) => text.replaceAll("|", String.raw`\|`)).join(" | ")} |\n`;
}

function subjectOf({ targets, detail }: PoolAction): string {
  if ("to" in detail) {
    return `${namesOf(targets)}, capacity ${detail.from} to ${detail.to}`;
  }
  return "operation" in detail ? `${namesOf(targets)}, ${detail.operation}` : namesOf(targets);
}

// A line names up to this many machines and counts the rest; JSON has them all.
const NAMED_AT_MOST = 10;

/** Names in a line; the last of many are counted. */
function namesOf(targets: readonly string[]): string {
  const more = targets.length - NAMED_AT_MOST;
  const named = targets.slice(0, NAMED_AT_MOST).join(", ");
  return more > 0 ? `${named} and ${more} more` : named;
}
