import type { Clock } from "@capstan/env";

/** Waits for a promise up to a limit; returns whether it settled in time. A rejection is passed on. */
export async function within(clock: Clock, work: Promise<unknown>, limitMs: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = clock.timer(limitMs, () => resolve(false));
    work.then(
      () => {
        timer.cancel();
        resolve(true);
      },
      (error: unknown) => {
        timer.cancel();
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}
