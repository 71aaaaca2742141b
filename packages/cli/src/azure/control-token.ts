import { join } from "node:path";
import { makePrivateFolder, readIfThere, writePrivateFile } from "@capstan/apiserver";
import type { Env } from "@capstan/env";

/** The folder of the simulated Azure in a data directory. */
export function azureFolder(dataDir: string): string {
  return join(dataDir, "azure");
}

/** The token that opens the control API of a data directory's simulated Azure; undefined when none was made yet. */
export function savedControlToken(dataDir: string): string | undefined {
  // A file that lost its text in a crash opens nothing.
  return readIfThere(tokenPath(dataDir))?.trim() || undefined;
}

/** The same, made when there is none. It stays the same from then on, so that scripts can keep it. */
export function keptControlToken(env: Env, dataDir: string): string {
  const saved = savedControlToken(dataDir);
  if (saved !== undefined) return saved;
  const made = env.uuid();
  makePrivateFolder(azureFolder(dataDir));
  writePrivateFile(tokenPath(dataDir), `${made}\n`);
  return made;
}

function tokenPath(dataDir: string): string {
  return join(azureFolder(dataDir), "token");
}
