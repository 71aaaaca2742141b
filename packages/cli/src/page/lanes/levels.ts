/** How many machines could work, over time. Pure. */
import type { LaneSegment } from "@capstan/page";

type Level = readonly [atMs: number, available: number];

/** How many machines were Ready at which time before `untilMs`, from their phases: the page was opened later. */
export function levelsBefore(
  lanes: readonly { readonly segments: readonly LaneSegment[] }[],
  untilMs: number,
): readonly Level[] {
  const steps = lanes
    .flatMap(({ segments }) => segments.filter(({ phase }) => phase === "ready"))
    .flatMap(({ fromMs, toMs = Infinity }): readonly Level[] => [
      [fromMs, 1],
      [toMs, -1],
    ])
    .filter(([atMs]) => atMs < untilMs)
    .toSorted(([a], [b]) => a - b);
  let available = 0;
  return steps.map(([atMs, change]) => [atMs, (available += change)] as const).slice(-MOST_LEVELS);
}

// A picture has no more points.
const MOST_LEVELS = 500;
