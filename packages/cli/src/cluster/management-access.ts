import type { Transport } from "@capstan/env";
import { connectWithKubeconfig } from "@capstan/runtime";
import { existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { CommandError } from "../command-error.ts";
import { readGivenFile } from "../given-file.ts";
import type { Shell } from "../shell.ts";
import { refuseUnknownContext } from "./known-context.ts";
import {
  type KubeconfigFile,
  listedKubeconfigs,
  mergedKubeconfig,
  readKubeconfigs,
} from "./kubeconfig-files.ts";

/** Which management cluster: that of a file, else the one kubectl would use, else the one that the pod runs in. */
export interface ManagementAccess {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** A connection, and the kubeconfig that it comes from, as messages refer to it. */
interface ManagementConnection {
  readonly transport: Transport;
  readonly origin: string;
}

/** Connects to a management cluster that another process serves. */
export async function connectToManagement(
  shell: Shell,
  { kubeconfig, context }: ManagementAccess,
): Promise<ManagementConnection> {
  const chosen = context === undefined ? {} : { context };
  const files = filesOf(shell, kubeconfig);
  if (files.length === 0) {
    refuseMissingKubeconfig(shell);
    return { transport: await connectWithKubeconfig(chosen), origin: "the kubeconfig" };
  }
  const { text } = mergedKubeconfig(files);
  const origin = files.map(({ path }) => path).join(delimiter);
  refuseUnknownContext(text, origin, context);
  return { transport: await connectWithKubeconfig({ text, origin, ...chosen }), origin };
}

function filesOf(shell: Shell, kubeconfig: string | undefined): readonly KubeconfigFile[] {
  if (kubeconfig !== undefined) {
    const text = readGivenFile(shell, kubeconfig, "--kubeconfig");
    return [{ path: resolve(shell.workingFolder, kubeconfig), text }];
  }
  const listed = listedKubeconfigs(shell);
  const files = readKubeconfigs(listed);
  if (listed.length > 0 && files.length === 0)
    throw new CommandError(
      `there is no kubeconfig at ${listed.join(delimiter)}; set KUBECONFIG or give --kubeconfig`,
    );
  return files;
}

/** Without this check the official client would fall back to http://localhost:8080, which is never intended today. */
function refuseMissingKubeconfig({ variables }: Shell): void {
  const usual = join(variables["HOME"] ?? "/", ".kube", "config");
  if (variables["KUBERNETES_SERVICE_HOST"] || existsSync(usual)) return;
  throw new CommandError(
    `there is no kubeconfig at ${usual}, and this is not a pod; set KUBECONFIG or give --kubeconfig`,
  );
}
