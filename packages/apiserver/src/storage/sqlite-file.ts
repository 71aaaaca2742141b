import { existsSync, statSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Restored } from "./memory.ts";
import type { ObjectKey } from "./storage.ts";
import { Unread } from "./unread.ts";

/** The database cannot be used; the message says why and what to do. */
export class StorageFileError extends Error {
  override readonly name = "StorageFileError";
}

/** One change to write: the object's new text, or undefined for a deletion. */
export interface RowChange {
  readonly key: ObjectKey;
  readonly version: number;
  readonly body: string | undefined;
}

// Raised with every change of the tables; an older program must not write to a format that it cannot read.
const FORMAT = 1;
// "CAPS": identifies the file, to us and to file(1).
const APPLICATION_ID = 0x43415053;
// A checkpoint every 4,000 pages keeps the write-ahead log around 16 MB and checkpoints short.
const CHECKPOINT_PAGES = 4000;

/** A SQLite database of objects: written in transactions, each safe on disk before it is answered. */
export class SqliteFile {
  readonly #database: DatabaseSync;
  readonly #put: StatementSync;
  readonly #drop: StatementSync;
  readonly #setVersion: StatementSync;

  constructor(path: string) {
    this.#database = open(path);
    this.#put = this.#database.prepare(
      "INSERT INTO objects (resource, namespace, name, version, body) VALUES (?, ?, ?, ?, ?)" +
        " ON CONFLICT DO UPDATE SET version = excluded.version, body = excluded.body",
    );
    this.#drop = this.#database.prepare(
      "DELETE FROM objects WHERE resource = ? AND namespace = ? AND name = ?",
    );
    this.#setVersion = this.#database.prepare("UPDATE newest SET version = ?");
  }

  /** Everything that has been committed. */
  read(): Restored {
    const row = this.#database.prepare("SELECT version FROM newest").get() as { version: number };
    return { version: row.version, objects: this.#objects() };
  }

  /** Writes all changes or none of them. The version is stored beside them, because a deletion leaves no row for it. */
  commit(changes: readonly RowChange[]): void {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      for (const { key, version, body } of changes) {
        if (body === undefined) this.#drop.run(key.resource, key.namespace, key.name);
        else this.#put.run(key.resource, key.namespace, key.name, version, body);
      }
      this.#setVersion.run(changes.at(-1)?.version ?? 0);
      this.#database.exec("COMMIT");
    } catch (error) {
      // After some errors, such as a full disk, SQLite has rolled back already.
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  close(): void {
    this.#database.exec("UPDATE open_log SET is_open = 0");
    this.#database.close();
  }

  *#objects(): Generator<readonly [ObjectKey, Unread]> {
    const rows = this.#database.prepare("SELECT resource, namespace, name, body FROM objects").iterate();
    for (const { body, ...key } of rows as Iterable<ObjectKey & { body: string }>) {
      yield [key, new Unread(body)];
    }
  }
}

function open(path: string): DatabaseSync {
  try {
    refuseEmptied(path);
    const hasLog = existsSync(`${path}-wal`);
    const database = new DatabaseSync(path);
    // An exclusive lock is taken at the first read and held: two servers on one file would assign the same versions.
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    const format = formatOf(database);
    if (format > FORMAT) {
      database.close();
      throw new StorageFileError(
        `${path} was written by a newer Capstan (format ${format}, this one knows ${FORMAT}); use that version, or another data directory`,
      );
    }
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
    `);
    if (format < FORMAT) createTables(database);
    requireLog(database, path, hasLog);
    return database;
  } catch (error) {
    throw error instanceof StorageFileError
      ? error
      : new StorageFileError(explain(path, error as Error), { cause: error });
  }
}

/** SQLite takes an empty file for a new database; a database that lost its content is the same. */
function refuseEmptied(path: string): void {
  if (path !== ":memory:" && existsSync(path) && statSync(path).size === 0)
    throw new StorageFileError(`${path}: it has lost its content; ${RESTORE}`);
}

const RESTORE = "restore it from a copy, or remove it to start empty";

/**
 * While the database is open, and after a crash, the newest writes are in its log alone. Without the log SQLite would
 * start with older objects. The mark that a log is needed reaches the database file after the log exists, and goes when
 * the database is closed.
 */
function requireLog(database: DatabaseSync, path: string, hasLog: boolean): void {
  database.exec("CREATE TABLE IF NOT EXISTS open_log (is_open INTEGER NOT NULL)");
  const row = database.prepare("SELECT is_open FROM open_log").get() as { is_open: number } | undefined;
  if (row?.is_open === 1 && !hasLog) {
    database.close();
    throw new StorageFileError(
      `${path}: the newest writes are missing, because ${path}-wal is gone; put that file back, or ${RESTORE}`,
    );
  }
  database.exec(row ? "UPDATE open_log SET is_open = 1" : "INSERT INTO open_log VALUES (1)");
  database.exec("PRAGMA wal_checkpoint(FULL)");
}

function formatOf(database: DatabaseSync): number {
  return (database.prepare("PRAGMA user_version").get() as { user_version: number }).user_version;
}

function createTables(database: DatabaseSync): void {
  database.exec(`
    BEGIN;
    CREATE TABLE objects (
      resource TEXT NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL, version INTEGER NOT NULL, body TEXT NOT NULL,
      PRIMARY KEY (resource, namespace, name)
    ) WITHOUT ROWID;
    CREATE TABLE newest (version INTEGER NOT NULL);
    INSERT INTO newest VALUES (0);
    PRAGMA application_id = ${APPLICATION_ID};
    PRAGMA user_version = ${FORMAT};
    COMMIT;
  `);
}

/** SQLite's result codes, as far as a user can do something about them. */
const ADVICE: Readonly<Record<number, string>> = {
  5: "another process holds it; stop that one first",
  8: "it is read-only; make the file and its folder writable",
  11: "it is damaged; restore it from a copy, or remove it to start empty",
  13: "the disk is full; make room, then try again",
  14: "it cannot be opened; check that the folder exists and is writable",
  26: "it is not a SQLite database; choose another data directory",
};

function explain(path: string, error: Error): string {
  const code = (error as { errcode?: number }).errcode ?? 0;
  // The lower byte is the primary code; the higher bytes refine it.
  return `${path}: ${ADVICE[code & 0xff] ?? error.message}`;
}

/** The message of a failed commit, for the client. */
export function commitProblem(error: unknown): string {
  const code = (error as { errcode?: number }).errcode ?? 0;
  return `the write was not stored: ${ADVICE[code & 0xff] ?? (error as Error).message}`;
}
