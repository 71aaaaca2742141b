import type { Clock } from "@capstan/env";
import type { Storage } from "./storage.ts";

/** As often as kube-apiserver compacts etcd. */
export const COMPACTION_MS = 5 * 60_000;

/**
 * Drops old changes from the histories of a storage: each is kept for five to ten minutes. A history holds every version of an object with
 * the text for its watchers, so one that only a number limits takes gigabytes in a server that runs for days.
 */
export function compactRegularly(
  storage: Pick<Storage, "compact" | "resourceVersion">,
  clock: Pick<Clock, "timer">,
): () => void {
  let before = storage.resourceVersion;
  const compact = (): void => {
    storage.compact(before);
    before = storage.resourceVersion;
    timer = clock.timer(COMPACTION_MS, compact);
  };
  let timer = clock.timer(COMPACTION_MS, compact);
  return () => timer.cancel();
}
