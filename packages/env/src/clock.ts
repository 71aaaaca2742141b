/** A timer that has been set and can be taken back. */
export interface Timer {
  /** Takes the timer back; after this its callback never runs. Harmless when it has run already. */
  cancel(): void;
}

/**
 * Time as the rest of Capstan sees it.
 *
 * Wall time (`now`) may jump: people and NTP move it. Intervals are measured with `monotonic`, and
 * timers follow `monotonic` too, so that a jump of a year neither fires nor loses one.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch, for timestamps only. */
  now(): number;
  /** Milliseconds since an arbitrary start; never goes back. */
  monotonic(): number;
  /** Runs `callback` once after `delayMs`, of any length; a negative or zero delay means "soon". */
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

/** The reason of an aborted signal as an Error, whatever the aborting side passed. */
export function abortError(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error(`aborted: ${String(reason)}`);
}
