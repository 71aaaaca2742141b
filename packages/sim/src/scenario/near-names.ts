/** The known names, and those first that look like the one that was written. */
export interface Guess {
  readonly written: string;
  readonly known: readonly string[];
}

// A list that is longer than this helps nobody; the page in docs has all of it.
const MOST_NAMES = 12;

/** What to say to somebody who wrote a name that is none: the likely one, else all of them. */
export function suggestion({ written, known }: Guess): string {
  const near = nearest(written, known);
  if (near !== undefined) return `did you mean ${near}?`;
  if (known.length === 0) return "there is none";
  const rest = known.length - MOST_NAMES;
  const names = known.slice(0, MOST_NAMES).join(", ");
  return `expected ${known.length === 1 ? "" : "one of "}${names}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** The known name with the fewest typing errors, when they are few enough to be typing errors. */
export function nearest(written: string, known: readonly string[]): string | undefined {
  // The distance takes time by the product of both lengths, and a name this long is no slip of the finger.
  if (written.length > 64) return undefined;
  const lower = written.toLowerCase();
  const byDistance = known
    .map((name) => ({ name, distance: distance(lower, name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = byDistance;
  if (!best) return undefined;
  // Two letters that change places count as two errors; in a name of three letters that would fit anything.
  const mostErrors = written.length < 4 ? 1 : Math.max(2, Math.floor(written.length / 3));
  return best.distance <= mostErrors ? best.name : undefined;
}

/** How many letters have to be put in, left out or exchanged (Levenshtein), one row of the usual table at a time. */
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
