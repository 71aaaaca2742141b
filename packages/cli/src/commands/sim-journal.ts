import type { JournalEntry } from "@capstan/azure-sim";
import { type ControlClient, type SimulatorAddress, withControl } from "../azure/control-client.ts";
import { EXIT } from "../exit-codes.ts";
import { row, table } from "../render/table.ts";
import { widthFor } from "../render/width.ts";
import type { Shell } from "../shell.ts";

/** Which simulator, and how much of its journal. */
export interface SimJournalOptions {
  readonly address: SimulatorAddress;
  /** How many of the last requests to print. */
  readonly limit: number;
  /** Keeps printing new requests. */
  readonly follow: boolean;
  readonly output: "json" | "wide" | undefined;
}

// Fast enough for a user who watches, and cheap for the simulator.
const JOURNAL_POLL_MS = 500;

/** `capstan sim journal`: the requests that the simulated Azure has answered. */
export async function simJournal(shell: Shell, options: SimJournalOptions): Promise<number> {
  return withControl(options.address, async (control) => {
    const all = await control.journal(0);
    const entries = all.slice(Math.max(0, all.length - options.limit));
    const last = all.at(-1)?.sequence ?? 0;
    if (options.follow) await follow(shell, control, { ...options, entries, last });
    else if (options.output === "json") shell.out.write(`${JSON.stringify(entries, undefined, 2)}\n`);
    else {
      const form = formFor(shell, options);
      shell.out.write(
        table(
          form.map(({ heading }) => heading),
          entries.map((entry) => form.map(({ cell }) => cell(entry))),
        ),
      );
    }
    return EXIT.done;
  });
}

/** The entries to print first, and the number of the last one. */
type Follow = SimJournalOptions & { readonly entries: readonly JournalEntry[]; readonly last: number };

/** Prints the entries and then new ones, line by line, until Ctrl-C. */
async function follow(shell: Shell, control: ControlClient, options: Follow): Promise<void> {
  const { env, out } = shell;
  const stop = shell.stopSignal();
  const isJson = options.output === "json";
  const form = formFor(shell, options);
  // Lines are printed before the next ones are known, so column widths are fixed.
  const widths = form.map(({ width }) => width);
  let { last } = options;
  const headings = form.map(({ heading }) => heading);
  if (!isJson) out.write(row(headings, widths));
  for (let { entries } = options; ; entries = await control.journal(last)) {
    for (const entry of entries) {
      const cells = form.map(({ cell }) => cell(entry));
      out.write(isJson ? `${JSON.stringify(entry)}\n` : row(cells, widths));
    }
    last = entries.at(-1)?.sequence ?? last;
    try {
      await env.clock.sleep(JOURNAL_POLL_MS, stop);
    } catch (error) {
      if (stop.aborted) return;
      throw error;
    }
  }
}

/** A column of the journal. */
interface Column {
  readonly heading: string;
  readonly width: number;
  readonly cell: (entry: JournalEntry) => string;
}

const TIME_OF_DAY = /T(\d\d:\d\d:\d\d)/;
const CODE: Column = { heading: "CODE", width: 28, cell: ({ code = "" }) => code };
const PATH: Column = { heading: "PATH", width: 0, cell: ({ path }) => path };
const SHORT: readonly Column[] = [
  {
    heading: "TIME",
    width: 8,
    cell: ({ atMs }) => TIME_OF_DAY.exec(new Date(atMs).toISOString())?.[1] ?? "",
  },
  { heading: "OPERATION", width: 44, cell: ({ operation }) => operation },
  { heading: "STATUS", width: 6, cell: ({ status }) => String(status) },
  CODE,
];
const FULL: readonly Column[] = [
  { heading: "TIME", width: 24, cell: ({ atMs }) => new Date(atMs).toISOString() },
  { heading: "METHOD", width: 6, cell: ({ method }) => method },
  { heading: "OPERATION", width: 48, cell: ({ operation }) => operation },
  { heading: "STATUS", width: 6, cell: ({ status }) => String(status) },
  CODE,
  {
    heading: "CHARGE",
    width: 6,
    cell: ({ charge }) => (charge === undefined ? "" : String(charge)),
  },
  // A GUID has 36 characters.
  { heading: "PRINCIPAL", width: 36, cell: ({ principal }) => principal },
];
// The widths of all columns, and three spaces between two of them.
const FULL_WIDTH = FULL.reduce((total, { width }) => total + width + 3, -3);

/** All columns where there is space for them; in a narrow window those that tell what happened. */
function formFor(shell: Shell, { output }: SimJournalOptions): readonly Column[] {
  if (output === "wide") return [...FULL, PATH];
  return widthFor(shell) < FULL_WIDTH ? SHORT : FULL;
}
