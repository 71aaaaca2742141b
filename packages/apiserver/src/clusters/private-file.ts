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
 * Makes a folder that only its owner may look into, and those above it; what is there is left as it is.
 *
 * Node's own recursive form hides why it fails, and where nothing can be made, as in /proc, it never ends.
 */
export function makePrivateFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(path);
  if (!existsSync(parent)) makePrivateFolder(parent);
  mkdirSync(path, { mode: 0o700 });
}

/**
 * Writes a file that only its owner may read. It is there as a whole or not at all, also after a power cut:
 * a new file takes the old one's place only when its bytes are on disk.
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

/** The text of a file; undefined when there is none. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Removes a file. Unlike `rmSync`, it says why when it cannot. */
export function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
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
