import { existsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** The database cannot be used; the message says why and what to do. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
}

/** The tables of a database, as one program knows them. */
export interface DatabaseFormat {
  /** Raised with every change of the tables: an older program must not write to a format that it cannot read. */
  readonly format: number;
  /** Four ASCII letters that identify the file, to us and to file(1). */
  readonly applicationID: string;
  readonly tables: string;
  /** Changes the tables of an older format. */
  readonly upgrade?: (database: DatabaseSync) => void;
}

// A checkpoint every 4,000 pages keeps the write-ahead log around 16 MB and checkpoints short.
const CHECKPOINT_PAGES = 4000;

/**
 * Opens or creates a database that one process holds, and whose commits are on disk when they return. A database that has
 * lost pages, its content or its newest writes is refused: a start with fewer rows would look as if a user had deleted them.
 */
export function openDatabase(path: string, format: DatabaseFormat): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    refuseEmptied(path);
    const hasLog = existsSync(`${path}-wal`);
    database = new DatabaseSync(path);
    // An exclusive lock is taken at the first read and held: two processes on one file would overwrite each other's rows.
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    prepareTables(database, path, format);
    refuseDamaged(database);
    requireLog(database, path, hasLog);
    return database;
  } catch (error) {
    if (database?.isOpen) database.close();
    if (error instanceof DatabaseError) throw error;
    throw new DatabaseError(`${path}: ${databaseProblem(error)}`, { cause: error });
  }
}

/** Closes a database, which needs its log no longer. */
export function closeDatabase(database: DatabaseSync): void {
  database.exec("UPDATE open_log SET is_open = 0");
  database.close();
}

/** Writes all or nothing. */
export function inTransaction(database: DatabaseSync, work: () => void): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    work();
    database.exec("COMMIT");
  } catch (error) {
    // After some errors, such as a full disk, SQLite has rolled back already.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

const RESTORE = "restore it from a copy, or remove it to start empty";

/** SQLite's result codes, as far as a user can do something about them. */
const ADVICE: Readonly<Record<number, string>> = {
  5: "another process holds it; stop that one first",
  8: "it is read-only; make the file and its folder writable",
  11: `it is damaged; ${RESTORE}`,
  13: "the disk is full; make room, then try again",
  14: "it cannot be opened; check that the folder exists and is writable",
  26: "it is not a SQLite database; choose another data directory",
};

/** What is wrong and what to do, in words. */
export function databaseProblem(error: unknown): string {
  const code = (error as { errcode?: number }).errcode ?? 0;
  // The lower byte is the primary code; the higher bytes refine it.
  return ADVICE[code & 0xff] ?? (error as Error).message;
}

/** SQLite takes an empty file for a new database; a database that lost its content is the same. */
function refuseEmptied(path: string): void {
  if (path !== ":memory:" && existsSync(path) && statSync(path).size === 0)
    throw new DatabaseError(`${path}: it has lost its content; ${RESTORE}`);
}

function prepareTables(database: DatabaseSync, path: string, known: DatabaseFormat): void {
  const { user_version: found } = database.prepare("PRAGMA user_version").get() as { user_version: number };
  if (found > known.format) {
    throw new DatabaseError(
      `${path} was written by a newer Capstan (format ${found}, this one knows ${known.format}); use that version, or another data directory`,
    );
  }
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
  `);
  if (found === 0) createTables(database, known);
  else if (found < known.format) known.upgrade?.(database);
}

function createTables(database: DatabaseSync, { applicationID, format, tables }: DatabaseFormat): void {
  const id = Buffer.from(applicationID, "ascii").readInt32BE();
  database.exec(`BEGIN; ${tables}; PRAGMA application_id = ${id}; PRAGMA user_version = ${format}; COMMIT;`);
}

/** Pages that were overwritten are found here, before rows of other pages are served as if they were all. */
function refuseDamaged(database: DatabaseSync): void {
  const { quick_check: verdict } = database.prepare("PRAGMA quick_check(1)").get() as { quick_check: string };
  if (verdict !== "ok") throw Object.assign(new Error(verdict), { errcode: 11 });
}

/**
 * While the database is open, and after a crash, the newest writes are in its log alone. Without the log SQLite would
 * start with older rows. The mark that a log is needed reaches the database file after the log exists, and goes when
 * the database is closed.
 */
function requireLog(database: DatabaseSync, path: string, hasLog: boolean): void {
  database.exec("CREATE TABLE IF NOT EXISTS open_log (is_open INTEGER NOT NULL)");
  const row = database.prepare("SELECT is_open FROM open_log").get() as { is_open: number } | undefined;
  if (row?.is_open === 1 && !hasLog) {
    throw new DatabaseError(
      `${path}: the newest writes are missing, because ${path}-wal is gone; put that file back, or ${RESTORE}`,
    );
  }
  database.exec(row ? "UPDATE open_log SET is_open = 1" : "INSERT INTO open_log VALUES (1)");
  database.exec("PRAGMA wal_checkpoint(FULL)");
}
