import { CLOCK_SKEW_MS } from "@capstan/api";
import type { Clock } from "@capstan/env";

const LOOK_MS = 60_000;

/**
 * Calls back when the wall clock was set back. Earlier timestamps are then in the future, and no duration would seem to
 * pass until they are corrected.
 */
export function watchClock(clock: Clock, onSetBack: () => void): { stop(): void } {
  const offsetMs = (): number => clock.now() - clock.monotonic();
  let latestMs = offsetMs();
  const look = (): void => {
    const isSetBack = latestMs - offsetMs() > CLOCK_SKEW_MS;
    latestMs = isSetBack ? offsetMs() : Math.max(latestMs, offsetMs());
    timer = clock.timer(LOOK_MS, look);
    if (isSetBack) onSetBack();
  };
  let timer = clock.timer(LOOK_MS, look);
  return { stop: () => timer.cancel() };
}
