import { Event } from "@capstan/api";
import type { Context } from "../registry/context.ts";
import { tableOf } from "../registry/registry.ts";
import { type ObjectKey, StaleWriteError } from "../storage/storage.ts";
import { createWorker } from "./worker.ts";

const EVENTS = tableOf(Event);
// As long as kube-apiserver keeps them, by the clock of the clients: a user who rehearses a day in minutes can still
// read its events.
const KEPT_MS = 3_600_000;

/**
 * Deletes events an hour after their last write; those from before a restart, an hour after it. It runs with each write
 * of an event, because nothing else adds to them.
 */
export function startEventExpiry({ env, callerClock, storage }: Context): () => void {
  /** When each event was last written, oldest first. */
  const writtenMs = new Map<string, number>();
  const worker = createWorker(env, async (id) => {
    const key = keyOf(id);
    const found = storage.get(key);
    // An event that was written again meanwhile gets another hour.
    if (!found || writtenMs.has(id)) return;
    await storage.remove(key, found).catch((error: unknown) => {
      if (!(error instanceof StaleWriteError)) throw error;
    });
  });
  const startMs = callerClock.monotonic();
  for (const { metadata } of storage.list({ resource: EVENTS }))
    writtenMs.set(idOf(metadata.namespace, metadata.name), startMs);
  const unfollow = storage.follow((resource, { object, namespace, line }) => {
    if (resource !== EVENTS) return;
    const id = idOf(namespace, object.metadata.name);
    writtenMs.delete(id);
    if (line.type === "DELETED") return;
    const nowMs = callerClock.monotonic();
    writtenMs.set(id, nowMs);
    for (const [old, atMs] of writtenMs) {
      if (nowMs - atMs < KEPT_MS) break;
      writtenMs.delete(old);
      worker.add(old);
    }
  });
  return () => {
    unfollow();
    worker.stop();
  };
}

function idOf(namespace: string | undefined, name: string): string {
  return `${namespace ?? ""}/${name}`;
}

function keyOf(id: string): ObjectKey {
  const [namespace = "", name = ""] = id.split("/");
  return { resource: EVENTS, namespace, name };
}
