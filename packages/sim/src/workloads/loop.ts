import type { Env } from "@capstan/env";
import { type Cache, type Client, isConflict, isNotFound, type Logger, WorkQueue } from "@capstan/runtime";

/** What the loops over pods share. */
export interface LoopWorld {
  readonly env: Env;
  readonly log: Logger;
  readonly cache: Cache;
  readonly client: Client;
}

/** What is particular to a loop. */
export interface LoopOptions {
  readonly name: string;
  readonly concurrency: number;
  /** Looks at one object; the answer says after how many milliseconds to look again, if at all. */
  readonly look: (key: string) => Promise<number | undefined>;
}

/** Keys to look at, and those who do once the cache is filled. */
export interface Loop {
  readonly queue: WorkQueue;
  start(): WorkQueue;
}

/**
 * Looks at keys until its queue is closed.
 *
 * Reconcilers leave objects alone that are being deleted and have no finalizer of theirs, and that is just when a
 * kubelet has work to do; so pods are looked after here.
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
