import type { JournalEntry } from "../journal/journal.ts";
import { type Position, REMEMBERED_ENTRIES, type Store } from "./store.ts";

/** Keeps the cloud as text in memory: it survives a new simulator in the same process. */
export function createMemoryStore(): Store {
  const rows = new Map<string, { table: string; key: string; text: string }>();
  const journal: JournalEntry[] = [];
  let position: Position | undefined;
  return {
    load: () =>
      position && {
        position,
        rows: [...rows.values()].map(({ table, key, text }) => ({
          table,
          key,
          row: JSON.parse(text) as unknown,
        })),
        journal: journal.slice(-REMEMBERED_ENTRIES),
      },
    commit: (commit) => {
      for (const { table, key, row } of commit.rows) {
        const name = `${table}|${key}`;
        if (row === undefined) rows.delete(name);
        else rows.set(name, { table, key, text: JSON.stringify(row) });
      }
      journal.push(...commit.journal);
      position = commit.position;
    },
    journal: (last = journal.length) => journal.slice(journal.length - last),
    close: () => undefined,
  };
}
