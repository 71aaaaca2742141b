import { dirname } from "node:path";
import { kubeconfigPath, MANAGEMENT_CLUSTER } from "@capstan/apiserver";
import { type Client, connectWithKubeconfig, createClient } from "@capstan/runtime";
import { CommandError } from "../command-error.ts";
import { timeIn } from "../data-directory/clock.ts";
import { holderOf } from "../data-directory/holder.ts";
import type { Shell } from "../shell.ts";
import { refuseUnknownContext } from "./known-context.ts";
import { type UserAccess, userKubeconfig } from "./user-kubeconfig.ts";

/** The time in the cluster, in milliseconds since the epoch. */
type Now = () => number;

/** What a command knows about where it is. */
export interface UserPlace {
  readonly now: Now;
  /** That of what names none. */
  readonly namespace: string;
}

/** Uses the management cluster that a user means. */
export async function withUserClient<R>(
  shell: Shell,
  access: UserAccess,
  use: (client: Client, place: UserPlace) => Promise<R>,
): Promise<R> {
  const { env } = shell;
  const { context, dataDir } = access;
  const { text, origin, namespace, clusterPath } = userKubeconfig(shell, access);
  refuseUnknownContext(text, origin, context);
  const home = clusterPath && dataDirectoryOf(clusterPath, dataDir);
  if (home !== undefined && !holderOf(home)) {
    throw new CommandError(`nothing is running in ${home}; start with: capstan up`);
  }
  // The cluster of a data directory may live in another time than the machine.
  const now: Now = () => (home === undefined ? env.clock.now() : timeIn(env, home));
  const transport = await connectWithKubeconfig({ text, origin, ...(context !== undefined && { context }) });
  try {
    return await use(createClient({ transport, env, fieldManager: "capstan-cli" }), { now, namespace });
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
