import { nearestName } from "@capstan/api";

/** The known names, those most similar to the given one first. */
export interface Guess {
  readonly written: string;
  readonly known: readonly string[];
}

// A longer list is not readable; the page in docs has all names.
const MOST_NAMES = 12;

/** The hint for an unknown name: the most similar known name, else all of them. */
export function suggestion({ written, known }: Guess): string {
  const near = nearestName(written, known);
  if (near !== undefined) return `did you mean ${near}?`;
  if (known.length === 0) return "there is none";
  const rest = known.length - MOST_NAMES;
  const names = known.slice(0, MOST_NAMES).join(", ");
  return `expected ${known.length === 1 ? "" : "one of "}${names}${rest > 0 ? ` and ${rest} more` : ""}`;
}
