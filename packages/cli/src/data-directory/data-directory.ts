import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { makePrivateFolder, readIfThere, writePrivateFile } from "@capstan/apiserver";
import { CommandError } from "../command-error.ts";
import type { Shell } from "../shell.ts";
import { contentsOf } from "./contents.ts";
import { announceHolder, describeHolder, forgetHolder, type Holder, holderOf } from "./holder.ts";
import { takeLock } from "./lock.ts";

// Raised when the layout changes; an older program must not touch what it cannot read.
const FORMAT = 1;
// Enough to recognise whose files they are; the rest is in the folder.
const NAMES_SHOWN = 3;

/** A data directory that is ours for as long as this process lives. */
export interface DataDirectory {
  readonly isNew: boolean;
  /** Tells others where we listen, beside what they were told before. */
  announce(where: Pick<Holder, "url" | "azureUrl">): void;
  release(): void;
}

/** Takes a data directory, making it if need be. Whatever is wrong with it is said before anything in it changes. */
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
  // Nobody may read who held it before us and take that for us.
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

/** Whether the directory is one of ours; false when there is nothing yet. Throws when it is not for us to use. */
export function isOurs(folder: string): boolean {
  if (!existsSync(folder)) return false;
  if (!statSync(folder).isDirectory())
    throw new CommandError(`${folder} is a file; choose a folder with --data-dir`);
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
      `${folder} was written by a newer Capstan (format ${format}, this one knows ${FORMAT}); use that one, or choose another with --data-dir`,
    );
  return true;
}

/** A folder with somebody's files in it is no place for ours, and not ours to remove. */
export function refuseForeign(folder: string, advice: string): void {
  const { foreign } = contentsOf(folder);
  if (foreign.length === 0) return;
  const shown = foreign.slice(0, NAMES_SHOWN).join(", ") + (foreign.length > NAMES_SHOWN ? ", …" : "");
  throw new CommandError(`${folder} holds files that are not Capstan's (${shown}); ${advice}`);
}

function formatPath(folder: string): string {
  return join(folder, "format");
}
