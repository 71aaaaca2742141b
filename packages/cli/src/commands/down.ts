import { existsSync } from "node:fs";
import { CommandError } from "../command-error.ts";
import { removeContents } from "../data-directory/contents.ts";
import { isOurs, refuseForeign } from "../data-directory/data-directory.ts";
import { describeHolder, type Holder, holderOf } from "../data-directory/holder.ts";
import { takeLock } from "../data-directory/lock.ts";
import { EXIT } from "../exit-codes.ts";
import type { Shell } from "../shell.ts";

/** What to stop, and whether to keep what it wrote. */
export interface DownOptions {
  readonly dataDir: string;
  readonly purge: boolean;
}

// Closing files and connections takes far less than a second; whoever needs longer hangs.
const STOPPED_WITHIN_MS = 15_000;
const EXIT_POLL_MS = 50;

/** `capstan down`: stops what runs in a data directory, and removes the directory when asked. */
export async function down(shell: Shell, { dataDir, purge }: DownOptions): Promise<number> {
  if (existsSync(dataDir)) isOurs(dataDir);
  const holder = await stop(shell, dataDir);
  shell.out.write(holder ? `stopped ${describeHolder(holder)}\n` : `nothing is running in ${dataDir}\n`);
  if (purge) shell.out.write(`${removeAll(dataDir)}\n`);
  return EXIT.done;
}

/** Asks the holder to end and waits until it has; undefined when there is none. */
async function stop(shell: Shell, dataDir: string): Promise<Holder | undefined> {
  const { clock } = shell.env;
  const deadlineMs = clock.monotonic() + STOPPED_WITHIN_MS;
  let asked: Holder | undefined;
  for (let holder = holderOf(dataDir); holder; holder = holderOf(dataDir)) {
    if (holder !== "unknown" && holder.pid !== asked?.pid) {
      asked = holder;
      ask(shell, holder);
    }
    if (clock.monotonic() > deadlineMs) {
      const what = asked ? `pid ${asked.pid}` : "the process that holds it";
      const how = asked ? `; end it with: kill -9 ${asked.pid}` : "";
      throw new CommandError(`${dataDir}: ${what} has not stopped within 15 s${how}`);
    }
    await clock.sleep(EXIT_POLL_MS);
  }
  return asked;
}

function ask(shell: Shell, holder: Holder): void {
  try {
    shell.terminate(holder.pid);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // It has ended by itself since we looked.
    if (code === "ESRCH") return;
    throw new CommandError(`pid ${holder.pid} cannot be stopped by you (${code}); ask whoever started it`);
  }
}

function removeAll(dataDir: string): string {
  if (!existsSync(dataDir)) return `nothing is kept in ${dataDir}`;
  refuseForeign(dataDir, "move them away first");
  // With the lock in hand nobody starts while the files go; it goes with them.
  const release = takeLock(dataDir);
  if (!release) throw new CommandError(`${dataDir} has just been taken by another process; try again`);
  try {
    removeContents(dataDir);
  } finally {
    release();
  }
  return `removed ${dataDir}`;
}
