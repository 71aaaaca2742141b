import type { GroupVerdict } from "@capstan/sim";
import { counted } from "../../render/amounts.ts";
import { codeSpan } from "../../render/code-span.ts";
import { onOneLine } from "../../render/one-line.ts";
import type { Answer } from "./answer.ts";
import { budgetLine, clock, fates, isShown, span, spread, unfinishedLines } from "./text.ts";

/** An answer for a pull request. */
export function markdownOf(answer: Answer): string {
  const { verdict } = answer;
  const groups = verdict.groups.filter((group) => isShown(answer, group));
  const others = verdict.groups.length - groups.length;
  return [
    `### Rehearsal: ${verdict.outcome}\n`,
    `${onOneLine(cell(verdict.why))}. ${cell(answer.carrier)}\n`,
    ...(groups.length > 0 ? [`${[HEADER, ...groups.map(rowOf)].join("\n")}\n`] : []),
    ...(others > 0 ? [`${counted(others, "other group")}: untouched.\n`] : []),
    ...bullets("Disruption budgets that held evictions up", verdict.budgets.map(budgetLine)),
    `Duration ${span(verdict.durationMs)} over ${counted(verdict.seeds, "seed")}; durations: ${[answer.durations, ...answer.learnt].join("; ")}. ` +
      `Pods evicted: ${spread(verdict.podsEvicted)}. Extra cores at once: ${spread(verdict.extraCores)}. ` +
      `Azure: ${spread(verdict.azure.requests)} requests, ${spread(verdict.azure.throttled)} refused with 429.\n`,
    ...details(
      "Changed fields",
      answer.applied.flatMap(({ object, isNew, lines }) =>
        isNew ? [`${object}: new`] : lines.map((line) => `${object}: ${line}`),
      ),
    ),
    ...details("Assumed", [
      ...answer.differences,
      ...answer.assumptions,
      ...answer.midway,
      ...answer.ungrown,
    ]),
  ].join("\n");
}

const HEADER = `| group | cluster | machines | waves | done after | lowest available | budget |
|---|---|---|---|---|---|---|`;

function rowOf(verdict: GroupVerdict): string {
  const { group, waves, durationMs, lowest, floor, noVerdict } = verdict;
  const [unfinished] = unfinishedLines(verdict);
  const names = [`${group.kind} ${codeSpan(`${group.namespace}/${group.name}`)}`, codeSpan(group.cluster)];
  if (noVerdict !== undefined)
    return `| ${[...names, `no verdict: ${cell(onOneLine(noVerdict, MOST_IN_CELL))}`, "", "", "", ""].join(" | ")} |`;
  const cells = [
    ...names,
    unfinished === undefined ? fates(verdict) : `**${cell(onOneLine(unfinished, MOST_IN_CELL))}**`,
    String(waves.p50),
    span(durationMs),
    `${lowest.available} of ${lowest.of}${lowest.available < lowest.of ? ` at ${clock(lowest.atMs)}` : ""}`,
    floor === undefined ? "not ours" : String(floor),
  ];
  return `| ${cells.join(" | ")} |`;
}

const MOST_IN_CELL = 200;

/** A text inside of a table: neither a column nor a line of its own, and no tags. */
function cell(text: string): string {
  return text
    .replaceAll("|", String.raw`\|`)
    .replaceAll("<", "&lt;")
    .replaceAll("\n", " ");
}

function bullets(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`**${title}**\n\n${lines.map((line) => `- ${cell(line)}`).join("\n")}\n`];
}

function details(title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  const list = lines.map((line) => `- ${cell(onOneLine(line))}`).join("\n");
  return [`<details><summary>${title}</summary>\n\n${list}\n\n</details>\n`];
}
