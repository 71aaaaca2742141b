import { builtInKinds, createApiServer } from "@capstan/apiserver";
import { createRealEnv, withClock } from "@capstan/env";
import type { Replayed } from "./replay.ts";

/** A server whose clock only moves when it is told to. */
export function startServer(): Replayed {
  const env = createRealEnv();
  const { clock } = env;
  let nowMs = Date.UTC(2026, 0, 1);
  const stepped = {
    now: () => nowMs,
    monotonic: () => clock.monotonic(),
    timer: (delayMs: number, callback: () => void) => clock.timer(delayMs, callback),
    sleep: (delayMs: number, signal?: AbortSignal) => clock.sleep(delayMs, signal),
  };
  const server = createApiServer({ env: withClock(env, stepped), kinds: builtInKinds });
  return { send: server.handle, pause: () => void (nowMs += 2000) };
}
