import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { RowChange } from "../core/table.ts";
import type { JournalEntry } from "../journal/journal.ts";
import { type Instance, instanceMachineId } from "../resources/scale-sets/scale-sets.ts";
import {
  type ClockedPosition,
  type Commit,
  type Position,
  REMEMBERED_ENTRIES,
  type Saved,
  type Store,
} from "./store.ts";

// Raised with every change of the contents; an older program must not touch a newer database.
const FORMAT = 3;
const FILE = "azure.db";
// "CAPZ": identifies the file to us and to file(1).
const APPLICATION_ID = 0x4341505a;

/** The database in the folder cannot be used; the message says why. */
export class AzureStoreError extends Error {
  override readonly name = "AzureStoreError";
}

/** The position of the cloud in a folder; undefined when the folder has none. */
export function savedPosition(folder: string): Position | ClockedPosition | undefined {
  if (!existsSync(join(folder, FILE))) return undefined;
  const store = openSqliteStore(folder);
  try {
    return store.load()?.position;
  } finally {
    store.close();
  }
}

/** Stores the cloud in a SQLite database in a folder. Each commit is on disk before it returns. */
export function openSqliteStore(folder: string): Store {
  mkdirSync(folder, { recursive: true });
  const database = open(join(folder, FILE));
  const put = database.prepare(
    'INSERT INTO rows ("table", "key", body) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET body = excluded.body',
  );
  const drop = database.prepare('DELETE FROM rows WHERE "table" = ? AND "key" = ?');
  const append = database.prepare("INSERT INTO journal (sequence, body) VALUES (?, ?)");
  const place = database.prepare(
    "INSERT INTO position (id, body) VALUES (1, ?) ON CONFLICT DO UPDATE SET body = excluded.body",
  );
  const write = ({ rows, journal, position }: Commit): void => {
    for (const { table, key, row } of rows) {
      if (row === undefined) drop.run(table, key);
      else put.run(table, key, JSON.stringify(row));
    }
    for (const entry of journal) append.run(entry.sequence, JSON.stringify(entry));
    place.run(JSON.stringify(position));
  };
  return {
    load: () => saved(database),
    commit: (commit) => inTransaction(database, () => write(commit)),
    journal: (last) => journalOf(database, last),
    close: () => database.close(),
  };
}

function open(path: string): DatabaseSync {
  try {
    const database = new DatabaseSync(path);
    // Two simulators on one file would overwrite each other's rows.
    database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    const { user_version: format } = database.prepare("PRAGMA user_version").get() as {
      user_version: number;
    };
    if (format > FORMAT) {
      database.close();
      throw new AzureStoreError(
        `${path} was written by a newer Capstan (format ${format}, this one knows ${FORMAT}); use that one, or another folder`,
      );
    }
    if (format === 0) createTables(database);
    else if (format < FORMAT) upgrade(database);
    return database;
  } catch (error) {
    if (error instanceof AzureStoreError) throw error;
    throw new AzureStoreError(`${path} cannot be opened: ${(error as Error).message}`, { cause: error });
  }
}

function createTables(database: DatabaseSync): void {
  database.exec(`
    BEGIN;
    CREATE TABLE rows ("table" TEXT NOT NULL, "key" TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY ("table", "key")) WITHOUT ROWID;
    CREATE TABLE journal (sequence INTEGER PRIMARY KEY, body TEXT NOT NULL);
    CREATE TABLE position (id INTEGER PRIMARY KEY, body TEXT NOT NULL);
    PRAGMA application_id = ${APPLICATION_ID};
    PRAGMA user_version = ${FORMAT};
    COMMIT;
  `);
}

/**
 * Upgrades a database of an older format. Format 2 changed the position; an old one stays until the next commit. Format 3
 * keys instances and their disks by machine id; before, the key was `SET/INSTANCE`.
 */
function upgrade(database: DatabaseSync): void {
  const instances = database.prepare('SELECT "key", body FROM rows WHERE "table" = \'instance\'').all();
  const move = database.prepare('UPDATE OR REPLACE rows SET "key" = ? WHERE "table" = ? AND "key" = ?');
  const write = database.prepare('UPDATE rows SET body = ? WHERE "table" = \'instance\' AND "key" = ?');
  inTransaction(database, () => {
    for (const { key, body } of instances as { key: string; body: string }[]) {
      const instance = JSON.parse(body) as Instance;
      const machineId = instanceMachineId(instance.set, instance.id);
      move.run(machineId, "instance", key);
      move.run(machineId, "disk", key);
      write.run(JSON.stringify({ ...instance, machineId }), machineId);
    }
    database.exec(`PRAGMA user_version = ${FORMAT}`);
  });
}

function inTransaction(database: DatabaseSync, work: () => void): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    work();
    database.exec("COMMIT");
  } catch (error) {
    // SQLite rolls back by itself after some errors, such as a full disk.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function saved(database: DatabaseSync): Saved | undefined {
  const row = database.prepare("SELECT body FROM position").get() as { body: string } | undefined;
  if (!row) return undefined;
  return {
    position: JSON.parse(row.body) as Position,
    rows: rowsOf(database),
    journal: journalOf(database, REMEMBERED_ENTRIES),
  };
}

function* rowsOf(database: DatabaseSync): Generator<RowChange> {
  const rows = database.prepare('SELECT "table", "key", body FROM rows').iterate();
  for (const { table, key, body } of rows as Iterable<{ table: string; key: string; body: string }>) {
    yield { table, key, row: JSON.parse(body) as unknown };
  }
}

function* journalOf(database: DatabaseSync, last = Number.MAX_SAFE_INTEGER): Generator<JournalEntry> {
  const rows = database
    .prepare(
      "SELECT body FROM (SELECT sequence, body FROM journal ORDER BY sequence DESC LIMIT ?) ORDER BY sequence",
    )
    .iterate(last);
  for (const { body } of rows as Iterable<{ body: string }>) yield JSON.parse(body) as JournalEntry;
}
