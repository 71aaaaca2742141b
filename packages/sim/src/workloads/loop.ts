import type { Env } from "@capstan/env";
import { type Cache, type Client, isConflict, isNotFound, type Logger, WorkQueue } from "@capstan/runtime";

/** The options of all loops over pods. */
export interface LoopWorld {
  readonly env: Env;
  readonly log: Logger;
  readonly cache: Cache;
  readonly client: Client;
}

/** The specifics of a loop. */
export interface LoopOptions {
  readonly name: string;
  readonly concurrency: number;
  /** Reconciles one object; returns the requeue delay in milliseconds, if any. */
  readonly look: (key: string) => Promise<number | undefined>;
}

/** The queue of keys, and the workers that start once the cache is synced. */
export interface Loop {
  readonly queue: WorkQueue;
  start(): WorkQueue;
}

/**
 * Reconciles keys until its queue is closed.
 *
 * The runtime's reconcilers skip objects that are being deleted without their finalizer, which is exactly when a kubelet has
 * work to do; so pods have this loop.
 */
export function createLoop(
  { env, log }: Pick<LoopWorld, "env" | "log">,
  { name, concurrency, look }: LoopOptions,
): Loop {
  const queue = new WorkQueue({ env, name });
  const lookAt = async (key: string): Promise<void> => {
    try {
      const afterMs = await look(key);
      queue.forget(key);
      if (afterMs !== undefined) queue.addAfter(key, afterMs);
    } catch (error) {
      if (isNotFound(error)) {
        queue.forget(key);
        return;
      }
      if (!isConflict(error)) log.warn("Trying again", { loop: name, key, error });
      queue.retry(key);
    }
  };
  const work = async (): Promise<void> => {
    for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
      await lookAt(key);
      queue.done(key);
    }
  };
  return {
    queue,
    start: () => {
      for (let worker = 0; worker < concurrency; worker++) void work();
      return queue;
    },
  };
}
