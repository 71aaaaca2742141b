import { existsSync } from "node:fs";
import { CommandError } from "../command-error.ts";
import { removeContents } from "../data-directory/contents.ts";
import { isOurs, refuseForeign } from "../data-directory/data-directory.ts";
import { describeHolder, type Holder, holderOf } from "../data-directory/holder.ts";
import { takeLock } from "../data-directory/lock.ts";
import { EXIT } from "../exit-codes.ts";
import type { Shell } from "../shell.ts";

/** What to stop, and whether to delete its data. */
export interface DownOptions {
  readonly dataDir: string;
  readonly purge: boolean;
}

// Closing files and connections takes far less than a second; a process that needs longer hangs.
const STOPPED_WITHIN_MS = 15_000;
const EXIT_POLL_MS = 50;

/** `capstan down`: stops the process that holds a data directory, and removes the directory with `--purge`. */
export async function down(shell: Shell, { dataDir, purge }: DownOptions): Promise<number> {
  if (existsSync(dataDir)) isOurs(dataDir);
  const holder = await stop(shell, dataDir);
  shell.out.write(holder ? `stopped ${describeHolder(holder)}\n` : `nothing is running in ${dataDir}\n`);
  if (purge) shell.out.write(`${removeAll(dataDir)}\n`);
  return EXIT.done;
}

/** Asks the process that holds the directory to exit and waits until it has; undefined if there is none. */
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
    // The process has exited since we read its pid.
    if (code === "ESRCH") return;
    throw new CommandError(`pid ${holder.pid} cannot be stopped by you (${code}); ask its owner to stop it`);
  }
}

function removeAll(dataDir: string): string {
  if (!existsSync(dataDir)) return `${dataDir} does not exist`;
  refuseForeign(dataDir, "move them away first");
  // Hold the lock while deleting, so that no server starts in between; the lock file is deleted last.
  const release = takeLock(dataDir);
  if (!release) throw new CommandError(`${dataDir} has just been locked by another process; try again`);
  try {
    removeContents(dataDir);
  } finally {
    release();
  }
  return `removed ${dataDir}`;
}
