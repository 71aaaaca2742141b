import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";

/** Makes a folder that only its owner may look into; one that is there is left as it is. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/**
 * Writes a file that only its owner may read. It is there as a whole or not at all, also after a power cut:
 * a new file takes the old one's place only when its bytes are on disk.
 */
export function writePrivateFile(path: string, text: string): void {
  const draft = `${path}.tmp`;
  rmSync(draft, { force: true });
  const file = openSync(draft, "wx", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
  syncFolder(dirname(path));
}

/** The text of a file; undefined when there is none. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** The new name of a file is part of its folder, and that has to reach the disk too. */
function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
