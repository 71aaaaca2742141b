import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { kubeconfigPath, MANAGEMENT_CLUSTER } from "@capstan/apiserver";
import { type Client, connectWithKubeconfig, createClient } from "@capstan/runtime";
import { CommandError } from "../command-error.ts";
import { timeIn } from "../data-directory/clock.ts";
import { holderOf } from "../data-directory/holder.ts";
import type { Shell } from "../shell.ts";
import { refuseUnknownContext } from "./known-context.ts";

/** Which management cluster a user means. */
export interface UserAccess {
  readonly dataDir: string;
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** The time in the cluster, in milliseconds since the epoch. */
export type Now = () => number;

/**
 * Uses the management cluster that a user means: the kubeconfig of the command line, else that of the environment, else
 * what runs in the data directory, else whatever kubectl would use.
 */
export async function withUserClient<R>(
  shell: Shell,
  access: UserAccess,
  use: (client: Client, now: Now) => Promise<R>,
): Promise<R> {
  const { env, variables, workingFolder } = shell;
  const { kubeconfig = variables["KUBECONFIG"] || undefined, context, dataDir } = access;
  const own = kubeconfigPath(dataDir, MANAGEMENT_CLUSTER);
  const path = kubeconfig ?? (existsSync(own) ? own : join(variables["HOME"] ?? "/", ".kube", "config"));
  const text = readText(resolve(workingFolder, path));
  refuseUnknownContext(text, path, context);
  const home = dataDirectoryOf(resolve(workingFolder, path), dataDir);
  if (home !== undefined && !holderOf(home)) {
    throw new CommandError(`nothing is running in ${home}; start with: capstan up`);
  }
  // The cluster of a data directory may live in another time than the machine.
  const now: Now = () => (home === undefined ? env.clock.now() : timeIn(env, home));
  const transport = await connectWithKubeconfig({
    text,
    origin: path,
    ...(context !== undefined && { context }),
  });
  try {
    return await use(createClient({ transport, env, fieldManager: "capstan-cli" }), now);
  } finally {
    await transport.close();
  }
}

/** The data directory that a kubeconfig lies in, wherever that is; undefined for any other kubeconfig. */
function dataDirectoryOf(path: string, dataDir: string): string | undefined {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (kubeconfigPath(folder, MANAGEMENT_CLUSTER) === path && (folder === dataDir || holderOf(folder)))
      return folder;
  }
  return undefined;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new CommandError(`there is no kubeconfig at ${path}; start with: capstan up, or give --kubeconfig`);
  }
}
