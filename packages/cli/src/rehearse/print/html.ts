import type { GroupVerdict } from "@capstan/sim";
import { counted } from "../../render/amounts.ts";
import { onOneLine } from "../../render/one-line.ts";
import type { Answer } from "./answer.ts";
import { availabilityChart } from "./availability-chart.ts";
import { escaped } from "./html-text.ts";
import { STYLE } from "./html-style.ts";
import { budgetLine, clock, fates, isShown, span, spread, unfinishedLines } from "./text.ts";

/** An answer with the name of the manifests that it is about. */
export interface NamedAnswer {
  readonly title: string;
  readonly answer: Answer;
}

/** A report as one file without any request: one change, or two of them side by side. */
export function htmlOf(answers: readonly NamedAnswer[]): string {
  const endMs = Math.max(1, ...answers.map(({ answer }) => answer.typical.facts.durationMs));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Rehearsal: ${escaped(answers.map(({ title }) => title).join(" and "))}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Rehearsal</h1>
<main class="${answers.length > 1 ? "beside" : "alone"}">
${answers.map((answer) => changePart(answer, endMs)).join("\n")}
</main>
</body>
</html>
`;
}

const TONES: Readonly<Record<Answer["verdict"]["outcome"], string>> = {
  "nothing is disrupted": "good",
  "disrupted within budgets": "good",
  "would block or break a budget": "bad",
  "no verdict": "warn",
  refused: "bad",
};

function changePart({ title, answer }: NamedAnswer, endMs: number): string {
  const { verdict, typical } = answer;
  const groups = verdict.groups.filter((group) => isShown(answer, group));
  const facts = new Map(typical.facts.groups.map((group) => [group.key, group]));
  return `<article>
<h2>${escaped(title)}</h2>
<p class="verdict ${TONES[verdict.outcome]}"><strong>${escaped(verdict.outcome)}</strong><br>${escaped(onOneLine(verdict.why))}</p>
<p>${escaped(answer.carrier)}</p>
${totals(answer)}
${groups
  .map((group) => {
    const chart = facts.get(group.group.key);
    return groupPart(
      group,
      chart && chart.machines.length > 0
        ? availabilityChart({ group: chart, endMs, runEndMs: typical.facts.durationMs })
        : "",
    );
  })
  .join("\n")}
${groups.length > 0 ? `<p class="faint">Curves and lanes show seed ${escaped(typical.facts.seed)}, whose duration is in the middle. Filled: the machine can do work.</p>` : ""}
${list("Disruption budgets that held evictions up", verdict.budgets.map(budgetLine))}
${list(
  "Changed fields",
  answer.applied.flatMap(({ object, isNew, lines }) =>
    isNew ? [`${object}: new`] : lines.map((line) => `${object}: ${line}`),
  ),
)}
${list("Assumed", [...answer.differences, ...answer.assumptions])}
${list("Stood in the middle of a rollout, and is taken as finished", answer.midway)}
${list("Not simulated", answer.ungrown)}
</article>`;
}

function totals({ verdict, durations, learnt, seeds }: Answer): string {
  const rows: readonly (readonly [string, string])[] = [
    ["Duration", `${span(verdict.durationMs)}, ${seeds}`],
    ["Durations", [durations, ...learnt].join("; ")],
    ["Pods evicted", spread(verdict.podsEvicted)],
    ["Extra cores at once", spread(verdict.extraCores)],
    [
      "Azure",
      `${spread(verdict.azure.requests)} requests, ${spread(verdict.azure.throttled)} refused with 429`,
    ],
  ];
  const cells = rows.map(([name, value]) => `<tr><th>${escaped(name)}</th><td>${escaped(value)}</td></tr>`);
  return `<table>${cells.join("")}</table>`;
}

function groupPart(verdict: GroupVerdict, chart: string): string {
  const { group, waves, durationMs, lowest, floor, noVerdict, breaches } = verdict;
  const title = `<h3>${escaped(`${group.kind} ${group.namespace}/${group.name}`)} <span class="faint">cluster ${escaped(group.cluster)}</span></h3>`;
  if (noVerdict !== undefined)
    return `<section>${title}<p class="warn">no verdict: ${escaped(onOneLine(noVerdict))}</p></section>`;
  const at = lowest.available < lowest.of ? ` at ${clock(lowest.atMs)}` : "";
  const facts = [
    fates(verdict),
    ...(verdict.isAffected ? [`waves: ${waves.p50}`, `done after ${span(durationMs)}`] : []),
    `at least ${lowest.available} of ${lowest.of} available${at}${floor === undefined ? "" : `, budget ${floor}`}`,
  ];
  const problems = [
    ...(breaches > 0 ? [`below its budget in ${counted(breaches, "seed")}`] : []),
    ...unfinishedLines(verdict),
  ];
  return `<section>
${title}
<p>${escaped(facts.join(" · "))}${group.why.map((line) => `<br>why: ${escaped(onOneLine(line))}`).join("")}</p>
${problems.map((line) => `<p class="problem">${escaped(line)}</p>`).join("\n")}
${chart}
</section>`;
}

function list(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return "";
  return `<h4>${escaped(title)}</h4><ul>${lines.map((line) => `<li>${escaped(onOneLine(line))}</li>`).join("")}</ul>`;
}
