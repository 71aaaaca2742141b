import { existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { kubeconfigPath, MANAGEMENT_CLUSTER } from "@capstan/apiserver";
import { CommandError } from "../command-error.ts";
import type { Shell } from "../shell.ts";
import { type Kubeconfig, listedKubeconfigs, mergedKubeconfig, readKubeconfigs } from "./kubeconfig-files.ts";

/** Which management cluster a user means, and which namespace of it. */
export interface UserAccess {
  readonly dataDir: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  /** What `-n` says; undefined where nobody wrote it. */
  readonly namespace?: string;
}

/** A kubeconfig as it was found. */
interface UserKubeconfig extends Kubeconfig {
  /** What it is called in messages. */
  readonly origin: string;
  /** The namespace of what names none. */
  readonly namespace: string;
}

const USUAL_NAMESPACE = "default";

/**
 * The kubeconfig that a user means: that of the command line, else those of the environment, else that of the data
 * directory, else whatever kubectl would use. What names no namespace is in that of `-n`, else in that of the context.
 */
export function userKubeconfig(shell: Shell, access: UserAccess): UserKubeconfig {
  const paths = pathsOf(shell, access);
  const origin = paths.join(delimiter);
  const files = readKubeconfigs(paths);
  if (files.length === 0) {
    throw new CommandError(
      `there is no kubeconfig at ${origin}; start with: capstan up, or give --kubeconfig`,
    );
  }
  const merged = mergedKubeconfig(files, access.context);
  return { ...merged, origin, namespace: access.namespace ?? merged.namespace ?? USUAL_NAMESPACE };
}

function pathsOf(shell: Shell, { kubeconfig, dataDir }: UserAccess): readonly string[] {
  const { variables, workingFolder } = shell;
  if (kubeconfig !== undefined) return [resolve(workingFolder, kubeconfig)];
  const listed = listedKubeconfigs(shell);
  if (listed.length > 0) return listed;
  const own = kubeconfigPath(dataDir, MANAGEMENT_CLUSTER);
  return [existsSync(own) ? own : join(variables["HOME"] ?? "/", ".kube", "config")];
}

/**
 * The namespace of what names none, for a command that may do without a cluster: whoever needs one is told that there is
 * none when it is asked.
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
