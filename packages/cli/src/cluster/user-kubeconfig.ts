import { existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { kubeconfigPath, MANAGEMENT_CLUSTER } from "@capstan/apiserver/layout";
import { CommandError } from "../command-error.ts";
import { startCommand } from "../flags.ts";
import type { Shell } from "../shell.ts";
import { type Kubeconfig, listedKubeconfigs, mergedKubeconfig, readKubeconfigs } from "./kubeconfig-files.ts";

/** The management cluster and namespace that the user selects. */
export interface UserAccess {
  readonly dataDir: string;
  /** Whether the user has named the data directory on the command line. */
  readonly isDataDirGiven?: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
  /** The value of `-n`; undefined if the flag is not set. */
  readonly namespace?: string;
}

/** A kubeconfig, and where it was found. */
interface UserKubeconfig extends Kubeconfig {
  /** How messages refer to it. */
  readonly origin: string;
  /** The namespace of objects that do not set one. */
  readonly namespace: string;
}

const USUAL_NAMESPACE = "default";

/**
 * The kubeconfig that the user selects: the flag, else a data directory that the command line names, else the environment,
 * else the usual data directory, else kubectl's default. Objects that do not set a namespace are in that of `-n`, else in that of the context.
 */
export function userKubeconfig(shell: Shell, access: UserAccess): UserKubeconfig {
  const paths = pathsOf(shell, access);
  const origin = paths.join(delimiter);
  const files = readKubeconfigs(paths);
  if (files.length === 0) {
    throw new CommandError(
      `there is no kubeconfig at ${origin}; start with: ${startCommand(shell, access.dataDir)}, or give --kubeconfig`,
    );
  }
  if (files.every(({ text }) => text.trim() === "")) {
    throw new CommandError(`${origin} is empty; a kubeconfig has lists of clusters, contexts and users`);
  }
  const merged = mergedKubeconfig(files, access.context);
  return { ...merged, origin, namespace: access.namespace ?? merged.namespace ?? USUAL_NAMESPACE };
}

function pathsOf(
  shell: Shell,
  { kubeconfig, dataDir, isDataDirGiven = false }: UserAccess,
): readonly string[] {
  const { variables, workingFolder } = shell;
  if (kubeconfig !== undefined) return [resolve(workingFolder, kubeconfig)];
  const own = kubeconfigPath(dataDir, MANAGEMENT_CLUSTER);
  if (isDataDirGiven) return [own];
  const listed = listedKubeconfigs(shell);
  if (listed.length > 0) return listed;
  return [existsSync(own) ? own : join(variables["HOME"] ?? "/", ".kube", "config")];
}

/**
 * The namespace of objects that do not set one, for a command that may not need a cluster. A missing kubeconfig is not
 * an error here; it becomes one when the command sends its first request.
 */
export function namespaceFor(shell: Shell, access: UserAccess): string {
  if (access.namespace !== undefined) return access.namespace;
  try {
    return userKubeconfig(shell, access).namespace;
  } catch (error) {
    if (error instanceof CommandError) return USUAL_NAMESPACE;
    throw error;
  }
}
