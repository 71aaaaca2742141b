/**
 * When each of many pieces of work ends if only so many run at once: each starts in the first free lane. The order is fixed,
 * so the ends are reproducible.
 */
export function endsInLanes(durationsMs: readonly number[], lanes: number, startMs: number): number[] {
  const freeAt: number[] = Array.from({ length: Math.min(lanes, durationsMs.length) }, () => startMs);
  return durationsMs.map((duration) => {
    let lane = 0;
    // With few pieces each has its own lane; with many, a scan of the lanes is cheap compared with drawing the durations.
    for (let other = 1; other < freeAt.length; other++) {
      if ((freeAt[other] as number) < (freeAt[lane] as number)) lane = other;
    }
    const end = (freeAt[lane] as number) + duration;
    freeAt[lane] = end;
    return end;
  });
}
