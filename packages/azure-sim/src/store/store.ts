import type { RowChange } from "../core/table.ts";
import type { JournalEntry } from "../journal/journal.ts";

/** What is kept beside the rows: where the run stands. */
export interface Position {
  readonly seed: string;
  /** The time of the cloud at the last commit. */
  readonly simMs: number;
  readonly journalCount: number;
  readonly journalHash: string;
}

/** A position of format 1, when the cloud had a clock of its own: the machine's time at the last commit, and its speed. */
export interface ClockedPosition extends Position {
  readonly wallMs: number;
  readonly speed: number;
}

/** Everything that changed since the last commit; all of it is kept, or nothing. */
export interface Commit {
  readonly rows: readonly RowChange[];
  readonly journal: readonly JournalEntry[];
  readonly position: Position;
}

/** What an earlier process has left. */
export interface Saved {
  readonly position: Position;
  readonly rows: Iterable<RowChange>;
  /** The last entries of the journal. */
  readonly journal: Iterable<JournalEntry>;
}

/** As many entries of the journal come back after a restart; the store has all of them. */
export const REMEMBERED_ENTRIES = 1000;

/** Where the simulated cloud is kept. */
export interface Store {
  /** What is there; undefined the first time. */
  load(): Saved | undefined;
  /** Keeps the changes: when this returns they survive the end of the process. */
  commit(commit: Commit): void;
  /** The journal, oldest entry first: all of it, or so many of the last ones. */
  journal(last?: number): Iterable<JournalEntry>;
  close(): void;
}
