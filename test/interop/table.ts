/** What a table needs while it runs. */
interface TableContext {
  readonly say: (line: string) => void;
  /** Writes what tests of the gate replay. */
  readonly isRecording: boolean;
}

/** How a table ended. */
interface TableResult {
  /** One line about what was compared. */
  readonly summary: string;
  /** What is not as expected; empty if all is well. */
  readonly problems: readonly string[];
}

/** A comparison of Capstan with programs of others. */
export interface Table {
  readonly name: string;
  /** What it compares, in a few words. */
  readonly about: string;
  /** Patterns of all files that its result depends on; it runs again when one of them changes. */
  readonly inputs: readonly string[];
  run(context: TableContext): TableResult | Promise<TableResult>;
}

/** A difference that is as it should be. */
export interface ListedDifference {
  /** What differs: a line as a table prints it. */
  readonly pattern: RegExp;
  readonly reason: string;
}

/** The lines that no listed difference explains, and the listed differences that no line has. */
export function judged(
  lines: Iterable<string>,
  listed: readonly ListedDifference[],
): { readonly unlisted: readonly string[]; readonly unseen: readonly ListedDifference[] } {
  const seen = new Set<ListedDifference>();
  const unlisted: string[] = [];
  for (const line of lines) {
    const found = listed.filter(({ pattern }) => pattern.test(line));
    for (const one of found) seen.add(one);
    if (found.length === 0) unlisted.push(line);
  }
  return { unlisted, unseen: listed.filter((one) => !seen.has(one)) };
}
