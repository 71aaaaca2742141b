import { deepFreeze } from "@capstan/api";
import { History, HISTORY_LIMIT } from "./history.ts";
import { restamped } from "./restamp.ts";
import { SortedMap } from "./sorted-map.ts";
import { Unread } from "./unread.ts";
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

/** How a memory store differs from the default. */
export interface MemoryStorageOptions {
  /** How many changes of each resource are kept. */
  readonly historyLimit?: number;
  /** The state of an earlier process: its newest version and its objects. */
  readonly restored?: Restored;
}

/** The contents of a storage at one version. There is no history before it. */
export interface Restored {
  readonly version: number;
  readonly objects: Iterable<readonly [ObjectKey, Unread]>;
}

/** The effect of a commit on an object. */
interface Change {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly previous?: StoredObject;
}

/** A storage in memory: for simulations and tests. */
export function createMemoryStorage(options: MemoryStorageOptions = {}): Storage {
  return new MemoryStorage(options.historyLimit ?? HISTORY_LIMIT, options.restored);
}

/**
 * An entry of a table: an object, or the text to parse it from. Parsing 30,000 objects at the start would take seconds.
 */
type Entry = StoredObject | Unread;

interface Table {
  readonly objects: SortedMap<Entry>;
  readonly history: History;
  /** Watches that have read everything; each is woken once and registers again. */
  waiting: Set<() => void>;
}

class MemoryStorage implements Storage {
  readonly #tables = new Map<string, Table>();
  readonly #historyLimit: number;
  readonly #followers = new Set<CommitListener>();
  #version = 0;
  #compacted = 0;

  constructor(historyLimit: number, restored?: Restored) {
    this.#historyLimit = historyLimit;
    if (!restored) return;
    this.#version = restored.version;
    this.#compacted = restored.version;
    for (const [key, object] of restored.objects)
      this.#table(key.resource).objects.set(position(key), object);
  }

  get resourceVersion(): number {
    return this.#version;
  }

  get(key: ObjectKey): StoredObject | undefined {
    const { objects } = this.#table(key.resource);
    const place = position(key);
    const entry = objects.get(place);
    return entry && read(objects, place, entry);
  }

  list(query: ListQuery): Iterable<StoredObject> {
    const { objects } = this.#table(query.resource);
    const current = readRange(objects, query);
    const undone = this.#undone(query);
    return undone ? overlaid(current, undone.range(...bounds(query))) : values(current);
  }

  count(query: ListQuery): number {
    const { objects } = this.#table(query.resource);
    let count = objects.countRange(...bounds(query));
    for (const [key, then] of this.#undone(query)?.range(...bounds(query)) ?? []) {
      count += Number(then !== undefined) - Number(objects.get(key) !== undefined);
    }
    return count;
  }

  async create(key: ObjectKey, draft: Draft): Promise<StoredObject> {
    if (this.get(key)) throw new StaleWriteError(key);
    return this.#commit(key, stamp(draft, this.#version + 1), { type: "ADDED" });
  }

  async replace(key: ObjectKey, expected: StoredObject, draft: Draft): Promise<StoredObject> {
    this.#expect(key, expected);
    return this.#commit(key, stamp(draft, this.#version + 1), { type: "MODIFIED", previous: expected });
  }

  async remove(key: ObjectKey, expected: StoredObject): Promise<StoredObject> {
    this.#expect(key, expected);
    return this.#commit(key, restamped(expected, this.#version + 1), { type: "DELETED", previous: expected });
  }

  oldestVersion(resource: string): number {
    return this.#table(resource).history.oldestVersion;
  }

  nextEvent(resource: string, version: number): StoredEvent | undefined {
    return this.#table(resource).history.next(version);
  }

  onCommit(resource: string, wake: () => void): () => void {
    const table = this.#table(resource);
    table.waiting.add(wake);
    return () => table.waiting.delete(wake);
  }

  follow(listener: CommitListener): () => void {
    this.#followers.add(listener);
    return () => this.#followers.delete(listener);
  }

  resources(): Iterable<string> {
    return this.#tables.keys();
  }

