import type { JournalEntry } from "@capstan/azure-sim";
import { type ControlClient, type SimulatorAddress, withControl } from "../azure/control-client.ts";
import { EXIT } from "../exit-codes.ts";
import { row, table } from "../render/table.ts";
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
    else
      shell.out.write(
        table(
          headings(options),
          entries.map((entry) => cells(entry, options)),
        ),
      );
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
  let { last } = options;
  if (!isJson) out.write(row(headings(options), WIDTHS));
  for (let { entries } = options; ; entries = await control.journal(last)) {
    for (const entry of entries)
      out.write(isJson ? `${JSON.stringify(entry)}\n` : row(cells(entry, options), WIDTHS));
    last = entries.at(-1)?.sequence ?? last;
    try {
      await env.clock.sleep(JOURNAL_POLL_MS, stop);
    } catch (error) {
      if (stop.aborted) return;
      throw error;
    }
  }
}

// Lines are printed before the next ones are known, so column widths are fixed; a GUID has 36 characters.
const WIDTHS: readonly number[] = [24, 6, 48, 6, 28, 6, 36];

function headings({ output }: SimJournalOptions): string[] {
  const always = ["TIME", "METHOD", "OPERATION", "STATUS", "CODE", "CHARGE", "PRINCIPAL"];
  return output === "wide" ? [...always, "PATH"] : always;
}

function cells(entry: JournalEntry, { output }: SimJournalOptions): string[] {
  const { atMs, method, operation, status, code = "", charge, principal, path } = entry;
  const time = new Date(atMs).toISOString();
  const always = [
    time,
    method,
    operation,
    String(status),
    code,
    charge === undefined ? "" : String(charge),
    principal,
  ];
  return output === "wide" ? [...always, path] : always;
}
