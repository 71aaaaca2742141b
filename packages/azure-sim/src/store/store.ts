import type { RowChange } from "../core/table.ts";
import type { JournalEntry } from "../journal/journal.ts";

/** The position of a run, stored besides the rows. */
export interface Position {
  readonly seed: string;
  /** The cloud's time at the last commit. */
  readonly simMs: number;
  readonly journalCount: number;
  readonly journalHash: string;
}

/** A position of format 1, when the cloud had its own clock: the wall-clock time at the last commit, and the speed. */
export interface ClockedPosition extends Position {
  readonly wallMs: number;
  readonly speed: number;
}

/** All changes since the last commit; the store writes all of them or none. */
export interface Commit {
  readonly rows: readonly RowChange[];
  readonly journal: readonly JournalEntry[];
  readonly position: Position;
}

/** What an earlier process has stored. */
export interface Saved {
  readonly position: Position;
  readonly rows: Iterable<RowChange>;
  /** The last entries of the journal. */
  readonly journal: Iterable<JournalEntry>;
}

/** How many journal entries a restart restores; the store has all of them. */
export const REMEMBERED_ENTRIES = 1000;

/** Where the simulated cloud is stored. */
export interface Store {
  /** The stored cloud; undefined for a new store. */
  load(): Saved | undefined;
  /** Stores the changes: they survive the end of the process when this returns. */
  commit(commit: Commit): void;
  /** The journal, oldest entry first: all of it, or the last so many. */
  journal(last?: number): Iterable<JournalEntry>;
  close(): void;
}
