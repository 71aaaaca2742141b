import { type Clock, sleepWith, type Timer } from "../clock.ts";

// setTimeout keeps its delay in a signed 32-bit number: anything above about 24.8 days fires at once.
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

const monotonic = (): number => performance.now();

/** Runs after the pending events; setTimeout would wait at least a millisecond. */
function soon(callback: () => void): Timer {
  const handle = setImmediate(callback);
  return { cancel: () => clearImmediate(handle) };
}

/** The machine's own clock. */
export function realClock(): Clock {
  const timer = (delayMs: number, callback: () => void): Timer => {
    if (delayMs <= 0) return soon(callback);
    const due = monotonic() + delayMs;
    let handle: NodeJS.Timeout;
    const arm = (): void => {
      const leftMs = due - monotonic();
      handle =
        leftMs > LONGEST_TIMEOUT_MS
          ? setTimeout(arm, LONGEST_TIMEOUT_MS)
          : setTimeout(callback, Math.max(0, leftMs));
    };
    arm();
    return { cancel: () => clearTimeout(handle) };
  };
  return {
    now: () => Date.now(),
    monotonic,
    timer,
    sleep: (delayMs, signal) => sleepWith(timer, delayMs, signal),
  };
}
