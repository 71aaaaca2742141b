import { CommandError } from "../command-error.ts";

const UNWRITABLE = "cannot be written to; make it writable for you, or choose another with --data-dir";
const FULL = "is on a disk that is full; make room, then try again";
const NO_FOLDER = "is not a folder, or a part of its path is not; choose another with --data-dir";

/** The next step for each error of the operating system. */
const BY_CODE: Readonly<Record<string, string>> = {
  EACCES: UNWRITABLE,
  EPERM: UNWRITABLE,
  EROFS: UNWRITABLE,
  ENOSPC: FULL,
  EDQUOT: FULL,
  ENOTDIR: NO_FOLDER,
  EEXIST: NO_FOLDER,
  ENOENT: "cannot be created, or was just removed; check its path, or choose another with --data-dir",
};

/** The same for SQLite's primary result codes, which the lock can return. */
const BY_RESULT: Readonly<Record<number, string>> = {
  8: UNWRITABLE,
  10: "could not be read or written; check the disk",
  13: FULL,
  14: UNWRITABLE,
  26: "has a lock.db that Capstan did not write; choose another with --data-dir",
};

/** Turns an error of the data directory into a message; returns any other error unchanged. */
export function explained(error: unknown, folder: string): unknown {
  const { code = "", errcode = 0 } = error as { code?: string; errcode?: number };
  const advice = BY_CODE[code] ?? BY_RESULT[errcode % 256];
  return advice === undefined ? error : new CommandError(`${folder} ${advice}`, { cause: error });
}
