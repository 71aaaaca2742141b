/** A timer that is set and can be cancelled. */
export interface Timer {
  /** Cancels the timer; its callback never runs after this. It has no effect after the timer has fired. */
  cancel(): void;
}

/**
 * Time as the rest of Capstan sees it.
 *
 * Wall time (`now`) may jump: users and NTP change it. Intervals are measured with `monotonic`, and timers follow
 * `monotonic` too, so that a jump of a year neither fires nor delays one.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch, for timestamps only. */
  now(): number;
  /** Milliseconds since an arbitrary start; never goes back. */
  monotonic(): number;
  /** Runs `callback` once after `delayMs`, which has no upper limit; a negative or zero delay means "soon". */
  timer(delayMs: number, callback: () => void): Timer;
  /** Resolves after `delayMs`; rejects with the signal's reason when it is aborted first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

/** Builds `sleep` from `timer`, so that real and virtual clocks wait by the same rules. */
export function sleepWith(timer: Clock["timer"], delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(abortError(signal));
      return;
    }
    const onAbort = (): void => {
      pending.cancel();
      reject(abortError(signal));
    };
    const pending = timer(delayMs, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** The reason of an aborted signal as an Error, for a reason of any type. */
export function abortError(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error(`aborted: ${String(reason)}`);
}
