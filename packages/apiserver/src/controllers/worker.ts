import type { Env } from "@capstan/env";

// A failure, such as a write to a full disk, is retried after this long.
const RETRY_MS = 1000;
// Concurrent writes share a transaction of the storage.
const AT_ONCE = 32;

/** Processes keys, several at a time, none twice at a time; a key that is added while it waits is processed once. */
export interface Worker {
  add(key: string): void;
  stop(): void;
}

/**
 * Creates a worker. It starts in a later turn of the event loop, after the request that added the key has its answer.
 */
export function createWorker(env: Env, work: (key: string) => Promise<void>): Worker {
  const waiting = new Set<string>();
  const active = new Set<string>();
  let isDue = false;
  let stopped = false;
  const add = (key: string): void => {
    if (stopped) return;
    waiting.add(key);
    if (isDue) return;
    isDue = true;
    env.clock.timer(0, begin);
  };
  return {
    add,
    stop: () => {
      stopped = true;
      waiting.clear();
    },
  };

  function begin(): void {
    isDue = false;
    for (const key of waiting) {
      if (active.size === AT_ONCE) return;
      if (active.has(key)) continue;
      waiting.delete(key);
      active.add(key);
      void run(key);
    }
  }

  async function run(key: string): Promise<void> {
    await work(key).catch(() => env.clock.timer(RETRY_MS, () => add(key)));
    active.delete(key);
    if (waiting.size > 0) begin();
  }
}
