import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { CommandError } from "./command-error.ts";
import type { Shell } from "./shell.ts";

/** The text of a file that a flag names. */
export function readGivenFile({ workingFolder }: Shell, path: string, flag: string): string {
  try {
    return readFileSync(resolve(workingFolder, path), "utf8");
  } catch (error) {
    throw new CommandError(`${flag} ${path} cannot be read: ${(error as Error).message}`);
  }
}
