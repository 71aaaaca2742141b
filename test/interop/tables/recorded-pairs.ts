/** Which pairs of random objects are recorded for the gate. */
import { isJsonObject } from "@capstan/api";
import type { RecordedPair } from "../conversion-pairs.ts";

// Of each kind and way; both ways together are forty.
const PAIRS = 20;

/** The pairs that have the most fields which no pair before them has, for their size. */
export function chosenPairs(pairs: readonly RecordedPair[]): readonly RecordedPair[] {
  const candidates = pairs.slice(0, 300).map((pair) => ({
    pair,
    size: JSON.stringify(pair).length,
    fields: [...new Set(fieldsOf(pair.object, ""))],
  }));
  const covered = new Set<string>();
  const chosen: RecordedPair[] = [];
  while (chosen.length < PAIRS && candidates.length > 0) {
    const gain = ({ fields, size }: (typeof candidates)[number]): number =>
      (1 + fields.filter((field) => !covered.has(field)).length) / size;
    const best = candidates.reduce((most, one) => (gain(one) > gain(most) ? one : most));
    candidates.splice(candidates.indexOf(best), 1);
    chosen.push(best.pair);
    for (const field of best.fields) covered.add(field);
  }
  return chosen;
}

/** The paths of all fields with their values, as far as those are short. */
function* fieldsOf(value: unknown, path: string): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* fieldsOf(item, `${path}[]`);
  else if (isJsonObject(value))
    for (const [name, field] of Object.entries(value)) yield* fieldsOf(field, `${path}.${name}`);
  else yield `${path}: ${JSON.stringify(value)}`;
  if (typeof value === "object" && value !== null && Object.keys(value).length === 0) yield `${path}: empty`;
}
