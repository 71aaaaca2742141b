/** Which pairs of random objects are recorded for the gate. */
import { isJsonObject } from "@capstan/api";
import type { RecordedPair } from "../conversion-pairs.ts";

// Of each kind and way; both ways together are forty.
const PAIRS = 20;
const CANDIDATES = 1000;

/** The pairs that have the most values which no pair before them has, for their size: small ones are easier to read. */
export function chosenPairs(pairs: readonly RecordedPair[]): readonly RecordedPair[] {
  const candidates = pairs.slice(0, CANDIDATES).map((pair) => ({
    pair,
    size: JSON.stringify(pair).length,
    fields: [...new Set(fieldsOf(pair.object, ""))],
  }));
  const covered = new Set<string>();
  const chosen: RecordedPair[] = [];
  while (chosen.length < PAIRS && candidates.length > 0) {
    const gain = ({ fields, size }: (typeof candidates)[number]): number =>
      (1 + fields.filter((field) => !covered.has(field)).length) / size ** 1.5;
    const best = candidates.reduce((most, one) => (gain(one) > gain(most) ? one : most));
    candidates.splice(candidates.indexOf(best), 1);
    chosen.push(best.pair);
    for (const field of best.fields) covered.add(field);
  }
  return chosen;
}

/** The paths of all fields, with their values. */
function* fieldsOf(value: unknown, path: string): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* fieldsOf(item, `${path}[]`);
  else if (isJsonObject(value))
    for (const [name, field] of Object.entries(value)) yield* fieldsOf(field, `${path}.${name}`);
  else yield `${path}: ${JSON.stringify(value)}`;
  if (typeof value === "object" && value !== null && Object.keys(value).length === 0) yield `${path}: empty`;
}
