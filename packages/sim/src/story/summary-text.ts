import { shortDuration } from "../scenario/step-text.ts";
import { clockText } from "./clock-text.ts";
import type { Summary, Tallies } from "./summary.ts";

type Row = readonly string[];

/** A summary as text: facts, then a table for each counter; the short form has their totals only. */
export function summaryText(summary: Summary, { isShort = false } = {}): string {
  const { scenario, seed, traceHash, journal, virtualMs, steps, violations, pools, faults } = summary;
  const facts = columns([
    ["scenario", scenario],
    ["virtual time", shortDuration(Math.floor(virtualMs / 1000) * 1000)],
    ["steps", String(steps)],
    ["seed", seed],
    ["trace", traceHash],
    ["journal", `${journal.requests} requests, ${journal.hash.slice(0, 12)}`],
    ["violations", String(violations)],
    ...(isShort
      ? [
          ["ARM calls", totalText(summary.armCalls)],
          ["Kube writes", totalText(summary.kubeWrites)],
        ]
      : []),
  ]);
  return [
    facts,
    table(
      ["POOL", "LOWEST AVAILABLE", "OF", "AT"],
      pools.map(({ name, lowest }) => [name, ...lowestText(lowest)]),
    ),
    ...(isShort ? [] : [tallied("ARM CALLS", summary.armCalls), tallied("KUBE WRITES", summary.kubeWrites)]),
    table(
      ["FAULTS", "TIMES"],
      total(
        faults,
        faults.by.map(({ name, count }) => [name, String(count)]),
      ),
    ),
  ]
    .filter((part) => part !== "")
    .join("\n");
}

function totalText({ count, refused }: Tallies): string {
  return `${count}, ${refused} of them refused`;
}

/** A pool that was never complete has no lowest number. */
function lowestText(lowest: Summary["pools"][number]["lowest"]): Row {
  if (!lowest) return ["-", "-", "never complete"];
  return [String(lowest.available), String(lowest.of), clockText(lowest.atMs)];
}

function tallied(heading: string, tallies: Tallies): string {
  const rows = tallies.by.map(({ name, count, refused }) => [name, String(count), String(refused)]);
  return table([heading, "COUNT", "REFUSED"], total(tallies, rows));
}

/** Rows with a total below, for more than one row. */
function total(
  { count, refused }: { readonly count: number; readonly refused?: number },
  rows: readonly Row[],
): readonly Row[] {
  if (rows.length < 2) return rows;
  return [...rows, ["all", String(count), ...(refused === undefined ? [] : [String(refused)])]];
}

/** A table with a heading; empty when it has no rows. */
function table(headings: Row, rows: readonly Row[]): string {
  return rows.length === 0 ? "" : columns([headings, ...rows]);
}

/** Rows in columns as wide as their widest cell: words left, numbers right. */
function columns(rows: readonly Row[]): string {
  const [first = []] = rows;
  const widths = first.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const isNumeric = first.map(
    (_, column) => rows.length > 1 && rows.slice(1).every((row) => /^\d+$/.test(row[column] ?? "")),
  );
  return rows
    .map((row) => {
      const cells = row.map((cell, column) =>
        isNumeric[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      );
      return `${cells.join("   ").trimEnd()}\n`;
    })
    .join("");
}
