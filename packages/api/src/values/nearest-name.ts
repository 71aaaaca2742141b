/** The known name with the fewest typing errors, if they are few enough. */
export function nearestName(written: string, known: readonly string[]): string | undefined {
  // The distance costs the product of both lengths, and a name this long is not a typing error.
  if (written.length > 64) return undefined;
  const lower = written.toLowerCase();
  const byDistance = known
    .map((name) => ({ name, distance: distance(lower, name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = byDistance;
  if (!best) return undefined;
  // Two exchanged letters count as two errors; in a name of three letters that would match anything.
  const mostErrors = written.length < 4 ? 1 : Math.max(2, Math.floor(written.length / 3));
  return best.distance <= mostErrors ? best.name : undefined;
}

/** The Levenshtein distance, one row of the table at a time. */
function distance(from: string, to: string): number {
  const first = Array.from({ length: to.length + 1 }, (_, column) => column);
  const last = from.split("").reduce<readonly number[]>((above, letter, index) => {
    const row = [index + 1];
    for (const [column, other] of to.split("").entries()) {
      const [exchanged = 0, putIn = 0, leftOut = 0] = [above[column], above[column + 1], row[column]];
      row.push(Math.min(exchanged + (letter === other ? 0 : 1), putIn + 1, leftOut + 1));
    }
    return row;
  }, first);
  return last.at(-1) ?? 0;
}
