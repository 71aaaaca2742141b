import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a folder that only its owner can read, and its parents; existing folders are not changed.
 *
 * Node's own recursive form hides why it fails, and it never returns where nothing can be created, such as in /proc.
 */
export function makePrivateFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(path);
  if (!existsSync(parent)) makePrivateFolder(parent);
  mkdirSync(path, { mode: 0o700 });
}

/**
 * Writes a file that only its owner can read. The write is atomic, also in a power cut: the new file replaces the old
 * one only when its bytes are on disk.
 */
export function writePrivateFile(path: string, text: string): void {
  const draft = `${path}.tmp`;
  removeIfThere(draft);
  try {
    const file = openSync(draft, "wx", 0o600);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } catch (error) {
    removeIfThere(draft);
    throw error;
  }
  syncFolder(dirname(path));
}

/** The text of a file; undefined if it does not exist. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Removes a file if it exists. Unlike `rmSync`, it reports why it fails. */
export function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** The name of a file is part of its folder, which must be synced to disk too. */
function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
