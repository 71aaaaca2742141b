import type { Shell } from "../shell.ts";
import { aborted } from "../signals.ts";

// As often as users look; a rollout takes minutes.
export const POLL_INTERVAL_MS = 2000;

/** The answer of a read; undefined if the command is interrupted or takes too long before it comes. */
export async function until<T>(
  { env }: Shell,
  reading: Promise<T>,
  { stop, limitMs = Number.POSITIVE_INFINITY }: { readonly stop: AbortSignal; readonly limitMs?: number },
): Promise<T | undefined> {
  const late = new AbortController();
  const timer = env.clock.timer(limitMs, () => late.abort());
  const givenUp = aborted(AbortSignal.any([stop, late.signal]));
  try {
    return await Promise.race([reading, givenUp.then(() => undefined)]);
  } finally {
    timer.cancel();
    // Otherwise Node keeps the combined signal of every read until the command is stopped.
    late.abort();
  }
}

/** Waits, and returns early if the command is interrupted; whether it has been. */
export async function isStopped(shell: Shell, delayMs: number, stop: AbortSignal): Promise<boolean> {
  try {
    await shell.env.clock.sleep(delayMs, stop);
  } catch (error) {
    if (!stop.aborted) throw error;
  }
  return stop.aborted;
}
