import { humanDuration } from "@capstan/apiserver";
import { row } from "../render/table.ts";
import type { Leaf } from "./cluster-tree.ts";

const HEADINGS = [
  "NAME",
  "REPLICAS",
  "AVAILABLE",
  "READY",
  "STATUS",
  "SEVERITY",
  "REASON",
  "SINCE",
  "MESSAGE",
];

/** Prints a tree with one column for each fact about its parts. */
export function printTree(root: Leaf, nowMs: number): string {
  const rows = [HEADINGS, ...rowsOf(root, nowMs, { here: "", below: "" })];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((cells) => (cells[column] ?? "").length)));
  return rows.map((cells) => row(cells, widths)).join("");
}

interface Lines {
  readonly here: string;
  readonly below: string;
}

function rowsOf(leaf: Leaf, nowMs: number, { here, below }: Lines): string[][] {
  const rows = leaf.parts.flatMap((part, index) => {
    const isLast = index === leaf.parts.length - 1;
    return rowsOf(part, nowMs, {
      here: `${below}${isLast ? "└─" : "├─"}`,
      below: `${below}${isLast ? "  " : "│ "}`,
    });
  });
  return [[here + leaf.name, ...cellsOf(leaf, nowMs)], ...rows];
}

function cellsOf({ replicas, available, ready, condition }: Leaf, nowMs: number): string[] {
  const counts = [replicas, available, ready].map((count) => (count === undefined ? "" : String(count)));
  if (!condition) return counts;
  const { status, severity = "", reason = "", lastTransitionTime, message = "" } = condition;
  // A condition that is True needs no reason.
  const why = status === "True" ? ["", ""] : [severity, reason];
  const since = lastTransitionTime === "" ? "" : humanDuration(nowMs - Date.parse(lastTransitionTime));
  return [...counts, status, ...why, since, status === "True" ? "" : firstLine(message)];
}

// A message has no maximum length; the object has all of it.
const LONGEST = 100;

function firstLine(message: string): string {
  const [line = ""] = message.split("\n");
  return line.length > LONGEST ? `${line.slice(0, LONGEST)} ...` : line;
}
