import type { Env } from "@capstan/env";

// What fails, such as a write to a full disk, is tried again after so long.
const RETRY_MS = 1000;

/** Works through keys, one at a time; a key that is added while it waits is worked on once. */
export interface Worker {
  add(key: string): void;
  stop(): void;
}

/** Creates a worker. Work begins in a later turn of the event loop, after whoever added the key has had its answer. */
export function createWorker(env: Env, work: (key: string) => Promise<void>): Worker {
  const waiting = new Set<string>();
  let running = false;
  let stopped = false;
  return {
    add: (key) => {
      if (stopped) return;
      waiting.add(key);
      if (running) return;
      running = true;
      env.clock.timer(0, () => void run());
    },
    stop: () => {
      stopped = true;
      waiting.clear();
    },
  };

  async function run(): Promise<void> {
    for (const key of waiting) {
      waiting.delete(key);
      await work(key).catch(() => retry(key));
    }
    running = false;
  }

  function retry(key: string): void {
    env.clock.timer(RETRY_MS, () => {
      if (stopped) return;
      waiting.add(key);
      if (running) return;
      running = true;
      void run();
    });
  }
}
