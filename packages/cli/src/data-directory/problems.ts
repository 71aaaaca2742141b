import { CommandError } from "../command-error.ts";

const UNWRITABLE = "cannot be written to; make it writable for you, or choose another with --data-dir";
const FULL = "is on a disk that is full; make room, then try again";
const NO_FOLDER = "is not a folder, or a part of its path is none; choose another with --data-dir";

/** What a user can do about an error of the operating system. */
const BY_CODE: Readonly<Record<string, string>> = {
  EACCES: UNWRITABLE,
  EPERM: UNWRITABLE,
  EROFS: UNWRITABLE,
  ENOSPC: FULL,
  EDQUOT: FULL,
  ENOTDIR: NO_FOLDER,
  EEXIST: NO_FOLDER,
  ENOENT:
    "cannot be made, or somebody has just removed it; check its path, or choose another with --data-dir",
};

/** The same for SQLite's primary result codes, which the lock can run into. */
const BY_RESULT: Readonly<Record<number, string>> = {
  8: UNWRITABLE,
  10: "could not be read or written; look at the disk",
  13: FULL,
  14: UNWRITABLE,
  26: "has a lock.db that is not ours; choose another with --data-dir",
};

/** An error of the data directory in one sentence; any other error as it is. */
export function explained(error: unknown, folder: string): unknown {
  const { code = "", errcode = 0 } = error as { code?: string; errcode?: number };
  const advice = BY_CODE[code] ?? BY_RESULT[errcode % 256];
  return advice === undefined ? error : new CommandError(`${folder} ${advice}`, { cause: error });
}
