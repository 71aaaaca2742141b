import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

// Somebody who only looks holds the lock for a moment; a server holds it as long as it lives.
const LOOK_MS = 250;
const SQLITE_BUSY = 5;

/**
 * Takes the lock of a data directory; undefined when another process has it.
 *
 * It is SQLite's lock on a small file, and the operating system takes it back when its process ends, however it
 * ends: there is no pid that could be stale or belong to somebody else by now.
 */
export function takeLock(folder: string): (() => void) | undefined {
  const database = new DatabaseSync(lockPath(folder), { timeout: LOOK_MS });
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return () => database.close();
}

/** Whether a living process has the lock. */
export function isLocked(folder: string): boolean {
  if (!existsSync(lockPath(folder))) return false;
  const database = new DatabaseSync(lockPath(folder), { readOnly: true, timeout: 0 });
  try {
    database.prepare("SELECT count(*) FROM sqlite_schema").get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    database.close();
  }
}

function lockPath(folder: string): string {
  return join(folder, "lock.db");
}

function isBusy(error: unknown): boolean {
  // The lower byte is the primary code, the rest says more about it.
  return ((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_BUSY;
}
