import type { Clock } from "@capstan/env";

/** The part of a process that receives signals. */
export interface SignalSource {
  on(signal: "SIGINT" | "SIGTERM" | "SIGHUP", listener: () => void): unknown;
  exit(code: number): void;
}

// Shells report a process that a signal ended as 128 plus the number of the signal.
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
// One Ctrl-C may arrive twice: from the terminal, and forwarded by npm. A user does not press it twice this fast.
const SAME_PRESS_MS = 500;

/** The first request to stop aborts the signal; the next one ends the process at once. */
export function stopSignalOf(source: SignalSource, clock: Pick<Clock, "monotonic">): AbortSignal {
  const stop = new AbortController();
  let firstMs: number | undefined;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    source.on(signal, () => {
      const nowMs = clock.monotonic();
      firstMs ??= nowMs;
      if (!stop.signal.aborted) stop.abort(new Error(signal));
      else if (nowMs - firstMs > SAME_PRESS_MS) source.exit(EXIT_CODES[signal]);
    });
  }
  return stop.signal;
}

/** The exit code of a command that a request to stop has interrupted. */
export function exitCodeFor({ reason }: AbortSignal): number {
  const signal = (reason as Error).message as keyof typeof EXIT_CODES;
  return EXIT_CODES[signal];
}

/** Resolves when a signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
