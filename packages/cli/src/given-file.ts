import { closeSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { CommandError } from "./command-error.ts";
import { size } from "./render/amounts.ts";
import type { Shell } from "./shell.ts";

// Twice a dump of 10,000 machines in YAML. A device such as /dev/zero has no end.
const MOST_BYTES = 128 * 1024 * 1024;

/** The text of a file that a flag names. */
export function readGivenFile({ workingFolder }: Shell, path: string, flag: string): string {
  try {
    return readBounded(resolve(workingFolder, path), `${flag} ${path}`);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${flag} ${path} cannot be read: ${readProblem(error)}`);
  }
}

function readBounded(path: string, origin: string): string {
  const file = openSync(path, "r");
  try {
    const text = new BoundedText(origin);
    for (;;) {
      const chunk = Buffer.allocUnsafe(64 * 1024);
      const length = readSync(file, chunk);
      if (length === 0) return text.end();
      text.add(chunk.subarray(0, length));
    }
  } finally {
    closeSync(file);
  }
}

/** All that is written to standard input: a program before the pipe may take its time. */
export async function readStandardInput(): Promise<string> {
  const text = new BoundedText("standard input");
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) text.add(chunk);
  return text.end();
}

/** Collects what a file has, up to a limit. */
class BoundedText {
  readonly #origin: string;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(origin: string) {
    this.#origin = origin;
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > MOST_BYTES)
      throw new CommandError(`${this.#origin} has more than ${size(MOST_BYTES)}; expected manifests`);
    this.#chunks.push(chunk);
  }

  end(): string {
    return Buffer.concat(this.#chunks).toString("utf8");
  }
}

// The files of a folder that kubectl accepts; like kubectl, it does not read subfolders.
const MANIFEST = /\.(ya?ml|json)$/;

/** The files that `-f`, or another flag, stands for: the file itself, or the manifests in a folder. */
export function manifestFiles({ workingFolder }: Shell, path: string, flag = "-f"): readonly string[] {
  const place = resolve(workingFolder, path);
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
  const names = namesIn(place, `${flag} ${path}`).filter((name) => MANIFEST.test(name));
  if (names.length > 0) return names.map((name) => join(path, name)).sort();
  throw new CommandError(`${flag} ${path} is a folder without files that end in .yaml, .yml or .json`);
}

function namesIn(folder: string, origin: string): readonly string[] {
  try {
    const inside = readdirSync(folder, { withFileTypes: true });
    return inside.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
  } catch (error) {
    throw new CommandError(`${origin} cannot be read: ${readProblem(error)}`);
  }
}

/** Why a file cannot be read or written, in words. */
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
