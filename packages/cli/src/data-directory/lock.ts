import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

// A reader takes the lock for a moment only; a server holds it for its lifetime.
const LOCK_TIMEOUT_MS = 250;
const SQLITE_BUSY = 5;

/**
 * Takes the lock of a data directory; undefined if another process has it.
 *
 * It is SQLite's lock on a small file, which the operating system releases when the process ends in any way. So there
 * is no pid file that could be stale or name an unrelated process.
 */
export function takeLock(folder: string): (() => void) | undefined {
  const database = new DatabaseSync(lockPath(folder), { timeout: LOCK_TIMEOUT_MS });
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return () => database.close();
}

/** Whether a running process has the lock. */
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
  // The lower byte is the primary code; the higher bytes refine it.
  return ((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_BUSY;
}
