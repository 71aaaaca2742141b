/** One change of a table for the store: the row's new value, or undefined when it was deleted. */
export interface RowChange {
  readonly table: string;
  readonly key: string;
  readonly row: unknown;
}

/** Rows by key that track which changes the store has not seen. Rows are JSON data. */
export class Table<Row> {
  readonly name: string;
  readonly #rows = new Map<string, Row>();
  readonly #changed: Set<string> | undefined;

  /** Without a store, changes are not tracked: no reader would clear them. */
  constructor(name: string, isStored: boolean) {
    this.name = name;
    this.#changed = isStored ? new Set() : undefined;
  }

  get size(): number {
    return this.#rows.size;
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key);
  }

  /** Puts a row, or marks the row with that key as changed. */
  set(key: string, row: Row): void {
    this.#rows.set(key, row);
    this.#changed?.add(key);
  }

  delete(key: string): void {
    if (this.#rows.delete(key)) this.#changed?.add(key);
  }

  entries(): IterableIterator<[string, Row]> {
    return this.#rows.entries();
  }

  /** Puts a row that a store restored. */
  restore(key: string, row: unknown): void {
    this.#rows.set(key, row as Row);
  }

  /** Yields the changes since the last call. */
  *takeChanges(): Generator<RowChange> {
    if (!this.#changed) return;
    for (const key of this.#changed) yield { table: this.name, key, row: this.#rows.get(key) };
    this.#changed.clear();
  }
}
