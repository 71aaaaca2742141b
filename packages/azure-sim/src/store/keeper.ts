import type { Core } from "../core/core.ts";
import type { RowChange } from "../core/table.ts";
import { tablesOf } from "../core/azure-state.ts";
import type { JournalEntry } from "../journal/journal.ts";
import type { Store } from "./store.ts";

/** Writes changes of the cloud to its store; concurrent requests share one transaction. */
export class Keeper {
  readonly #core: Core;
  readonly #store: Store | undefined;
  #rows: RowChange[] = [];
  #journal: JournalEntry[] = [];
  #pending: Promise<void> | undefined;

  constructor(core: Core, store: Store | undefined) {
    this.#core = core;
    this.#store = store;
  }

  /** Resolves when all changes so far are stored. */
  keep(): Promise<void> {
    if (!this.#store) return DONE;
    this.#pending ??= Promise.resolve().then(() => {
      this.#pending = undefined;
      this.flush();
    });
    return this.#pending;
  }

  /** Stores all changes now. The next commit retries those of a failed one. */
  flush(): void {
    const store = this.#store;
    if (!store) return;
    const { world, journal } = this.#core;
    for (const table of tablesOf(world)) this.#rows.push(...table.takeChanges());
    this.#journal.push(...journal.takeUnsaved());
    store.commit({
      rows: this.#rows,
      journal: this.#journal,
      position: {
        seed: world.seed,
        simMs: world.nowMs,
        journalCount: journal.count,
        journalHash: journal.hash,
      },
    });
    this.#rows = [];
    this.#journal = [];
  }
}

const DONE = Promise.resolve();
