import type { DatabaseSync, StatementSync } from "node:sqlite";
import { closeDatabase, type DatabaseFormat, inTransaction, openDatabase } from "@capstan/env/database";
import type { Restored } from "./memory.ts";
import type { ObjectKey } from "./storage.ts";
import { Unread } from "./unread.ts";

/** One change to write: the object's new text, or undefined for a deletion. */
export interface RowChange {
  readonly key: ObjectKey;
  readonly version: number;
  readonly body: string | undefined;
}

const FORMAT: DatabaseFormat = {
  format: 1,
  applicationID: "CAPS",
  tables: `
    CREATE TABLE objects (
      resource TEXT NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL, version INTEGER NOT NULL, body TEXT NOT NULL,
      PRIMARY KEY (resource, namespace, name)
    ) WITHOUT ROWID;
    CREATE TABLE newest (version INTEGER NOT NULL);
    INSERT INTO newest VALUES (0)`,
};

/** A SQLite database of objects: written in transactions, each safe on disk before it is answered. */
export class SqliteFile {
  readonly #database: DatabaseSync;
  readonly #put: StatementSync;
  readonly #drop: StatementSync;
  readonly #setVersion: StatementSync;

  constructor(path: string) {
    this.#database = openDatabase(path, FORMAT);
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
    inTransaction(this.#database, () => {
      for (const { key, version, body } of changes) {
        if (body === undefined) this.#drop.run(key.resource, key.namespace, key.name);
        else this.#put.run(key.resource, key.namespace, key.name, version, body);
      }
      this.#setVersion.run(changes.at(-1)?.version ?? 0);
    });
  }

  close(): void {
    closeDatabase(this.#database);
  }

  *#objects(): Generator<readonly [ObjectKey, Unread]> {
    const rows = this.#database.prepare("SELECT resource, namespace, name, body FROM objects").iterate();
    for (const { body, ...key } of rows as Iterable<ObjectKey & { body: string }>) {
      yield [key, new Unread(body)];
    }
  }
}
