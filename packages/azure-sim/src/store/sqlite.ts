import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { closeDatabase, type DatabaseFormat, inTransaction, openDatabase } from "@capstan/env/database";
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

const FILE = "azure.db";
const FORMAT: DatabaseFormat = {
  format: 3,
  applicationID: "CAPZ",
  tables: `
    CREATE TABLE rows ("table" TEXT NOT NULL, "key" TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY ("table", "key")) WITHOUT ROWID;
    CREATE TABLE journal (sequence INTEGER PRIMARY KEY, body TEXT NOT NULL);
    CREATE TABLE position (id INTEGER PRIMARY KEY, body TEXT NOT NULL)`,
  upgrade,
};

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
  const database = openDatabase(join(folder, FILE), FORMAT);
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
    close: () => closeDatabase(database),
  };
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
    database.exec(`PRAGMA user_version = ${FORMAT.format}`);
  });
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