  forget(version: number): void {
    for (const { history } of this.#tables.values()) history.forget(version);
  }

  compact(version: number): void {
    this.#compacted = Math.max(this.#compacted, version);
    for (const { history } of this.#tables.values()) history.compact(version);
  }

  /**
   * For each key that changed since the requested version, the object at that version; undefined if nothing changed.
   */
  #undone({ resource, at }: ListQuery): SortedMap<StoredObject | undefined> | undefined {
    if (at === undefined || at >= this.#version) return undefined;
    const undone = new SortedMap<StoredObject | undefined>();
    for (const event of this.#table(resource).history.back(at)) undone.set(event.key, event.previous);
    return undone;
  }

  #expect(key: ObjectKey, expected: StoredObject): void {
    // Stored objects are immutable, so identical objects have the same version.
    if (this.get(key) !== expected) throw new StaleWriteError(key);
  }

  #commit(key: ObjectKey, object: StoredObject, { type, previous }: Change): StoredObject {
    const table = this.#table(key.resource);
    const place = position(key);
    this.#version++;
    if (type === "DELETED") table.objects.delete(place);
    else table.objects.set(place, object);
    const event: StoredEvent = {
      resourceVersion: this.#version,
      key: place,
      namespace: key.namespace,
      object,
      previous,
      line: Object.freeze({ type, object }),
    };
    table.history.append(event);
    for (const follower of this.#followers) follower(key.resource, event);
    const { waiting } = table;
    if (waiting.size > 0) {
      table.waiting = new Set();
      for (const wake of waiting) wake();
    }
    return object;
  }

  #table(resource: string): Table {
    const known = this.#tables.get(resource);
    if (known) return known;
    // This resource has not changed yet: its history is complete.
    const created = {
      objects: new SortedMap<Entry>(),
      history: new History(this.#compacted, this.#historyLimit),
      waiting: new Set<() => void>(),
    };
    this.#tables.set(resource, created);
    return created;
  }
}

function position({ namespace, name }: ObjectKey): string {
  return `${namespace}/${name}`;
}

/** All keys of a namespace lie between `ns/` and `ns0`, because `0` follows `/`. */
function bounds({ namespace, after }: ListQuery): [string, string] {
  const [first, below] = namespace === undefined ? ["", "\uffff"] : [`${namespace}/`, `${namespace}0`];
  // The smallest key after another one is that key with a NUL behind it.
  return [after === undefined ? first : `${after}\u0000`, below];
}

function stamp(draft: Draft, version: number): StoredObject {
  draft.metadata = { ...draft.metadata, resourceVersion: String(version) };
  // Frozen parts come from the storage, and are frozen at every depth.
  for (const part of Object.values(draft)) if (!Object.isFrozen(part)) deepFreeze(part);
  return Object.freeze(draft);
}

/** Parses the object of an entry, and replaces the entry by it. */
function read(objects: SortedMap<Entry>, place: string, entry: Entry): StoredObject {
  if (!(entry instanceof Unread)) return entry;
  const object = entry.read();
  objects.set(place, object);
  return object;
}

function* readRange(objects: SortedMap<Entry>, query: ListQuery): Generator<readonly [string, StoredObject]> {
  const { mentioning } = query;
  for (const [place, entry] of objects.range(...bounds(query))) {
    if (mentioning !== undefined && entry instanceof Unread && !entry.mentions(mentioning)) continue;
    yield [place, read(objects, place, entry)];
  }
}

function* values(entries: Iterable<readonly [string, StoredObject]>): Generator<StoredObject> {
  for (const [, object] of entries) yield object;
}

/** Merges two sorted ranges: the overlay wins; undefined there means that the key did not exist. */
function* overlaid(
  base: Generator<readonly [string, StoredObject]>,
  overlay: Generator<readonly [string, StoredObject | undefined]>,
): Generator<StoredObject> {
  let left = base.next();
  let right = overlay.next();
  while (!left.done || !right.done) {
    const fromOverlay = !right.done && (left.done || right.value[0] <= left.value[0]);
    if (!fromOverlay) {
      if (!left.done) yield left.value[1];
      left = base.next();
      continue;
    }
    const [key, object] = right.value as readonly [string, StoredObject | undefined];
    if (object) yield object;
    if (!left.done && left.value[0] === key) left = base.next();
    right = overlay.next();
  }
}
