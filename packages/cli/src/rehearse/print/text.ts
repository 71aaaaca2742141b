import type { GroupVerdict, Spread, Verdict } from "@capstan/sim";
import { counted } from "../../render/amounts.ts";
import { onOneLine } from "../../render/one-line.ts";
import type { Emphasis } from "../../render/emphasis.ts";
import type { Answer } from "./answer.ts";

/** How the lines of an answer are painted. */
export const EMPHASIS: Emphasis = [
  [/^Verdict: (nothing|disrupted)/, "good"],
  [/^Verdict: no verdict/, "warn"],
  [/^Verdict: /, "bad"],
  [/^[A-Z]\w+ \S+\/\S+/, "strong"],
  [/^ +(never settles|below its budget|PodDisruptionBudget .* (blocks|overridden))/, "bad"],
  [/^ +(no verdict: |not done within)/, "warn"],
];

/** An answer in words. */
export function textOf(answer: Answer): string {
  const { verdict } = answer;
  const affected = verdict.groups.filter((group) => isShown(answer, group));
  const others = verdict.groups.length - affected.length;
  return [
    `${answer.carrier}\n`,
    ...section("Change", answer.applied.flatMap(appliedLines)),
    "",
    ...affected.map(groupText),
    ...(others > 0 && verdict.outcome !== "refused"
      ? [`${counted(others, "other group")}: untouched\n`]
      : []),
    ...section("Disruption budgets that held evictions up", verdict.budgets.map(budgetLine)),
    totals(answer),
    ...section("Where the program that carries it out differs from this rehearsal", answer.differences),
    ...section("Assumed", answer.assumptions),
    ...section("Stood in the middle of a rollout, and is taken as finished", answer.midway),
    ...section("Not simulated", answer.ungrown),
    `Verdict: ${verdict.outcome} (exit code ${answer.exitCode}): ${onOneLine(verdict.why)}\n`,
  ]
    .filter((part) => part !== "")
    .join("\n");
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}:\n${lines.map((line) => `  ${line}\n`).join("")}`];
}

function appliedLines({ object, isNew, lines }: Answer["applied"][number]): readonly string[] {
  if (isNew) return [`${object}: new`];
  return lines.length === 0 ? [`${object}: unchanged`] : lines.map((line) => `${object}: ${line}`);
}

/** Groups that the change moves, and those that it should move and does not. */
export function isShown(
  { applied }: Pick<Answer, "applied">,
  { isAffected, unfinished, group }: GroupVerdict,
): boolean {
  const title = `${group.kind} ${group.namespace}/${group.name}`;
  return isAffected || unfinished !== undefined || applied.some(({ object }) => object === title);
}

function groupText(verdict: GroupVerdict): string {
  const { group, noVerdict, breaches, floor, lowest } = verdict;
  const title = `${group.kind} ${group.namespace}/${group.name}, cluster ${group.cluster}:`;
  // What the simulation made of a group without a verdict would be read as one.
  if (noVerdict !== undefined) return `${title}\n  no verdict: ${onOneLine(noVerdict)}\n`;
  const lines = [
    `${title} ${fates(verdict)}`,
    ...group.why.map((line) => `why: ${onOneLine(line)}`),
    ...(verdict.isAffected ? [pace(verdict), availability(verdict)] : []),
    ...(breaches > 0
      ? [`below its budget of ${floor} in ${counted(breaches, "seed")}, first in seed ${lowest.seed}`]
      : []),
    ...unfinishedLines(verdict),
  ];
  return `${lines.join("\n  ")}\n`;
}

/** Why a group is not rolled out at the end of the runs. */
export function unfinishedLines({ unfinished }: GroupVerdict): readonly string[] {
  if (!unfinished) return [];
  const how = unfinished.isCutOff ? "not done within the limit" : "never settles";
  return [`${how} in ${counted(unfinished.seeds, "seed")}: ${onOneLine(unfinished.why)}`];
}

/** What becomes of the machines of a group, in a few words. */
export function fates({ replaced, inPlace, removed, added, untouched, group }: GroupVerdict): string {
  const more = Math.max(0, added.p50 - replaced.p50);
  const parts = [
    ...(replaced.p90 > 0 ? [`${spread(replaced)} replaced`] : []),
    ...(inPlace.p90 > 0 ? [`${spread(inPlace)} updated in place`] : []),
    ...(removed.p90 > 0 ? [`${spread(removed)} removed`] : []),
    ...(more > 0 ? [`${more} added`] : []),
    ...(untouched > 0 ? [`${untouched} untouched`] : []),
  ];
  return parts.length === 0 ? "no machine is touched" : `${parts.join(", ")} of ${group.replicasBefore}`;
}

/** A number over all seeds: one, or half and nine tenths of them. */
export function spread({ p50, p90 }: Spread): string {
  return p50 === p90 ? String(p50) : `${p50} to ${p90}`;
}

function pace({ waves, durationMs }: GroupVerdict): string {
  return `${counted(waves.p50, "wave")}, done after ${span(durationMs)}`;
}

function availability({ lowest, floor, breaches }: GroupVerdict): string {
  const budget = floor === undefined ? "" : `, its budget is ${floor}`;
  const at = breaches > 0 || lowest.available < lowest.of ? ` at ${clock(lowest.atMs)}` : "";
  return `available: at least ${lowest.available} of ${lowest.of}${at}${budget}`;
}

/** A budget with the time that it held a pod up. */
export function budgetLine({ budget, heldMs, pods, outcome }: Verdict["budgets"][number]): string {
  const how = {
    waited: `held ${counted(pods, "pod")} up for at most ${minutes(heldMs)}`,
    overridden: `overridden after ${minutes(heldMs)}: a drain timed out with ${counted(pods, "pod")}`,
    blocks: `blocks ${counted(pods, "pod")} for ever (seen for ${minutes(heldMs)})`,
  }[outcome];
  return `PodDisruptionBudget ${budget} ${how}`;
}

function totals({ verdict, durations, learnt, seeds }: Answer): string {
  if (verdict.outcome === "refused") return "";
  const { azure, podsEvicted, extraCores, faults } = verdict;
  const refused = azure.throttled.p90 > 0 ? `, ${spread(azure.throttled)} refused with 429` : "";
  return [
    `Duration: ${span(verdict.durationMs)}, over ${counted(verdict.seeds, "seed")} (${seeds})`,
    `  durations: ${durations}`,
    ...learnt.map((line) => `  ${line}`),
    `Pods evicted: ${spread(podsEvicted)}. Extra cores at once: ${spread(extraCores)}.`,
    `Azure: ${spread(azure.requests)} requests, ${spread(azure.writes)} of them writes${refused}.`,
    ...(faults > 0 ? [`Faults injected: ${faults} in all.`] : []),
    "",
  ].join("\n");
}

/** Half of the runs, and nine of ten. */
export function span({ p50, p90 }: Spread): string {
  return p50 === p90 ? minutes(p50) : `${minutes(p50)} (p90 ${minutes(p90)})`;
}

/** A duration for people: `45s`, `12m30s`, `3h05m`. */
export function minutes(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const [hours, rest] = [Math.floor(seconds / 3600), seconds % 3600];
  const [wholeMinutes, left] = [Math.floor(rest / 60), rest % 60];
  if (hours > 0) return `${hours}h${String(wholeMinutes).padStart(2, "0")}m`;
  if (wholeMinutes > 0)
    return left === 0 ? `${wholeMinutes}m` : `${wholeMinutes}m${String(left).padStart(2, "0")}s`;
  return `${left}s`;
}

/** A moment after the change. */
export function clock(ms: number): string {
  return `+${minutes(ms)}`;
}
