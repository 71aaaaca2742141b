/** One change of a table, as a store keeps it: the row's new value, or undefined when it goes. */
export interface RowChange {
  readonly table: string;
  readonly key: string;
  readonly row: unknown;
}

/** Rows by key that remember which of them a store has not seen yet. Rows are data: what JSON can hold. */
export class Table<Row> {
  readonly name: string;
  readonly #rows = new Map<string, Row>();
  readonly #changed: Set<string> | undefined;

  /** Without a store nobody takes the changes, so they are not noted. */
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

  /** Puts a row, or says that the row there has changed. */
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

  /** A row as a store gave it back. */
  restore(key: string, row: unknown): void {
    this.#rows.set(key, row as Row);
  }

  /** What has changed since the last time. */
  *takeChanges(): Generator<RowChange> {
    if (!this.#changed) return;
    for (const key of this.#changed) yield { table: this.name, key, row: this.#rows.get(key) };
    this.#changed.clear();
  }
}
