import { humanDuration } from "@capstan/apiserver/human-duration";
import { isDisruptive, type PoolAction, type TimedAction, type Totals, type Wave } from "@capstan/plan";
import { ASSUMPTIONS } from "../times/expected-times.ts";
import type { PoolForecast } from "../planners/forecast-plan.ts";
import type { PlanForm } from "./plan-form.ts";
import type { PlanJson } from "../planners/planner.ts";
import { actionJson, actionTable, actionText, blockedJson, blockedTable, blockedText } from "./print-plan.ts";
import { counted } from "../../render/amounts.ts";
import { codeSpan } from "../../render/code-span.ts";
import { changeLine } from "../read/spec-changes.ts";

/** Prints what changes would do to pools, in the chosen form. */
export function printForecast(pools: readonly PoolForecast[], form: PlanForm): string {
  if (form === "json") return `${JSON.stringify(forecastJson(pools), undefined, 2)}\n`;
  const parts = pools.map(form === "text" ? poolText : poolMarkdown);
  const assumed =
    form === "text"
      ? `Assumed:\n${ASSUMPTIONS.map((one) => `  ${one}\n`).join("")}`
      : `<details><summary>Assumed</summary>\n\n${ASSUMPTIONS.map((one) => `- ${one}\n`).join("")}\n</details>\n`;
  return [...parts, assumed].join("\n");
}

/** All pools in one line. */
export function forecastSummary(pools: readonly PoolForecast[]): string {
  const sum = (count: (totals: Totals) => number): number =>
    pools.reduce((total, { typical }) => total + count(typical.totals), 0);
  if (sum(({ waves }) => waves) === 0) {
    const isBlocked = pools.some(({ blocked }) => blocked.length > 0);
    return isBlocked ? "nothing happens until the blocks are removed" : "nothing to do";
  }
  const longestMs = Math.max(...pools.map(({ typicalMs }) => typicalMs));
  return [
    `${counted(pools.length, "pool")}: ${sum(({ created }) => created)} created`,
    `${sum(({ deleted }) => deleted)} deleted`,
    `${sum(({ updatedInPlace }) => updatedInPlace)} updated in place`,
    `never below ${sum(({ lowestAvailable }) => lowestAvailable)} available`,
    `about ${humanDuration(longestMs)}`,
  ].join(", ");
}

/** Whether machines would be disrupted. */
export function isForecastDisruptive(pools: readonly PoolForecast[]): boolean {
  return pools.some(isDisrupted);
}

function isDisrupted(pool: PoolForecast): boolean {
  return pool.losesMachines || actionsOf(pool).some(isDisruptive);
}

function actionsOf({ typical }: PoolForecast): readonly PoolAction[] {
  return typical.waves.flatMap(({ actions }) => actions.map(({ action }) => action));
}

/** The JSON of a plan, with all actions until the end in order, and the waves beside them. */
export function forecastJson(pools: readonly PoolForecast[]): PlanJson {
  const actions = pools.flatMap(actionsOf);
  const forecast = pools.map(({ namespace, name, changes, typical, typicalMs, slowMs, notes }) => ({
    object: { kind: "AzureMachinePool", namespace, name },
    changes,
    waves: typical.waves.map((wave) => ({
      number: wave.number,
      afterSeconds: seconds(wave.afterMs),
      durationSeconds: seconds(wave.durationMs),
      actions: wave.actions.map(({ action }) => actions.indexOf(action)),
    })),
    totals: totalsJson(typical.totals, { p50: seconds(typicalMs), p90: seconds(slowMs) }),
    notes,
  }));
  const blocked = pools.flatMap((pool) => pool.blocked.map(blockedJson));
  return { actions: actions.map(actionJson), blocked, forecast, assumptions: ASSUMPTIONS };
}

function totalsJson({ durationMs: _, ...totals }: Totals, durationSeconds: object): object {
  return { ...totals, durationSeconds };
}

function seconds(ms: number): number {
  return Math.round(ms / 1000);
}

