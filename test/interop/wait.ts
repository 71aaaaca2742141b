import { setTimeout as sleep } from "node:timers/promises";

const PAUSE_MS = 500;

/** Looks again and again until there is a result; at the limit, undefined. Programs of others tell nobody when they are done. */
export async function waitFor<T>(
  limitMs: number,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const untilMs = performance.now() + limitMs;
  for (;;) {
    const result = await look();
    if (result !== undefined || performance.now() > untilMs) return result;
    await sleep(PAUSE_MS);
  }
}
