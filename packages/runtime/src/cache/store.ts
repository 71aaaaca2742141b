import type { Frozen, KubernetesObject } from "@capstan/api";

/** Returns the values under which an index has an object. */
export type IndexFunction<T> = (object: Frozen<T>) => readonly string[];

interface Index<T> {
  readonly valuesOf: IndexFunction<T>;
  readonly found: Map<string, Entries<T>>;
}

/** The live index entry of one value, as long as it has objects: a frequent caller need not look it up again. */
export interface Found<T> {
  readonly list: readonly Frozen<T>[];
  /** The entry is empty and ended; later objects under the value get a new entry. */
  readonly isOver: boolean;
}

class Entries<T> implements Found<T> {
  readonly #byKey = new Map<string, Frozen<T>>();
  /** Cached until one of them changes: passes over a pool read the same thousand objects repeatedly. */
  #list: readonly Frozen<T>[] | undefined;

  get list(): readonly Frozen<T>[] {
    return (this.#list ??= [...this.#byKey.values()]);
  }

  get isOver(): boolean {
    return this.#byKey.size === 0;
  }

  put(key: string, object: Frozen<T>): void {
    this.#byKey.set(key, object);
    this.#list = undefined;
  }

  delete(key: string): void {
    this.#byKey.delete(key);
    this.#list = undefined;
  }
}

/** `namespace/name`, or the name alone for cluster-scoped objects: how the store and the queues name an object. */
export function keyOf(object: {
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
}): string {
  const { name, namespace } = object.metadata;
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** Objects of one kind by key, with indexes that follow every change. */
export class IndexedStore<T extends KubernetesObject> {
  readonly #objects = new Map<string, Frozen<T>>();
  readonly #indexes = new Map<string, Index<T>>();
  readonly #onBug: (error: unknown) => void;

  /** `onBug` gets every exception of an index function; the object is then in the store but not in that index. */
  constructor(onBug: (error: unknown) => void) {
    this.#onBug = onBug;
  }

  get size(): number {
    return this.#objects.size;
  }

  /** Adds an index over existing and future objects; the same name again keeps the first function. */
  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    if (this.#indexes.has(name)) return;
    const index: Index<T> = { valuesOf: this.#guarded(valuesOf), found: new Map() };
    this.#indexes.set(name, index);
    for (const [key, object] of this.#objects) enter(index, key, { values: index.valuesOf(object), object });
  }

  get(key: string): Frozen<T> | undefined {
    return this.#objects.get(key);
  }

  /** All objects, in no particular order. */
  all(): Frozen<T>[] {
    return [...this.#objects.values()];
  }

  keys(): IterableIterator<string> {
    return this.#objects.keys();
  }

  /** The objects that the index holds under the value. */
  byIndex(name: string, value: string): readonly Frozen<T>[] {
    return this.found(name, value)?.list ?? [];
  }

  /** The live entry of a value; undefined when it has no objects. */
  found(name: string, value: string): Found<T> | undefined {
    const index = this.#indexes.get(name);
    if (!index)
      throw new TypeError(
        `no index ${JSON.stringify(name)}; the store has ${[...this.#indexes.keys()].join(", ")}`,
      );
    return index.found.get(value);
  }

  /** Stores the object and returns the one it replaces. */
  put(key: string, object: Frozen<T>): Frozen<T> | undefined {
    const previous = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const index of this.#indexes.values()) {
      if (previous) move(index, key, { previous, object });
      else enter(index, key, { values: index.valuesOf(object), object });
    }
    return previous;
  }

  /** Removes the object and returns it. */
  delete(key: string): Frozen<T> | undefined {
    const previous = this.#objects.get(key);
    if (!previous) return undefined;
    this.#objects.delete(key);
    for (const index of this.#indexes.values()) leave(index, key, index.valuesOf(previous));
    return previous;
  }

  #guarded(valuesOf: IndexFunction<T>): IndexFunction<T> {
    return (object) => {
      try {
        return valuesOf(object);
      } catch (error) {
        this.#onBug(error);
        return [];
      }
    };
  }
}

/** Most changes leave an object at its values; then it only replaces the previous one. */
function move<T>(
  index: Index<T>,
  key: string,
  { previous, object }: { previous: Frozen<T>; object: Frozen<T> },
): void {
  const [from, to] = [index.valuesOf(previous), index.valuesOf(object)];
  const stays = from.length === to.length && from.every((value, position) => value === to[position]);
  if (!stays) leave(index, key, from);
  enter(index, key, { values: to, object });
}

function enter<T>(
  index: Index<T>,
  key: string,
  { values, object }: { readonly values: readonly string[]; readonly object: Frozen<T> },
): void {
  for (const value of values) {
    const found = index.found.get(value) ?? new Entries<T>();
    if (found.isOver) index.found.set(value, found);
    found.put(key, object);
  }
}

function leave<T>(index: Index<T>, key: string, values: readonly string[]): void {
  for (const value of values) {
    const found = index.found.get(value);
    found?.delete(key);
    if (found?.isOver === true) index.found.delete(value);
  }
}
