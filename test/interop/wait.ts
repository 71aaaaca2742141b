import { setTimeout as sleep } from "node:timers/promises";

const PAUSE_MS = 500;

/** Polls until there is a result; undefined at the limit. Upstream's programs send no event when they are done. */
export async function waitFor<T>(
  limitMs: number,
  poll: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const untilMs = performance.now() + limitMs;
  for (;;) {
    const result = await poll();
    if (result !== undefined || performance.now() > untilMs) return result;
    await sleep(PAUSE_MS);
  }
}
