import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { CommandError } from "./command-error.ts";
import type { Shell } from "./shell.ts";

/** The text of a file that a flag names. */
export function readGivenFile({ workingFolder }: Shell, path: string, flag: string): string {
  try {
    return readFileSync(resolve(workingFolder, path), "utf8");
  } catch (error) {
    throw new CommandError(`${flag} ${path} cannot be read: ${readProblem(error)}`);
  }
}

/** Why a file cannot be read, in words. */
export function readProblem(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return BY_CODE[code] ?? message;
}

const BY_CODE: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is not a folder",
  EACCES: "you do not have the permission",
};

// Characters that neither YAML nor JSON allows; binary files nearly always contain some.
const BINARY_CHARACTERS = /[^\P{Cc}\t\n\r\u{7F}-\u{9F}]/u;

/** Whether a file has characters that no text has. */
export function isBinary(text: string): boolean {
  return BINARY_CHARACTERS.test(text);
}
