/** Rows as columns, as kubectl prints them: three spaces between, no lines. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map((cells) => (cells[column] ?? "").length)));
  return all.map((cells) => row(cells, widths)).join("");
}

/** One line of such a table; a cell that is longer than its column shifts the rest of its line. */
export function row(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, column) => cell.padEnd(widths[column] ?? 0));
  return `${padded.join("   ").trimEnd()}\n`;
}

/** Names with their values, one per line. */
export function facts(pairs: readonly (readonly [string, string])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}   ${value}\n`).join("");
}
