import type { Lane } from "../../protocol.ts";

const collator = new Intl.Collator("en", { numeric: true });

/** The lanes that are still seen, and match the search. */
export function shownLanes(
  lanes: readonly Lane[],
  { search, fromMs }: { readonly search: string; readonly fromMs: number },
): readonly Lane[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const seen = lanes.filter(({ goneMs = Infinity }) => goneMs >= fromMs);
  if (words.length === 0) return seen;
  return seen.filter((lane) => {
    const text = textOf(lane);
    return words.every((word) => text.includes(word));
  });
}

/**
 * Lanes in the order in which machines were created: old ones above new ones, expected ones last. Names are compared slowly, and
 * sorting takes few comparisons when it begins with the order of before.
 */
export function sortedLanes(lanes: ReadonlyMap<string, Lane>, before: readonly Lane[] = []): readonly Lane[] {
  const known = new Set<string>();
  const kept = before.flatMap(({ key }) => {
    const lane = lanes.get(key);
    if (!lane) return [];
    known.add(key);
    return [lane];
  });
  const added = [...lanes.values()].filter(({ key }) => !known.has(key));
  return [...kept, ...added].toSorted(
    (a, b) => beginOf(a) - beginOf(b) || collator.compare(a.name, b.name) || collator.compare(a.key, b.key),
  );
}

function textOf({ name, group, message, segments }: Lane): string {
  return `${name} ${group} ${segments.at(-1)?.phase ?? ""} ${message}`.toLowerCase();
}

function beginOf({ segments, forecast }: Lane): number {
  return segments[0]?.fromMs ?? forecast[0]?.fromMs ?? 0;
}
