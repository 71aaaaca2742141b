import type { Shell } from "../shell.ts";

/**
 * How many columns a table may use. COLUMNS decides if it is set, as for other programs, then the window. A pipe has no
 * width: its reader is a script or a pager.
 */
export function widthFor({ out, variables }: Pick<Shell, "out" | "variables">): number {
  const said = Number(variables["COLUMNS"]);
  if (Number.isInteger(said) && said > 0) return said;
  return out.isTerminal ? out.columns : Number.POSITIVE_INFINITY;
}

// oxlint-disable-next-line no-control-regex -- a colour begins with the escape character
const COLOUR = /\u001B\[\d+m/g;

/** The columns that a text takes; colours take none. */
export function columnsIn(text: string): number {
  return text.replaceAll(COLOUR, "").length;
}

/** A line of at most this many columns; colours that follow the cut stay, so that none goes on behind it. */
export function cutAt(line: string, columns: number): string {
  if (columnsIn(line) <= columns) return line;
  const colours = line.match(COLOUR) ?? [];
  let left = Math.max(0, columns - 1);
  const kept = line.split(COLOUR).map((text, index) => {
    const shown = text.slice(0, left);
    left -= shown.length;
    return shown + (colours[index] ?? "");
  });
  return `${kept.join("")}…`;
}

/** A text as lines of at most this many columns, broken between words; a longer word has a line of its own. */
export function wrapped(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.match(/\s*\S+/g) ?? []) {
    const last = lines.at(-1);
    if (last !== undefined && columnsIn(last) + columnsIn(word) <= columns)
      lines[lines.length - 1] = last + word;
    else lines.push(word.trimStart());
  }
  return lines;
}

// The blanks and the lines of a tree before a text, or the name of a fact and the gap after it.
// oxlint-disable-next-line no-control-regex -- as above
const INDENT = /^(?:\u001B\[\d+m)?(?:[\s│├└─]+|\w[\w ]{0,16}? {3,})/;

/** Breaks lines that are wider than the window; what follows a break is indented below its own line. */
export function fitted(text: string, columns: number): string {
  return text
    .split("\n")
    .flatMap((line) => (columnsIn(line) > columns ? broken(line, columns) : [line]))
    .join("\n");
}

function broken(line: string, columns: number): readonly string[] {
  const [indent = ""] = INDENT.exec(line) ?? [];
  const lead = indent.replaceAll(COLOUR, "");
  const below = /\w/.test(lead)
    ? " ".repeat(lead.length)
    : `${lead.replaceAll("├", "│").replaceAll(/[└─]/g, " ")}  `;
  const [first = "", ...rest] = wrapped(line.slice(indent.length), columns - below.length);
  return [indent + first, ...rest.map((part) => below + part)];
}
