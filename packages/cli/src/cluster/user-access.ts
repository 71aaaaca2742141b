import { dirname } from "node:path";
import { kubeconfigPath, MANAGEMENT_CLUSTER } from "@capstan/apiserver/layout";
import type { Transport } from "@capstan/env";
import { type Client, connectWithKubeconfig, createClient } from "@capstan/runtime";
import { CommandError } from "../command-error.ts";
import { timeIn } from "../data-directory/saved-clock.ts";
import { holderOf } from "../data-directory/holder.ts";
import { startCommand } from "../flags.ts";
import type { Shell } from "../shell.ts";
import { boundedTransport } from "./bounded-transport.ts";
import { refuseUnknownContext } from "./known-context.ts";
import { type UserAccess, userKubeconfig } from "./user-kubeconfig.ts";

/** The time in the cluster, in milliseconds since the epoch. */
type Now = () => number;

/** The context that a command runs in. */
export interface UserPlace {
  readonly now: Now;
  /** The namespace of objects that do not set one. */
  readonly namespace: string;
  /** The connection of the client. */
  readonly transport: Transport;
  /** The data directory of `capstan up`, if the management cluster is one of its own. */
  readonly home: string | undefined;
}

/** Calls a function with a client of the management cluster that the user selected. */
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
    throw new CommandError(`nothing is running in ${home}; start with: ${startCommand(shell, home)}`);
  }
  // The cluster of a data directory may run on another clock than the machine's.
  const now: Now = () => (home === undefined ? env.clock.now() : timeIn(env, home));
  const connection = await connectWithKubeconfig({ text, origin, ...(context !== undefined && { context }) });
  const transport = boundedTransport(env, connection, origin);
  try {
    return await use(createClient({ transport, env, fieldManager: "capstan-cli" }), {
      now,
      namespace,
      transport,
      home,
    });
  } finally {
    await transport.close();
  }
}

/** The data directory that contains a kubeconfig; undefined for a kubeconfig elsewhere. */
function dataDirectoryOf(path: string, dataDir: string): string | undefined {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (kubeconfigPath(folder, MANAGEMENT_CLUSTER) === path && (folder === dataDir || holderOf(folder)))
      return folder;
  }
  return undefined;
}
