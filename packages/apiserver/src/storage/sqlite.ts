import type { Env } from "@capstan/env";
import { DatabaseError, databaseProblem } from "@capstan/env/database";
import { jsonText, shareText } from "../json.ts";
import { createMemoryStorage, type MemoryStorageOptions } from "./memory.ts";
import { keyText } from "./object-key.ts";
import { restamped } from "./restamp.ts";
import { type RowChange, SqliteFile } from "./sqlite-file.ts";
import {
  type CommitListener,
  type Draft,
  type ListQuery,
  type ObjectKey,
  StaleWriteError,
  type Storage,
  type StoredEvent,
  type StoredObject,
} from "./storage.ts";

/** Where the database is. */
export interface SqliteStorageOptions extends Pick<MemoryStorageOptions, "historyLimit"> {
  readonly env: Env;
  readonly path: string;
}

/** A storage on disk that is closed when its server ends. */
export interface DurableStorage extends Storage {
  /** Writes pending changes and closes the file. */
  close(): Promise<void>;
}

/** Opens or creates the database; throws a DatabaseError with the next step if that fails. */
export function openSqliteStorage(options: SqliteStorageOptions): DurableStorage {
  return new SqliteStorage(options);
}

/** A write that waits for the next transaction. */
interface Queued {
  readonly change: RowChange;
  /** Makes the committed change visible to readers and watchers. */
  readonly publish: () => Promise<StoredObject>;
  readonly resolve: (object: Promise<StoredObject>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Objects in memory for reads, and in SQLite for persistence.
 *
 * Writes of one turn of the event loop share a transaction, and are published to readers, watchers and callers only
 * after its commit: no client ever sees a write that a power cut could undo. The check against lost updates includes
 * queued writes, because they are committed first.
 */
class SqliteStorage implements DurableStorage {
  readonly #env: Env;
  readonly #file: SqliteFile;
  readonly #memory: Storage;
  #queue: Queued[] = [];
  #queuedKeys = new Set<string>();
  #flushed: PromiseWithResolvers<void> | undefined;
  #closed = false;

  constructor({ env, path, historyLimit }: SqliteStorageOptions) {
    this.#env = env;
    this.#file = new SqliteFile(path);
    this.#memory = createMemoryStorage({
      restored: this.#file.read(),
      ...(historyLimit !== undefined && { historyLimit }),
    });
  }

  get resourceVersion(): number {
    return this.#memory.resourceVersion;
  }

  get(key: ObjectKey): StoredObject | undefined {
    return this.#memory.get(key);
  }

  list(query: ListQuery): Iterable<StoredObject> {
    return this.#memory.list(query);
  }

  count(query: ListQuery): number {
    return this.#memory.count(query);
  }

  oldestVersion(resource: string): number {
    return this.#memory.oldestVersion(resource);
  }

  nextEvent(resource: string, version: number): StoredEvent | undefined {
    return this.#memory.nextEvent(resource, version);
  }

  onCommit(resource: string, wake: () => void): () => void {
    return this.#memory.onCommit(resource, wake);
  }

  follow(listener: CommitListener): () => void {
    return this.#memory.follow(listener);
  }

  resources(): Iterable<string> {
    return this.#memory.resources();
  }

  forget(version: number): void {
    this.#memory.forget(version);
  }

  compact(version: number): void {
    this.#memory.compact(version);
  }

  async create(key: ObjectKey, draft: Draft): Promise<StoredObject> {
    const stale = this.#stale(key, undefined);
    if (stale) throw await stale;
    return this.#write(key, {
      body: (version) => stampedText(draft, version),
      publish: () => this.#memory.create(key, draft),
    });
  }

  async replace(key: ObjectKey, expected: StoredObject, draft: Draft): Promise<StoredObject> {
    const stale = this.#stale(key, expected);
    if (stale) throw await stale;
    return this.#write(key, {
      body: (version) => stampedText(draft, version),
      publish: () => this.#memory.replace(key, expected, draft),
    });
  }

  async remove(key: ObjectKey, expected: StoredObject): Promise<StoredObject> {
    const stale = this.#stale(key, expected);
    if (stale) throw await stale;
    return this.#write(key, { body: () => undefined, publish: () => this.#memory.remove(key, expected) });
  }

  async close(): Promise<void> {
    await this.#flushed?.promise;
    this.#closed = true;
    this.#file.close();
  }

  /**
   * The error for a write whose expected state is not the newest; undefined if it is. If a write is queued for the same
   * key, the caller gets the error only after that one is committed, so that its next read shows the conflict. Nothing
   * is awaited before the answer, because otherwise two writers could both pass the check.
   */
  #stale(key: ObjectKey, expected: StoredObject | undefined): Promise<StaleWriteError> | undefined {
    if (this.#queuedKeys.has(keyText(key)))
      return (this.#flushed?.promise ?? Promise.resolve()).then(() => new StaleWriteError(key));
    return this.#memory.get(key) === expected ? undefined : Promise.resolve(new StaleWriteError(key));
  }

  #write(
    key: ObjectKey,
    {
      body,
      publish,
    }: { body: (version: number) => string | undefined; publish: () => Promise<StoredObject> },
  ): Promise<StoredObject> {
    if (this.#closed) throw new DatabaseError("the storage has been closed");
    const version = this.#memory.resourceVersion + this.#queue.length + 1;
    const change: RowChange = { key, version, body: body(version) };
    this.#queuedKeys.add(keyText(key));
    if (!this.#flushed) {
      this.#flushed = Promise.withResolvers();
      this.#env.clock.timer(0, () => void this.#flush());
    }
    return new Promise((resolve, reject) => this.#queue.push({ change, publish, resolve, reject }));
  }

  async #flush(): Promise<void> {
    const [writes, flushed] = [this.#queue, this.#flushed];
    this.#queue = [];
    this.#queuedKeys = new Set();
    this.#flushed = undefined;
    try {
      this.#file.commit(writes.map(({ change }) => change));
    } catch (error) {
      const problem = new DatabaseError(`the write was not stored: ${databaseProblem(error)}`, {
        cause: error,
      });
      for (const { reject } of writes) reject(problem);
      flushed?.resolve();
      return;
    }
    // Publishing is synchronous up to the commit in memory, so the versions are in the order of the queue.
    for (const { publish, resolve, change } of writes) resolve(published(publish(), change.body));
    flushed?.resolve();
  }
}

/** The written text is also sent to readers: it is serialized once for both. */
async function published(publishing: Promise<StoredObject>, text: string | undefined): Promise<StoredObject> {
  const object = await publishing;
  if (text !== undefined) shareText(object, text);
  return object;
}

function stampedText(draft: Draft, version: number): string {
  return jsonText(restamped(draft, version));
}
