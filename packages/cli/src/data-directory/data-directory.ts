import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { makePrivateFolder, readIfThere, writePrivateFile } from "@capstan/apiserver/private-file";
import { CommandError } from "../command-error.ts";
import type { Shell } from "../shell.ts";
import { contentsOf } from "./contents.ts";
import { announceHolder, describeHolder, forgetHolder, type Holder, holderOf } from "./holder.ts";
import { takeLock } from "./lock.ts";

// Raised when the layout changes; an older program must not write to a layout that it cannot read.
const FORMAT = 1;
// Enough to recognize the files; `ls` shows the rest.
const NAMES_SHOWN = 3;

/** A data directory that this process holds until it exits. */
export interface DataDirectory {
  readonly isNew: boolean;
  /** Adds the addresses we listen on to the holder file, for other processes. */
  announce(where: Pick<Holder, "url" | "azureUrl">): void;
  release(): void;
}

/**
 * Takes the lock of a data directory, and creates the directory if needed. Every check comes before the first write.
 */
export function openDataDirectory(folder: string, { pid, env }: Shell): DataDirectory {
  const isNew = !isOurs(folder);
  makePrivateFolder(folder);
  const release = takeLock(folder);
  if (!release) {
    const holder = holderOf(folder) ?? "unknown";
    throw new CommandError(
      `${folder} is held by ${describeHolder(holder)}; stop it with: capstan down --data-dir ${folder}`,
    );
  }
  try {
    return hold(folder, { isNew, release, holder: { pid, since: new Date(env.clock.now()).toISOString() } });
  } catch (error) {
    release();
    throw error;
  }
}

function hold(
  folder: string,
  { isNew, release, holder }: { isNew: boolean; release: () => void; holder: Holder },
): DataDirectory {
  // Remove the previous holder's entry, so that another process does not take it for ours.
  forgetHolder(folder);
  announceHolder(folder, holder);
  if (isNew) writePrivateFile(formatPath(folder), `${FORMAT}\n`);
  let announced = holder;
  return {
    isNew,
    announce: (where) => {
      announced = { ...announced, ...where };
      announceHolder(folder, announced);
    },
    release: () => {
      forgetHolder(folder);
      release();
    },
  };
}

/** Refuses a file where a data directory is expected. */
export function refuseFile(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new CommandError(`${folder} is a file; choose a folder with --data-dir`);
}

/** Whether the directory is Capstan's; false if it is missing or empty. Throws if it must not be used. */
export function isOurs(folder: string): boolean {
  if (!existsSync(folder)) return false;
  refuseFile(folder);
  const text = readIfThere(formatPath(folder));
  if (text === undefined) {
    refuseForeign(folder, "choose another with --data-dir");
    return false;
  }
  const format = Number(text);
  if (!Number.isInteger(format) || format < 1)
    throw new CommandError(`${formatPath(folder)} holds ${JSON.stringify(text.trim())}; expected a number`);
  if (format > FORMAT)
    throw new CommandError(
      `${folder} was written by a newer Capstan (format ${format}, this one knows ${FORMAT}); use that version, or choose another with --data-dir`,
    );
  return true;
}

/** Refuses a folder with files of other programs: Capstan neither writes there nor removes it. */
export function refuseForeign(folder: string, advice: string): void {
  const { foreign } = contentsOf(folder);
  if (foreign.length === 0) return;
  const shown = foreign.slice(0, NAMES_SHOWN).join(", ") + (foreign.length > NAMES_SHOWN ? ", …" : "");
  throw new CommandError(`${folder} holds files that are not Capstan's (${shown}); ${advice}`);
}

function formatPath(folder: string): string {
  return join(folder, "format");
}
