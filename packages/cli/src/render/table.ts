import { columnsIn } from "./width.ts";

/** Rows as columns, as kubectl prints them: three spaces between, no lines. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows];
  const widths = widthsOf(all);
  return all.map((cells) => row(cells, widths)).join("");
}

/** The window of a table, and the columns it can do without, the least important first. */
export interface TableSpace {
  readonly columns: number;
  readonly dispensable: readonly string[];
}

/** Such a table without the columns that the window has no space for. */
export function tableWithin(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  { columns, dispensable }: TableSpace,
): string {
  const full = table(headings, rows);
  const isTooWide = full.split("\n").some((line) => columnsIn(line) > columns);
  const [dropped, ...rest] = dispensable;
  if (!isTooWide || dropped === undefined) return full;
  const isKept = (_: string, place: number): boolean => headings[place] !== dropped;
  const kept = rows.map((cells) => cells.filter(isKept));
  return tableWithin(headings.filter(isKept), kept, { columns, dispensable: rest });
}

/** The width of each column: that of its widest cell. */
export function widthsOf(rows: readonly (readonly string[])[]): readonly number[] {
  const count = Math.max(0, ...rows.map(({ length }) => length));
  return Array.from({ length: count }, (_, column) =>
    rows.reduce((widest, cells) => Math.max(widest, columnsIn(cells[column] ?? "")), 0),
  );
}

/** One line of such a table; a cell that is longer than its column shifts the rest of its line. */
export function row(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, column) => filled(cell, widths[column] ?? 0));
  return `${padded.join("   ").trimEnd()}\n`;
}

function filled(cell: string, width: number): string {
  return cell + " ".repeat(Math.max(0, width - columnsIn(cell)));
}

/** Names with their values, one per line. */
export function facts(pairs: readonly (readonly [string, string])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}   ${value}\n`).join("");
}
