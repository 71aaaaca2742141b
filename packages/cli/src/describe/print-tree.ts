import type { Condition } from "@capstan/api";
import { humanDuration } from "@capstan/apiserver/human-duration";
import { type Paint, PLAIN } from "../render/paint.ts";
import { onOneLine } from "../render/one-line.ts";
import { row, widthsOf } from "../render/table.ts";
import { columnsIn, wrapped } from "../render/width.ts";
import type { Leaf } from "./cluster-tree.ts";

const HEADINGS = [
  "NAME",
  "REPLICAS",
  "AVAILABLE",
  "READY",
  "UP TO DATE",
  "STATUS",
  "REASON",
  "SINCE",
  "MESSAGE",
];

/** How to print a tree. */
export interface Look {
  readonly nowMs: number;
  /** The width of the window; a pipe has no limit. */
  readonly columns?: number;
  /** Prints whole messages, however long. */
  readonly isWide?: boolean;
  readonly paint?: Paint;
}

/** Prints a tree with one column for each fact about its parts; in a narrow window, with a message below its part. */
export function printTree(
  root: Leaf,
  { nowMs, columns = Number.POSITIVE_INFINITY, isWide = false, paint = PLAIN }: Look,
): string {
  const lines = linesOf(root, { here: "", below: "" });
  const rows = [
    HEADINGS,
    ...lines.map(({ here, leaf }) => [here + fullName(leaf), ...cellsOf(leaf, { nowMs, isWide, paint })]),
  ];
  const widths = widthsOf(rows);
  const total = widths.reduce((sum, width) => sum + width, 3 * (widths.length - 1));
  if (total > columns) return narrowTree(lines, { nowMs, columns, paint });
  return rows.map((cells) => row(cells, widths)).join("");
}

interface Prefixes {
  readonly here: string;
  readonly below: string;
}

/** A part with the box-drawing characters before its name, and those before a line below it. */
interface Line extends Prefixes {
  readonly leaf: Leaf;
}

function linesOf(leaf: Leaf, { here, below }: Prefixes): readonly Line[] {
  const parts = leaf.parts.flatMap((part, index) => {
    const isLast = index === leaf.parts.length - 1;
    return linesOf(part, {
      here: `${below}${isLast ? "└─" : "├─"}`,
      below: `${below}${isLast ? "  " : "│ "}`,
    });
  });
  return [{ here, below: leaf.parts.length > 0 ? `${below}│ ` : `${below}  `, leaf }, ...parts];
}

type FullLook = Required<Omit<Look, "isWide">>;

function cellsOf(leaf: Leaf, look: Required<Omit<Look, "columns">>): string[] {
  const { replicas, available, ready, upToDate, condition } = leaf;
  const counts = [replicas, available, ready, upToDate].map((count) =>
    count === undefined ? "" : String(count),
  );
  if (!condition) return counts;
  const { type, reason = "", message = "" } = condition;
  const status = [...(leaf.name === type ? [] : [`${type}:`]), statusOf(leaf, look.paint)].join(" ");
  const since = sinceOf(leaf, look.nowMs);
  // A condition that is True needs no reason.
  if (condition.status === "True") return [...counts, status, "", since];
  return [...counts, status, reason, since, onOneLine(message, look.isWide ? undefined : LONGEST)];
}

function sinceOf({ condition }: Leaf, nowMs: number): string {
  const { lastTransitionTime = "" } = condition ?? {};
  return lastTransitionTime === "" ? "" : humanDuration(nowMs - Date.parse(lastTransitionTime));
}

function statusOf({ condition, needsUser = false }: Leaf, paint: Paint): string {
  if (!condition) return "";
  return colourOf(condition, needsUser, paint)(condition.status);
}

// Conditions of Cluster API that are False in the normal case.
const NORMALLY_FALSE: ReadonlySet<string> = new Set([
  "Deleting",
  "Paused",
  "Remediating",
  "RollingOut",
  "ScalingDown",
  "ScalingUp",
  "Updating",
]);

function colourOf({ type, status }: Condition, needsUser: boolean, paint: Paint): Paint["good"] {
  if (NORMALLY_FALSE.has(type)) return status === "False" ? PLAIN.good : paint.warn;
  if (status === "True") return paint.good;
  return status === "Unknown" || !needsUser ? paint.warn : paint.bad;
}

// A message has no maximum length; the object has all of it.
const LONGEST = 100;
// Lines below a part have more room than a column.
const LONGEST_BELOW = 300;

/** The name with its warnings, and with its role in front. */
function fullName({ role, warnings = [], name }: Leaf): string {
  const withWarnings = [...warnings.map((warning) => `!! ${warning} !!`), name].join(" ");
  return role === undefined ? withWarnings : `${role} - ${withWarnings}`;
}

const NARROW_HEADINGS = ["NAME", "READY", "STATUS", "SINCE"];

/** The state of each part on its line, and below it, indented, why it is not ready. */
function narrowTree(lines: readonly Line[], { nowMs, columns, paint }: FullLook): string {
  const facts = lines.map(({ leaf }) => [readyOf(leaf), statusOf(leaf, paint), sinceOf(leaf, nowMs)]);
  const [, ...widths] = widthsOf([NARROW_HEADINGS, ...facts.map((cells) => ["", ...cells])]);
  const room = columns - widths.reduce((sum, width) => sum + width + 3, 0);
  const names = lines.map(({ here, leaf }) => here + shortName(leaf, room - here.length));
  const nameWidth = Math.min(room, Math.max(...names.map((name) => name.length)));
  const all = [nameWidth, ...widths];
  const body = lines.map(({ below, leaf }, index) => {
    const cells = [names[index] ?? "", ...(facts[index] ?? [])];
    const [name = "", ...rest] = cells;
    // A name that is longer than its column has a line of its own: a cut name cannot be copied.
    const line = columnsIn(name) > nameWidth ? `${name}\n${row([below, ...rest], all)}` : row(cells, all);
    return line + causeBelow(leaf, below, { columns, paint });
  });
  return [row(NARROW_HEADINGS, all), ...body].join("");
}

function readyOf({ desired, replicas, ready }: Leaf): string {
  return replicas === undefined ? "" : `${ready ?? 0}/${desired ?? replicas}`;
}

/** The name without its role, which its kind tells, and of a group as many members as fit. */
function shortName(leaf: Leaf, room: number): string {
  const { warnings = [], name, members } = leaf;
  if (!members) return fullName({ warnings, name, parts: [] });
  const head = `${members.length} Machines: `;
  for (let shown = members.length; shown > 0; shown--) {
    const text = `${head}${members.slice(0, shown).join(", ")}${shown < members.length ? ", ..." : ""}`;
    if (text.length <= room) return text;
  }
  return `${members.length} Machines`;
}

function causeBelow(
  { condition, needsUser = false }: Leaf,
  below: string,
  { columns, paint }: Omit<FullLook, "nowMs">,
): string {
  if (!condition || condition.status === "True") return "";
  const { reason = "", message = "" } = condition;
  const text = [reason, onOneLine(message, LONGEST_BELOW)].filter((part) => part !== "").join(": ");
  if (text === "") return "";
  const indent = `${below}  `;
  const colour = colourOf(condition, needsUser, paint);
  return wrapped(text, columns - indent.length)
    .map((line) => `${indent}${colour(line)}\n`)
    .join("");
}