function poolText(pool: PoolForecast): string {
  const lines = [
    `AzureMachinePool ${pool.namespace}/${pool.name}${pool.isNew ? " (new)" : ""}`,
    ...pool.changes.map((change) => `  ${changeLine(change)}`),
    ...summaryOf(pool).map((line) => `  ${line}`),
    ...shownWaves(pool.typical.waves).flatMap(waveText),
    ...pool.blocked.map((block) => blockedText(block)),
    ...pool.notes.map((note) => `  note: ${note}`),
  ];
  return `${lines.join("\n")}\n`;
}

function poolMarkdown(pool: PoolForecast): string {
  const when = pool.isPaused ? ", once it is resumed" : "";
  const verdict = isDisrupted(pool)
    ? `**Disruptive**: machines are taken away from their pods${when}.`
    : "Not disruptive.";
  const changes = pool.changes.map((change) => `- ${codeSpan(changeLine(change))}\n`).join("");
  const head = `### AzureMachinePool \`${pool.namespace}/${pool.name}\`${pool.isNew ? " (new)" : ""}\n\n${verdict}\n`;
  const waves = shownWaves(pool.typical.waves).map((wave) =>
    typeof wave === "string" ? `\n${wave}\n` : `\n#### ${waveTitle(wave)}\n${actionTable(actionsIn(wave))}`,
  );
  const notes = pool.notes.map((note) => `\n> ${note}\n`).join("");
  return [
    head,
    ...(changes === "" ? [] : [`\n${changes}`]),
    `\n${summaryOf(pool).join("  \n")}\n`,
    ...waves,
    blockedTable(pool.blocked),
    notes,
  ].join("");
}

/** The most important facts, on a few lines. */
function summaryOf({ typical, typicalMs, slowMs, ...rest }: PoolForecast): readonly string[] {
  const { heldDrains, isPaused, standstill } = rest;
  const { waves, created, deleted, updatedInPlace, lowestAvailable, mostMachines } = typical.totals;
  if (standstill?.reason === "BeingDeleted") return ["the change has no effect: the pool is being deleted"];
  if (waves === 0)
    return [typical.isReached ? "nothing to do" : "nothing happens until the block is removed"];
  const times = `about ${humanDuration(typicalMs)}, one run in ten takes longer than ${humanDuration(slowMs)}`;
  return [
    ...(isPaused ? ["nothing happens while it is paused; once it is resumed:"] : []),
    `${counted(waves, "wave")}, ${times}`,
    ...heldDrains,
    `${created} created, ${deleted} deleted, ${updatedInPlace} updated in place${updatedInPlace > 0 ? " (data on their local disks is lost)" : ""}`,
    `at least ${lowestAvailable} available, at most ${counted(mostMachines, "machine")} at any time`,
    ...(typical.isReached ? [] : ["it stops before its end, at what blocks it"]),
  ];
}

// Up to this many waves are printed in full; of more, the first and the last.
const SHOWN_AT_MOST = 6;

function shownWaves(waves: readonly Wave[]): readonly (Wave | string)[] {
  if (waves.length <= SHOWN_AT_MOST) return waves;
  const head = waves.slice(0, SHOWN_AT_MOST - 1);
  const hidden = waves.length - SHOWN_AT_MOST;
  return [...head, `and ${counted(hidden, "more wave")} like these`, ...waves.slice(-1)];
}

function waveTitle({ number, afterMs, durationMs }: Wave): string {
  return `wave ${number}, after ${humanDuration(afterMs)}, takes ${humanDuration(durationMs)}`;
}

function waveText(wave: Wave | string): readonly string[] {
  if (typeof wave === "string") return [`  ${wave}`];
  return [`  ${waveTitle(wave)}`, ...actionsIn(wave).map((action) => indented(actionText(action)))];
}

function actionsIn({ actions }: Wave): readonly PoolAction[] {
  return actions.map(({ action }: TimedAction) => action);
}

function indented(text: string): string {
  return text
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
}
