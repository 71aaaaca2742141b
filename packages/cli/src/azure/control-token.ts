import { join } from "node:path";
import { makePrivateFolder, readIfThere, writePrivateFile } from "@capstan/apiserver/private-file";
import type { Env } from "@capstan/env";

/** The folder of the simulated Azure in a data directory. */
export function azureFolder(dataDir: string): string {
  return join(dataDir, "azure");
}

/** The token for the control API of a data directory's simulated Azure; undefined before the first start. */
export function savedControlToken(dataDir: string): string | undefined {
  // A crash can leave an empty file, which counts as no token.
  return readIfThere(tokenPath(dataDir))?.trim() || undefined;
}

/** The token for the control API, created if it is missing. It never changes after that, so scripts can store it. */
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
