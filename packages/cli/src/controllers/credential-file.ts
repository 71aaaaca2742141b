import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { sep } from "node:path";

// A certificate chain with its key has a few kilobytes.
const LARGEST_BYTES = 64 * 1024;

/**
 * Reads a small regular file of a folder. Kubernetes mounts Secrets as symbolic links within their folder; a link that
 * leads out of the folder, a device, a pipe and a long file are refused.
 */
export async function readCredentialFile(path: string, folder: string): Promise<string> {
  const [target, root] = await Promise.all([realpath(path), realpath(folder)]);
  if (!target.startsWith(root + sep)) throw new Error(`${path} leads out of ${folder}`);
  // Without O_NONBLOCK a pipe would hold the open call until another process writes into it.
  const file = await open(target, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${path} is not a regular file`);
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(LARGEST_BYTES + 1), position: 0 });
    if (bytesRead > LARGEST_BYTES) throw new Error(`${path} has more than ${LARGEST_BYTES} bytes`);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
