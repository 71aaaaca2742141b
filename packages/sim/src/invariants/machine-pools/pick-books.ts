import type { TraceEvent } from "../../trace/trace-event.ts";
import type { PoolBooks } from "./pool-books.ts";

/**
 * When pools have decided which of their machines go or are updated. They write it down before they do anything, and may
 * get to do it much later: when they were restarted, or refused for a while.
 */
export class PickBooks {
  readonly #books: PoolBooks;
  /** By the name of a pool and then of a machine. */
  readonly #pickedMs = new Map<string, ReadonlyMap<string, number>>();

  constructor(books: PoolBooks) {
    this.#books = books;
  }

  /** Looks at the picks of a pool after a write to it. */
  happened({ happening, atMs }: TraceEvent): void {
    if (happening.kind !== "write" || happening.resource !== "azuremachinepools") return;
    const { name } = happening;
    const { pickedForDeletion = [], pickedForUpdate = [] } = this.#books.poolNamed(name)?.pool.status ?? {};
    const known = this.#pickedMs.get(name);
    const picked = [...pickedForDeletion, ...pickedForUpdate];
    this.#pickedMs.set(name, new Map(picked.map((machine) => [machine, known?.get(machine) ?? atMs])));
  }

  /** Since when a machine of a pool is picked; never, for one that is not. */
  sinceMs(pool: string, machine: string): number {
    return this.#pickedMs.get(pool)?.get(machine) ?? Infinity;
  }
}
