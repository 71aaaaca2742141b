import type { Lane } from "../../protocol.ts";

const collator = new Intl.Collator("en", { numeric: true });

/** The lanes of the rollout in the order in which machines were created: old ones above new ones, expected ones last. */
export function shownLanes(
  lanes: readonly Lane[],
  { search, fromMs }: { readonly search: string; readonly fromMs: number },
): readonly Lane[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return lanes
    .filter(({ goneMs = Infinity }) => goneMs >= fromMs)
    .filter((lane) => words.every((word) => textOf(lane).includes(word)))
    .toSorted(
      (a, b) => beginOf(a) - beginOf(b) || collator.compare(a.name, b.name) || collator.compare(a.key, b.key),
    );
}

function textOf({ name, group, message, segments }: Lane): string {
  return `${name} ${group} ${segments.at(-1)?.phase ?? ""} ${message}`.toLowerCase();
}

function beginOf({ segments, forecast }: Lane): number {
  return segments[0]?.fromMs ?? forecast[0]?.fromMs ?? 0;
}
